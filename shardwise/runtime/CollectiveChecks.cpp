// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of parameters, worded for whoever wrote the program. They are made before a rank publishes
// or sends anything: a rank that fails alone, of its own parameters, has nothing to take back.
//
// What ranks must agree in is compared as a digest of 64 bits. It finds mistakes, and is no proof.

#include "shardwise/runtime/CollectiveChecks.h"

#include "shardwise/runtime/BlockCopy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardwise::runtime {

int64_t byteSize(const InputBuffer &input) {
  return product(input.shape) * input.elementBytes;
}

Result<void> checkDim(CollectiveKind collective, const InputBuffer &input, int64_t dim) {
  if (dim < 0 || dim >= static_cast<int64_t>(input.shape.size())) {
    return invalid(fmt::format("{} along dimension {} of a tensor of shape {}; expected 0 to {}",
                               toString(collective), dim, input.shape,
                               static_cast<int64_t>(input.shape.size()) - 1));
  }
  return {};
}

Result<void> checkCut(CollectiveKind collective, const InputBuffer &input, int64_t dim,
                      int64_t parts) {
  if (Result<void> checked = checkDim(collective, input, dim); !checked)
    return checked;
  if (parts < 1 || input.shape[dim] % parts != 0) {
    return invalid(
        fmt::format("{} cuts dimension {} of size {} into {} parts; pad it to a multiple",
                    toString(collective), dim, input.shape[dim], parts));
  }
  return {};
}

/// FNV-1a on 64-bit numbers. The fold of the upper half lets high bits count: multiplication only
/// carries upwards.
uint64_t digest(std::span<const int64_t> shape, std::initializer_list<int64_t> parameters) {
  uint64_t value = 0xcbf29ce484222325U;
  auto add = [&](int64_t number) {
    value = (value ^ static_cast<uint64_t>(number)) * 0x100000001b3U;
    value ^= value >> 32;
  };
  for (int64_t size : shape)
    add(size);
  for (int64_t parameter : parameters)
    add(parameter);
  return value;
}

Result<void> checkGroup(RankGroup group, Rank rank, int64_t size) {
  std::vector<Rank> sorted(group.begin(), group.end());
  std::sort(sorted.begin(), sorted.end());
  bool isInRange = !sorted.empty() && sorted.front() >= 0 && sorted.back() < size;
  bool isUnique = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  bool isMember = std::binary_search(sorted.begin(), sorted.end(), rank);
  if (!isInRange || !isUnique || !isMember) {
    return invalid(fmt::format("rank {} of {} uses group {}; expected different ranks below {}, "
                               "itself among them",
                               rank, size, group, size));
  }
  return {};
}

Traffic trafficOf(CollectiveKind collective, int64_t inputBytes, int64_t numRanks) {
  if (numRanks < 1)
    return {};
  return {core::receivedBytes(collective, inputBytes, numRanks), numRanks - 1};
}

int64_t positionOf(Rank rank, RankGroup group) {
  return std::find(group.begin(), group.end(), rank) - group.begin();
}

} // namespace shardwise::runtime
