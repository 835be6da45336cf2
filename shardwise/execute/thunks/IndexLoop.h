// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks all indices of a shape, for thunks whose addresses are not plain strides.

#pragma once

#include "shardwise/execute/thunks/StridedCopy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// Calls `visit(index)` for the indices number `begin` to `end` - 1 of `shape` in row-major order.
/// Requires: there are as many.
template <class Visit>
void forEachIndexIn(const std::vector<int64_t> &shape, int64_t begin, int64_t end, Visit visit) {
  std::vector<int64_t> index(shape.size(), 0);
  int64_t rest = begin;
  for (size_t dim = shape.size(); begin < end && dim-- > 0;) {
    index[dim] = rest % shape[dim];
    rest /= shape[dim];
  }
  for (int64_t number = begin; number < end; ++number) {
    visit(index);
    for (size_t dim = shape.size(); dim > 0 && ++index[dim - 1] == shape[dim - 1]; --dim)
      index[dim - 1] = 0;
  }
}

/// Calls `visit(index)` for all indices of `shape` in row-major order; once for rank 0, never if a
/// size is 0.
template <class Visit> void forEachIndex(const std::vector<int64_t> &shape, Visit visit) {
  forEachIndexIn(shape, 0, elementCount(shape), visit);
}

} // namespace shardwise::execute
