// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a box becomes loops:
//
// 1. Dimensions of size 1 are dropped; the others are loops, in the order of the target's memory,
//    so that what is written lies behind each other. Buffers that are both row-major have that
//    order already.
// 2. From the innermost on, a loop whose steps are as long as the run on both sides joins the run.
// 3. Of the others, a loop that goes on where the next inner one ends, on both sides, joins that.
// 4. If no loop joined the run because the source has its neighbours in another loop, the two make
//    a transpose: that loop becomes the second from inside, and both are copied in squares.

#include "shardwise/runtime/StridedCopy.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace shardwise::runtime {

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape, int64_t elementBytes) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = elementBytes;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

void StridedCopy::assign(std::span<const int64_t> size, std::span<const int64_t> sourceStrides,
                         std::span<const int64_t> targetStrides, int64_t elementBytes) {
  assert(size.size() == sourceStrides.size() && size.size() == targetStrides.size() &&
         "numbers of dimensions differ");
  nest.clear();
  contiguous = 0;
  isTransposed = false;
  for (int64_t count : size)
    if (count == 0)
      return;
  for (size_t dim = 0; dim < size.size(); ++dim)
    if (size[dim] > 1)
      nest.push_back({size[dim], sourceStrides[dim], targetStrides[dim]});
  contiguous = elementBytes;
  sortForTarget();
  mergeLoops();
  findTranspose(elementBytes);
}

void StridedCopy::sortForTarget() {
  auto isBefore = [](const Loop &a, const Loop &b) {
    return std::abs(a.targetStride) > std::abs(b.targetStride);
  };
  if (!std::is_sorted(nest.begin(), nest.end(), isBefore))
    std::stable_sort(nest.begin(), nest.end(), isBefore);
}

void StridedCopy::mergeLoops() {
  while (!nest.empty() && nest.back().sourceStride == contiguous &&
         nest.back().targetStride == contiguous) {
    contiguous *= nest.back().count;
    nest.pop_back();
  }
  for (size_t loop = nest.size(); loop-- > 1;) {
    Loop &outer = nest[loop - 1];
    const Loop &inner = nest[loop];
    if (outer.sourceStride == inner.count * inner.sourceStride &&
        outer.targetStride == inner.count * inner.targetStride) {
      outer = {outer.count * inner.count, inner.sourceStride, inner.targetStride};
      nest.erase(nest.begin() + static_cast<std::ptrdiff_t>(loop));
    }
  }
}

void StridedCopy::findTranspose(int64_t elementBytes) {
  bool isRun = contiguous > elementBytes;
  if (isRun || nest.size() < 2 || nest.back().targetStride != elementBytes)
    return;
  auto column = std::find_if(nest.begin(), nest.end() - 1,
                             [&](const Loop &loop) { return loop.sourceStride == elementBytes; });
  if (column == nest.end() - 1)
    return;
  std::rotate(column, column + 1, nest.end() - 1);
  isTransposed = true;
}

int64_t StridedCopy::bytes() const {
  int64_t result = contiguous;
  for (const Loop &loop : nest)
    result *= loop.count;
  return result;
}

void StridedCopy::run(const std::byte *source, std::byte *target, Stores stores) const {
  if (contiguous == 0)
    return;
  if (isTransposed) {
    const Loop &rows = nest[nest.size() - 2];
    const Loop &columns = nest.back();
    TransposedBlock block{rows.count, columns.count, contiguous, columns.sourceStride,
                          rows.targetStride};
    visitLoops(nest.size() - 2, [&](int64_t sourceOffset, int64_t targetOffset) {
      copyTransposed(source + sourceOffset, target + targetOffset, block);
    });
    return;
  }
  CopiedRows rows;
  rows.bytes = contiguous;
  size_t outer = nest.size();
  if (outer > 0) {
    const Loop &loop = nest[--outer];
    rows.count = loop.count;
    rows.sourcePitch = loop.sourceStride;
    rows.targetPitch = loop.targetStride;
  }
  if (outer > 0) {
    const Loop &loop = nest[--outer];
    rows.planes = loop.count;
    rows.sourcePlanePitch = loop.sourceStride;
    rows.targetPlanePitch = loop.targetStride;
  }
  visitLoops(outer, [&](int64_t sourceOffset, int64_t targetOffset) {
    copyRows(source + sourceOffset, target + targetOffset, rows, stores);
  });
}

} // namespace shardwise::runtime
