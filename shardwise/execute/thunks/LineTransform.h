// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of all lines along one dimension of a tensor. Real lines of even length are
// transformed as complex lines of half the length.

#pragma once

#include "shardwise/execute/thunks/FourierPlan.h"

#include <algorithm>
#include <span>

namespace shardwise::execute {

/// Where the lines along one dimension are, in elements: groups of lines at equal distances.
/// Example: along dimension 1 of a 2x8x5 tensor there are 2 groups, 40 apart, of 5 lines, 1 apart,
/// whose elements are 5 apart.
struct Lines {
  int64_t numGroups = 1, groupStride = 0;
  int64_t perGroup = 1, lineStride = 1;
  int64_t elementStride = 1;

  int64_t count() const { return numGroups * perGroup; }

  /// Lines along dimension `dim` of a row-major tensor.
  static Lines along(std::span<const int64_t> shape, size_t dim);
};

/// How to go over the lines of one dimension, several lines ("lanes") at a time.
class LineTransform {
public:
  /// For complex lines of `length` elements with parts of type `parts`, f32 or f64.
  LineTransform(runtime::DataType parts, int64_t length, Lines lines)
      : plan(parts, length, lines.count()), lines(lines), kernels(findFourierKernels(parts)),
        partBytes(runtime::byteSize(parts)) {}

  /// See FourierPlan.
  int64_t tableBytes() const { return plan.tableBytes(); }
  void makeTables() { plan.makeTables(); }

  int64_t scratchBytes() const {
    int64_t width = lanes();
    // Spectra of real lines have up to two rows more than the lines.
    return arrayBytes(width) + arrayBytes(width) + plan.scratchBytes(width);
  }

  /// Complex to complex. `source` and `target` may be the same.
  void run(const std::byte *source, std::byte *target, bool isInverse, std::byte *scratch) const;

protected:
  int64_t lanes() const { return std::min(plan.lanes(), lines.perGroup); }
  int64_t arrayBytes(int64_t width) const {
    return 2 * ((plan.length() + 2) * width * partBytes + 63) / 64 * 64;
  }
  SplitArray array(std::byte *memory, int64_t width) const {
    return {memory, memory + arrayBytes(width) / 2};
  }
  /// With the parts swapped, a forward transform is an inverse one.
  static SplitArray turned(SplitArray array, bool isInverse) {
    return isInverse ? SplitArray{array.im, array.re} : array;
  }

  /// Calls `visit(offset of the first line, number of lines)`.
  template <class F> void forBlocks(F visit) const {
    for (int64_t group = 0; group < lines.numGroups; ++group)
      for (int64_t line = 0; line < lines.perGroup; line += lanes())
        visit(group * lines.groupStride + line * lines.lineStride,
              std::min(lanes(), lines.perGroup - line));
  }

  /// Transforms one line in pieces, where the plan divides it.
  void runDivided(const std::byte *source, std::byte *target, double factor, bool isInverse,
                  std::byte *scratch) const;

  FourierPlan plan;
  Lines lines;
  const FourierKernels *kernels;
  int64_t partBytes;
};

/// Between real lines of the last dimension and the half of their spectra that says all:
/// `length / 2 + 1` complex numbers.
class RealTransform final : public LineTransform {
public:
  /// For `numLines` dense lines of `length` real numbers of type `parts`.
  RealTransform(runtime::DataType parts, int64_t length, int64_t numLines);

  int64_t tableBytes() const;
  void makeTables();

  /// Real lines to spectra.
  void forwards(const std::byte *source, std::byte *target, std::byte *scratch) const;
  /// Spectra to real lines, divided by their length.
  void backwards(const std::byte *source, std::byte *target, std::byte *scratch) const;

private:
  int64_t numBins() const { return length / 2 + 1; }
  int64_t numRoots() const { return isEven ? length / 2 + 1 : 0; }

  /// Calls `visit(first line, number of lines)`.
  template <class F> void forLines(F visit) const {
    for (int64_t line = 0; line < lines.perGroup; line += lanes())
      visit(line, std::min(lanes(), lines.perGroup - line));
  }

  runtime::DataType parts;
  int64_t length;
  bool isEven;
  FactorTable roots;
};

} // namespace shardwise::execute
