// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks all indices of a shape, for thunks whose addresses are not plain strides.

#pragma once

#include "shardwise/execute/thunks/StridedCopy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// Calls `visit(index)` for all indices of `shape` in row-major order; once for rank 0, never if a
/// size is 0.
template <class Visit> void forEachIndex(const std::vector<int64_t> &shape, Visit visit) {
  if (elementCount(shape) == 0)
    return;
  std::vector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t dim = shape.size();
    for (; dim > 0 && ++index[dim - 1] == shape[dim - 1]; --dim)
      index[dim - 1] = 0;
    if (dim == 0)
      return;
  }
}

} // namespace shardwise::execute
