// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From tensors with their own units and replicas to what the mover needs: boxes counted in bytes
// that can be copied, each with the places that it is read from or written to.

#include "shardwise/files/TensorMove.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace shardwise::files {
namespace {

/// Counts groups along the last dimension. Returns whether all begin and end at whole ones.
/// Example: i4, of which 2 take a byte: the part [4, 10) becomes [2, 5); [3, 10) begins inside a
/// byte.
bool countGroups(ArrayLayout &layout, int64_t groupElements) {
  bool isWhole = true;
  auto count = [&](std::vector<int64_t> &sizes) {
    isWhole = isWhole && sizes.back() % groupElements == 0;
    sizes.back() /= groupElements;
  };
  count(layout.shape);
  for (ArrayPart &part : layout.parts) {
    count(part.box.start);
    count(part.box.size);
    count(part.start);
  }
  return isWhole;
}

Result<std::vector<StoredArray>> arraysInUnits(const StoredTensor &tensor) {
  std::vector<StoredArray> arrays = tensor.arrays.list();
  int64_t group = tensor.format.groupElements;
  if (group == 1)
    return arrays;
  for (StoredArray &array : arrays)
    if (!countGroups(array.layout, group))
      return unsupported(fmt::format(
          "'{}' has {} elements of {} in {} bytes; the sharding {} cuts the last "
          "dimension, of {}, elsewhere than at multiples of {}",
          tensor.name, group, tensor.format.name, tensor.format.groupBytes,
          core::toString(tensor.cut.sharding, tensor.cut.mesh), tensor.shape.back(), group));
  return arrays;
}

/// Returns how the partial values of `tensor` combine; none if it has whole ones.
Result<std::optional<runtime::Reducer>> reducerOf(const StoredTensor &tensor) {
  if (numSummands(tensor.cut) == 1)
    return std::optional<runtime::Reducer>();
  const core::Sharding &sharding = tensor.cut.sharding;
  auto refused = [&](const std::string &why) {
    return unsupported(
        fmt::format("{}the sharding {} says that devices have partial values: {}",
                    tensor.name.empty() ? "" : fmt::format("tensor '{}': ", tensor.name),
                    core::toString(sharding, tensor.cut.mesh), why));
  };
  auto type = runtime::parseDataType(tensor.format.name);
  if (!type || tensor.format.groupElements != 1)
    return refused(fmt::format("elements of {}, packed {} in {} bytes, are moved but not combined",
                               tensor.format.name, tensor.format.groupElements,
                               tensor.format.groupBytes));
  Result<runtime::Reducer> reducer = runtime::makeReducer(sharding.reduction, *type);
  if (!reducer)
    return refused(reducer.error().message);
  return std::optional(std::move(*reducer));
}

} // namespace

void ShardArrays::add(const ShardId &shard, ArrayLayout layout, FilePlace place,
                      bool isColumnMajor) {
  if (layout.parts.empty())
    return;
  auto summand = static_cast<size_t>(shard.summand);
  auto block = static_cast<size_t>(shard.block);
  if (positions.size() <= summand)
    positions.resize(summand + 1);
  std::vector<int64_t> &ofBlocks = positions[summand];
  if (ofBlocks.size() <= block)
    ofBlocks.resize(block + 1, -1);
  if (ofBlocks[block] >= 0) {
    // Of replicas that are read, only the first counts, so the order of this one does not matter.
    arrays[static_cast<size_t>(ofBlocks[block])].places.push_back(place);
    return;
  }
  ofBlocks[block] = static_cast<int64_t>(arrays.size());
  arrays.push_back({std::move(layout), {place}, isColumnMajor, shard.summand});
}

Result<TensorMove> makeMove(const StoredTensor &source, const StoredTensor &target) {
  Result<std::vector<StoredArray>> sources = arraysInUnits(source);
  if (!sources)
    return sources.error();
  Result<std::vector<StoredArray>> targets = arraysInUnits(target);
  if (!targets)
    return targets.error();
  Result<std::optional<runtime::Reducer>> reducer = reducerOf(source);
  if (!reducer)
    return reducer.error();
  // Devices are in mesh order, in which an unreduced axis may vary fastest. A device is one file.
  std::sort(sources->begin(), sources->end(), [](const StoredArray &a, const StoredArray &b) {
    return std::tie(a.summand, a.places.front().file) < std::tie(b.summand, b.places.front().file);
  });
  TensorMove move{source.shape, source.format.groupBytes, std::move(*sources), std::move(*targets),
                  std::move(*reducer)};
  if (!move.shape.empty())
    move.shape.back() /= source.format.groupElements;
  return move;
}

} // namespace shardwise::files
