// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank of an all_reduce folds which elements.

#pragma once

#include "shardwise/runtime/Collectives.h"

#include <algorithm>

namespace shardwise::runtime {

/// Up to this size a barrier costs more than folding everything on every rank.
inline constexpr int64_t kDirectBytes = 2'048;

/// A range of the elements of all tensors that one rank folds.
struct Share {
  int64_t first;
  int64_t count;
};

inline Share shareOf(int64_t position, int64_t numRanks, int64_t numElements) {
  int64_t size = (numElements + numRanks - 1) / numRanks;
  int64_t first = std::min(numElements, position * size);
  return {first, std::min(size, numElements - first)};
}

/// Calls `visit(tensor, first, count)` for the run of each tensor's elements that is in `share`.
template <class Visit>
void forEachRun(std::span<const ReducedTensor> tensors, Share share, Visit visit) {
  int64_t before = 0;
  for (size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    int64_t size = tensors[tensor].numElements;
    int64_t begin = std::max(share.first - before, int64_t{0});
    int64_t end = std::min(share.first + share.count - before, size);
    if (begin < end)
      visit(tensor, begin, end - begin);
    before += size;
  }
}

} // namespace shardwise::runtime
