// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a sliding window are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// A sliding window: one entry per dimension of the tensor it slides over.
struct WindowSpec {
  std::vector<int64_t> sizes, strides, baseDilations, windowDilations;
  std::vector<int64_t> low; ///< Padding before the first element.

  /// Position along `dim` of the base element under `tap` of result `out`; -1 in padding or holes.
  int64_t placeOf(size_t dim, int64_t out, int64_t tap, int64_t size) const {
    int64_t place = out * strides[dim] + tap * windowDilations[dim] - low[dim];
    if (place < 0)
      return -1;
    if (baseDilations[dim] != 1) {
      if (place % baseDilations[dim] != 0)
        return -1;
      place /= baseDilations[dim];
    }
    return place < size ? place : -1;
  }
};

} // namespace shardwise::execute
