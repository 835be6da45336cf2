// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy of a box between two strided buffers, as the fewest loops around the longest runs.

#pragma once

#include "shardwise/runtime/CopyRows.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::runtime {

/// Returns the distance in bytes between neighbours along each dimension of a dense row-major
/// buffer.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape, int64_t elementBytes);

/// The loop nest of a copy. Dimensions that are contiguous on both sides are one run, dimensions of
/// size 1 are none, and neighbours that continue each other on both sides are one loop.
///
/// Example: the box of 2x2x4 in a buffer of 5x3x4, to one of 2x2x4, 4 bytes an element: runs of 32
/// bytes, and one loop of 2, 48 bytes apart in the source and 32 in the target.
class StridedCopy {
public:
  struct Loop {
    int64_t count = 1;
    int64_t sourceStride = 0;
    int64_t targetStride = 0;

    bool operator==(const Loop &) const = default;
  };

  /// Copies nothing.
  StridedCopy() = default;
  StridedCopy(std::span<const int64_t> size, std::span<const int64_t> sourceStrides,
              std::span<const int64_t> targetStrides, int64_t elementBytes) {
    assign(size, sourceStrides, targetStrides, elementBytes);
  }

  /// Makes this the copy of a box of `size` elements; strides are in bytes and in any order.
  /// Allocates nothing if it has held as many loops before.
  void assign(std::span<const int64_t> size, std::span<const int64_t> sourceStrides,
              std::span<const int64_t> targetStrides, int64_t elementBytes);

  /// Bytes that `run` moves.
  int64_t bytes() const;
  /// Bytes that are contiguous on both sides; 0 if the box is empty.
  int64_t runBytes() const { return contiguous; }
  /// Outermost first.
  const std::vector<Loop> &loops() const { return nest; }

  /// Copies from the box's first element at `source` to `target`. Requires: they do not overlap.
  void run(const std::byte *source, std::byte *target, Stores stores = Stores::Cached) const;

  /// Calls `visit(sourceOffset, targetOffset)` for the first byte of every run.
  template <class Visit> void forEachRun(Visit visit) const {
    if (contiguous > 0)
      visitLoops(nest.size(), visit);
  }

private:
  /// Calls `visit` at every point of the first `numLoops` loops.
  template <class Visit> void visitLoops(size_t numLoops, Visit visit) const;
  void sortForTarget();
  void mergeLoops();
  void findTranspose(int64_t elementBytes);

  std::vector<Loop> nest;
  int64_t contiguous = 0;
  /// The two innermost loops are columns and rows of a transposed block.
  bool isTransposed = false;
};

template <class Visit> void StridedCopy::visitLoops(size_t numLoops, Visit visit) const {
  if (numLoops == 0) {
    visit(int64_t{0}, int64_t{0});
    return;
  }
  if (numLoops == 1) {
    for (int64_t i = 0; i < nest[0].count; ++i)
      visit(i * nest[0].sourceStride, i * nest[0].targetStride);
    return;
  }
  std::vector<int64_t> index(numLoops, 0);
  int64_t source = 0;
  int64_t target = 0;
  for (;;) {
    visit(source, target);
    size_t loop = numLoops;
    for (; loop > 0; --loop) {
      const Loop &at = nest[loop - 1];
      source += at.sourceStride;
      target += at.targetStride;
      if (++index[loop - 1] < at.count)
        break;
      // Done along this loop: back to its begin, and one on along the next outer one.
      source -= at.count * at.sourceStride;
      target -= at.count * at.targetStride;
      index[loop - 1] = 0;
    }
    if (loop == 0)
      return;
  }
}

} // namespace shardwise::runtime
