// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/TensorMove.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::files {
namespace {

/// Counts groups along the last dimension. Returns whether all begin and end at whole ones.
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
  std::vector<StoredArray> arrays = tensor.arrays;
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

} // namespace

void addArray(std::vector<StoredArray> &arrays, ArrayLayout layout, FilePlace place,
              bool isColumnMajor) {
  if (layout.parts.empty())
    return;
  // Cuts have many devices, of which few differ; replicas are mostly neighbours.
  auto known = std::find_if(arrays.rbegin(), arrays.rend(), [&](const StoredArray &array) {
    return array.isColumnMajor == isColumnMajor && array.layout == layout;
  });
  if (known != arrays.rend())
    known->places.push_back(place);
  else
    arrays.push_back({std::move(layout), {place}, isColumnMajor});
}

Result<TensorMove> makeMove(const StoredTensor &source, const StoredTensor &target) {
  Result<std::vector<StoredArray>> sources = arraysInUnits(source);
  if (!sources)
    return sources.error();
  Result<std::vector<StoredArray>> targets = arraysInUnits(target);
  if (!targets)
    return targets.error();
  TensorMove move{source.shape, source.format.groupBytes, std::move(*sources), std::move(*targets)};
  if (!move.shape.empty())
    move.shape.back() /= source.format.groupElements;
  return move;
}

} // namespace shardwise::files
