// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of all lines along a dimension: lines are loaded into split arrays, several at
// a time, the plan transforms them, and they are stored to their places.
//
// A real line x of even length 2h needs a transform of half the length only. The pairs z[j] = x[2j]
// + i x[2j+1] are the line read as complex numbers. From the transform Z of z come those of the
// even and odd elements, by symmetry:
//
//     E[k] = (Z[k] + conj Z[h-k]) / 2      O[k] = (Z[k] - conj Z[h-k]) / 2i
//     X[k] = E[k] + exp(-i pi k / h) O[k]   for k = 0..h, where Z[h] is Z[0]
//
// The way back computes E and O from X by the same equations and Z[k] = E[k] + i O[k]. A line of
// odd length is transformed as complex numbers.
//
// Inverse transforms run the forward plan with real and imaginary parts swapped: with s(x) = i
// conj(x), which is that swap, the transform of s(x) is s of the inverse transform of x, but for
// the factor 1 / length.

#include "shardwise/execute/thunks/LineTransform.h"

#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {

Lines Lines::along(std::span<const int64_t> shape, size_t dim) {
  int64_t inner = elementCount(shape.subspan(dim + 1));
  int64_t outer = elementCount(shape.first(dim));
  // Lines along the last dimension follow each other at one distance: one group has them all, and
  // blocks of lanes never end at the end of a group.
  if (inner == 1)
    return {1, 0, outer, shape[dim], 1};
  return {outer, shape[dim] * inner, inner, 1, inner};
}

void LineTransform::run(const std::byte *source, std::byte *target, bool isInverse,
                        std::byte *scratch) const {
  double factor = isInverse ? 1.0 / static_cast<double>(plan.length()) : 1.0;
  forBlocks([&](int64_t offset, int64_t width) {
    const std::byte *from = source + offset * 2 * partBytes;
    std::byte *to = target + offset * 2 * partBytes;
    // A divided plan takes one line at a time, and loads and stores it in pieces.
    if (plan.isDivided())
      return runDivided(from, to, factor, isInverse, scratch);
    SplitArray values = array(scratch, width);
    kernels->load(from, lines.elementStride, lines.lineStride, plan.length(), width,
                  turned(values, isInverse));
    values = plan.run(values, width, scratch + arrayBytes(width));
    values = turned(values, isInverse);
    // All of the block was read before this writes: source and target may be the same.
    kernels->store({values.re, values.im}, plan.length(), width, to, lines.elementStride,
                   lines.lineStride, factor);
  });
}

void LineTransform::runDivided(const std::byte *source, std::byte *target, double factor,
                               bool isInverse, std::byte *scratch) const {
  // The plan sees the line as a matrix: `width` neighbours are the lanes, rows are `stride`
  // elements of the line apart.
  auto load = [&](int64_t first, int64_t stride, int64_t count, int64_t width, SplitArray block) {
    kernels->load(source + first * lines.elementStride * 2 * partBytes,
                  stride * lines.elementStride, lines.elementStride, count, width,
                  turned(block, isInverse));
  };
  auto store = [&](int64_t first, int64_t stride, int64_t count, int64_t width, SplitArray block) {
    block = turned(block, isInverse);
    kernels->store({block.re, block.im}, count, width,
                   target + first * lines.elementStride * 2 * partBytes,
                   stride * lines.elementStride, lines.elementStride, factor);
  };
  plan.runLine(load, store, scratch);
}

RealTransform::RealTransform(runtime::DataType parts, int64_t length, int64_t numLines)
    : LineTransform(parts, length % 2 == 0 ? length / 2 : length, {1, 0, numLines, length, 1}),
      parts(parts), length(length), isEven(length % 2 == 0) {}

int64_t RealTransform::tableBytes() const {
  return LineTransform::tableBytes() + FactorTable::bytes(parts, numRoots());
}

void RealTransform::makeTables() {
  LineTransform::makeTables();
  roots = FactorTable(parts, numRoots());
  for (int64_t k = 0; k < numRoots(); ++k)
    roots.setRoot(k, k, length);
}

void RealTransform::forwards(const std::byte *source, std::byte *target, std::byte *scratch) const {
  forLines([&](int64_t line, int64_t width) {
    const std::byte *from = source + line * length * partBytes;
    SplitArray values = array(scratch, width);
    SplitArray spectrum = array(scratch + arrayBytes(width), width);
    std::byte *rest = scratch + 2 * arrayBytes(width);
    if (isEven) {
      // Read as complex numbers, a line is its pairs.
      kernels->load(from, 1, length / 2, length / 2, width, values);
      values = plan.run(values, width, rest);
      kernels->unpackReal({values.re, values.im}, length / 2, width, roots.from(0), spectrum);
    } else {
      kernels->loadReal(from, 1, length, length, width, values);
      spectrum = plan.run(values, width, rest);
    }
    kernels->store({spectrum.re, spectrum.im}, numBins(), width,
                   target + line * numBins() * 2 * partBytes, 1, numBins(), 1.0);
  });
}

void RealTransform::backwards(const std::byte *source, std::byte *target,
                              std::byte *scratch) const {
  forLines([&](int64_t line, int64_t width) {
    SplitArray spectrum = array(scratch + arrayBytes(width), width);
    SplitArray values = array(scratch, width);
    std::byte *rest = scratch + 2 * arrayBytes(width);
    std::byte *to = target + line * length * partBytes;
    kernels->load(source + line * numBins() * 2 * partBytes, 1, numBins(), numBins(), width,
                  spectrum);
    if (isEven) {
      kernels->packReal({spectrum.re, spectrum.im}, length / 2, width, roots.from(0), values);
      values = turned(plan.run(turned(values, true), width, rest), true);
      // A transform of h = length / 2 was inverted, so h is what is divided by.
      kernels->store({values.re, values.im}, length / 2, width, to, 1, length / 2,
                     2.0 / static_cast<double>(length));
    } else {
      // X[length - k] = conj X[k] gives the half of the spectrum that was not stored.
      kernels->mirror(spectrum, length, width);
      values = turned(plan.run(turned(spectrum, true), width, rest), true);
      kernels->storeReal({values.re, values.im}, length, width, to, 1, length,
                         1.0 / static_cast<double>(length));
    }
  });
}

} // namespace shardwise::execute
