// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs are found from the minor end; the loops above them are an odometer of strides. Example: the
// box of 2x2x4 in a buffer of 5x3x4, to be copied to one of 2x2x4. Dimension 2 is whole on both
// sides, so a run goes on into dimension 1, which ends it: runs of 8 elements. Dimension 0 are the
// rows of one call: 2 of them, 12 elements apart in the source and 8 in the target. Nothing is left
// for the odometer.

#include "shardwise/runtime/BlockCopy.h"

#include <cassert>
#include <cstring>
#include <vector>

namespace shardwise::runtime {
namespace {

/// Rows of equal length at two pitches.
struct Rows {
  int64_t count = 1;
  int64_t bytes = 0;
  int64_t sourcePitch = 0;
  int64_t targetPitch = 0;
};

/// Known lengths compile to moves; short rows are all overhead otherwise.
template <int64_t Bytes>
void copyShortRows(const std::byte *source, std::byte *target, const Rows &rows) {
  for (int64_t i = 0; i < rows.count; ++i)
    std::memcpy(target + i * rows.targetPitch, source + i * rows.sourcePitch, Bytes);
}

void copyRows(const std::byte *source, std::byte *target, const Rows &rows) {
  switch (rows.bytes) {
  case 1:
    return copyShortRows<1>(source, target, rows);
  case 2:
    return copyShortRows<2>(source, target, rows);
  case 4:
    return copyShortRows<4>(source, target, rows);
  case 8:
    return copyShortRows<8>(source, target, rows);
  case 16:
    return copyShortRows<16>(source, target, rows);
  default:
    for (int64_t i = 0; i < rows.count; ++i) {
      std::memcpy(target + i * rows.targetPitch, source + i * rows.sourcePitch,
                  static_cast<size_t>(rows.bytes));
    }
  }
}

} // namespace

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
  auto rank = static_cast<int64_t>(size.size());
  // Byte strides, and the offsets of the box's first element.
  std::vector<int64_t> sourceStrides(rank);
  std::vector<int64_t> targetStrides(rank);
  int64_t sourceStride = elementBytes;
  int64_t targetStride = elementBytes;
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    sourceStrides[dim] = sourceStride;
    targetStrides[dim] = targetStride;
    source += from.start[dim] * sourceStride;
    target += to.start[dim] * targetStride;
    sourceStride *= from.shape[dim];
    targetStride *= to.shape[dim];
  }
  // A run takes in dimensions as long as the ones below are whole on both sides.
  Rows rows;
  rows.bytes = elementBytes;
  int64_t outer = rank;
  bool isContiguous = true;
  while (outer > 0 && isContiguous) {
    --outer;
    rows.bytes *= size[outer];
    // This dimension belongs to the run in any case; the next one only if this one is whole.
    isContiguous = size[outer] == from.shape[outer] && size[outer] == to.shape[outer];
  }
  if (outer > 0) {
    --outer;
    rows.count = size[outer];
    rows.sourcePitch = sourceStrides[outer];
    rows.targetPitch = targetStrides[outer];
  }
  std::vector<int64_t> index(outer, 0);
  for (;;) {
    copyRows(source, target, rows);
    int64_t dim = outer - 1;
    for (; dim >= 0; --dim) {
      source += sourceStrides[dim];
      target += targetStrides[dim];
      if (++index[dim] < size[dim])
        break;
      // Done along this dimension: back to its begin, and one on along the next outer one.
      source -= size[dim] * sourceStrides[dim];
      target -= size[dim] * targetStrides[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

} // namespace shardwise::runtime
