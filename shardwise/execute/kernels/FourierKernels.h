// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of several lines at once. Real and imaginary parts lie in separate arrays, and
// element j of line l is at `j * lanes + l`, so that every loop runs over neighbouring elements.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstddef>
#include <cstdint>

namespace shardwise::execute {

/// Complex numbers in two arrays of f32 or f64.
struct SplitArray {
  void *re;
  void *im;
};
/// The same for reading.
struct ConstSplitArray {
  const void *re;
  const void *im;
};

/// One pass of a self-sorting transform (T. G. Stockham, 1966). The line is seen as [radix, rest,
/// stride]; `twiddles` has radix - 1 factors for each of the `rest` positions.
struct FourierPass {
  int64_t radix = 2, rest = 1, stride = 1;
  ConstSplitArray twiddles{};
  ConstSplitArray roots{}; ///< The radix-th roots of one.
};

/// Kernels on f32 or f64 parts.
struct FourierKernels {
  /// Reads `source`, writes `target`; `lanes` lines.
  void (*pass)(const FourierPass &pass, int64_t lanes, ConstSplitArray source, SplitArray target);
  /// values[i] *= factors[i / lanes], conjugated if asked for.
  void (*scaleRows)(SplitArray values, ConstSplitArray factors, int64_t rows, int64_t lanes,
                    bool isConjugated);
  /// values[i * lanes + l] *= rowFactors[i] * factors[i * factorLanes + l].
  void (*twiddle)(SplitArray values, ConstSplitArray factors, int64_t factorLanes,
                  ConstSplitArray rowFactors, int64_t rowStride, int64_t rows, int64_t lanes);
  /// Moves lines between interleaved complex numbers and split arrays. Element j of line l is at
  /// `j * elementStride + l * lineStride`, in complex numbers.
  void (*load)(const void *source, int64_t elementStride, int64_t lineStride, int64_t count,
               int64_t lanes, SplitArray target);
  void (*store)(ConstSplitArray source, int64_t count, int64_t lanes, void *target,
                int64_t elementStride, int64_t lineStride, double factor);
  /// The same for real numbers; the imaginary part is loaded as zero, or not stored.
  void (*loadReal)(const void *source, int64_t elementStride, int64_t lineStride, int64_t count,
                   int64_t lanes, SplitArray target);
  void (*storeReal)(ConstSplitArray source, int64_t count, int64_t lanes, void *target,
                    int64_t elementStride, int64_t lineStride, double factor);
  /// Copies a matrix of one part each: target[c * rows + r] = source[r * stride + c].
  void (*transpose)(const void *source, int64_t stride, int64_t rows, int64_t columns,
                    void *target);
  /// Copies rows of `lanes` elements between two distances.
  void (*copyRows)(const void *source, int64_t sourceStride, int64_t rows, int64_t lanes,
                   void *target, int64_t targetStride);
  /// From the transform z of the pairs of a real line of even length 2 * half to its spectrum, of
  /// half + 1 rows; and back. `roots` are the first half + 1 powers of exp(-i pi / half).
  void (*unpackReal)(ConstSplitArray z, int64_t half, int64_t lanes, ConstSplitArray roots,
                     SplitArray spectrum);
  void (*packReal)(ConstSplitArray spectrum, int64_t half, int64_t lanes, ConstSplitArray roots,
                   SplitArray z);
  /// Rows length / 2 + 1 and on of the spectrum of a real line, from the rows that mirror them.
  void (*mirror)(SplitArray spectrum, int64_t length, int64_t lanes);
};

/// Returns the kernels for parts of `type`, f32 or f64; null for any other.
const FourierKernels *findFourierKernels(runtime::DataType type);

} // namespace shardwise::execute
