// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result shapes of the ops, as functions of shapes and attributes alone (StableHLO
// specification). Verifiers, builders and passes that change shapes share them. A size may
// be `kDynamic`; whatever depends on it is then `kDynamic` too and not checked.

#pragma once

#include "shardwise/support/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>

namespace shardwise::stablehlo {

using Shape = llvm::SmallVector<int64_t, 6>;
using ShapeRef = llvm::ArrayRef<int64_t>;
using DimsRef = llvm::ArrayRef<int64_t>;

/// A size that is not known; the value MLIR uses.
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

/// Sum that stops at the largest or smallest number: sizes come from attributes of any value.
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum))
    return sum;
  return a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min() + 1;
}
/// Product of the same kind.
inline int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product))
    return product;
  return (a > 0) == (b > 0) ? std::numeric_limits<int64_t>::max()
                            : std::numeric_limits<int64_t>::min() + 1;
}

/// True if the sizes are equal or one is not known.
inline bool sizesMatch(int64_t a, int64_t b) {
  return a == b || a == kDynamic || b == kDynamic;
}
/// The same for whole shapes.
bool shapesMatch(ShapeRef a, ShapeRef b);
/// Fails unless all of `dims` are unique and in [0, rank). `what` names them in the message.
Result<void> checkDims(DimsRef dims, int64_t rank, const char *what);

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

/// Fails unless operand dimension i has size 1 or that of result dimension `dims[i]`.
Result<void> checkBroadcastInDim(ShapeRef operand, DimsRef dims, ShapeRef result);
/// Fails unless both have equally many elements.
Result<void> checkReshape(ShapeRef operand, ShapeRef result);
/// Result dimension i is operand dimension `permutation[i]`.
Result<Shape> transposeShape(ShapeRef operand, DimsRef permutation);
/// ceil((limit - start) / stride) in every dimension. Fails unless 0 <= start <= limit <= size.
Result<Shape> sliceShape(ShapeRef operand, DimsRef start, DimsRef limit, DimsRef strides);
/// The slice sizes. Fails if one exceeds its dimension.
Result<Shape> dynamicSliceShape(ShapeRef operand, int64_t numStartIndices, DimsRef sliceSizes);
/// The shape of the operand. Fails if the update exceeds it.
Result<Shape> dynamicUpdateSliceShape(ShapeRef operand, ShapeRef update, int64_t numStartIndices);
/// Sizes along `dim` added up; all others must be equal.
Result<Shape> concatenateShape(llvm::ArrayRef<ShapeRef> inputs, int64_t dim);
/// low + size + high, and `interior` between each two elements. Fails if that is negative; low and
/// high alone may be.
Result<Shape> padShape(ShapeRef operand, DimsRef low, DimsRef high, DimsRef interior);

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// The dimension lists of a dot_general.
struct DotDims {
  DimsRef lhsBatching, rhsBatching, lhsContracting, rhsContracting;
};
/// Batching sizes, then the remaining sizes of lhs, then those of rhs.
Result<Shape> dotGeneralShape(ShapeRef lhs, ShapeRef rhs, const DotDims &dims);

/// One dimension of a window. `low` and `high` may be negative.
struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t low = 0;
  int64_t high = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
};
using Window = llvm::SmallVector<WindowDim, 6>;

/// Number of positions of `window` on `size` elements: with D(n, d) = 0 if n = 0 else
/// (n-1)*d + 1, padded p = low + D(size, baseDilation) + high and w = D(window.size,
/// windowDilation): 0 if p = 0 or w > p, else floor((p - w) / stride) + 1.
int64_t windowOutputSize(int64_t size, const WindowDim &window);
/// Makes a window from attribute values. Empty lists mean the default: stride and dilation 1,
/// padding 0. `padding` holds (low, high) pairs. Fails if a list has a wrong length or a size,
/// stride or dilation is not positive.
Result<Window> makeWindow(ShapeRef sizes, DimsRef strides, llvm::ArrayRef<int64_t> padding,
                          DimsRef baseDilations, DimsRef windowDilations);
/// The output sizes of a window over a whole shape (reduce_window).
Result<Shape> windowShape(ShapeRef operand, const Window &window);

/// Where the dimensions of a convolution are.
struct ConvDims {
  int64_t inputBatch, inputFeature;
  DimsRef inputSpatial;
  int64_t kernelInputFeature, kernelOutputFeature;
  DimsRef kernelSpatial;
  int64_t outputBatch, outputFeature;
  DimsRef outputSpatial;
};
/// `strides`, `padding`, .. as in `makeWindow`. `numReversal` is the length of window_reversal, or
/// -1 if it is absent.
struct ConvWindow {
  DimsRef strides = {};
  llvm::ArrayRef<int64_t> padding = {};
  DimsRef lhsDilation = {}, rhsDilation = {};
  int64_t numReversal = -1;
};
/// The batch divided by `batchGroups`, the kernel's output features, and the positions of the
/// window in every spatial dimension.
Result<Shape> convolutionShape(ShapeRef lhs, ShapeRef rhs, const ConvDims &dims,
                               const ConvWindow &window, int64_t featureGroups,
                               int64_t batchGroups);

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// Dimension lists of a gather. See the op for their meaning.
struct GatherDims {
  DimsRef offset, collapsed, operandBatching, indicesBatching, indexMap;
  int64_t indexVector = 0;
};
/// The dimensions of the indices without the index vector, and at the positions `dims.offset` those
/// slice sizes that are neither collapsed nor batches.
Result<Shape> gatherShape(ShapeRef operand, ShapeRef indices, const GatherDims &dims,
                          DimsRef sliceSizes);

/// Dimension lists of a scatter.
struct ScatterDims {
  DimsRef updateWindow, inserted, inputBatching, indicesBatching, indexMap;
  int64_t indexVector = 0;
};
/// Fails unless `updates` has a window for every index, none of which exceeds the input.
Result<void> checkScatter(ShapeRef input, ShapeRef indices, ShapeRef updates,
                          const ScatterDims &dims);

//===----------------------------------------------------------------------===//
// Reductions, linear algebra, collectives
//===----------------------------------------------------------------------===//

/// The sizes of the other dimensions.
Result<Shape> reduceShape(ShapeRef operand, DimsRef dims);

/// Which transform `fftShape` is about; the codes of the attribute.
enum class FftKind { Fft, Ifft, Rfft, Irfft };
/// The trailing sizes are `lengths`, but for the side of a real transform that has n/2 + 1 in the
/// last dimension: the result of an Rfft, the operand of an Irfft.
Result<Shape> fftShape(ShapeRef operand, FftKind kind, DimsRef lengths);
/// The shape of `b`. Fails unless `a` has square matrices of the size of the rows of `b` (left
/// side) or of its columns.
Result<Shape> triangularSolveShape(ShapeRef a, ShapeRef b, bool leftSide);

/// Fails unless the result is the operand with a multiple of its size in dimension `dim`.
Result<void> checkAllGather(ShapeRef operand, ShapeRef result, int64_t dim);
/// Fails unless the operand is the result with a multiple of its size in dimension `dim`.
Result<void> checkReduceScatter(ShapeRef operand, ShapeRef result, int64_t dim);
/// The size of `splitDim` divided by `splitCount`, that of `concatDim` multiplied by it.
Result<Shape> allToAllShape(ShapeRef operand, int64_t splitDim, int64_t concatDim,
                            int64_t splitCount);

} // namespace shardwise::stablehlo
