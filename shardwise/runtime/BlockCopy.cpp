// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of dense row-major buffers are boxes of strided ones.

#include "shardwise/runtime/BlockCopy.h"

#include "shardwise/runtime/StridedCopy.h"

#include <cassert>

namespace shardwise::runtime {

int64_t product(std::span<const int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

void copyBox(const std::byte *source, const BoxPlace &from, std::byte *target, const BoxPlace &to,
             std::span<const int64_t> size, int64_t elementBytes) {
  assert(from.shape.size() == size.size() && to.shape.size() == size.size() && "ranks differ");
  if (product(size) == 0)
    return;
  std::vector<int64_t> sourceStrides = rowMajorStrides(from.shape, elementBytes);
  std::vector<int64_t> targetStrides = rowMajorStrides(to.shape, elementBytes);
  for (size_t dim = 0; dim < size.size(); ++dim) {
    source += from.start[dim] * sourceStrides[dim];
    target += to.start[dim] * targetStrides[dim];
  }
  StridedCopy(size, sourceStrides, targetStrides, elementBytes).run(source, target);
}

} // namespace shardwise::runtime
