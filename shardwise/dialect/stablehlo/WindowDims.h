// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dimension of the window of a convolution, reduce_window or select_and_scatter, whose
// attributes are lists of which any may be left out.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::stablehlo {

/// The window along one dimension, with the meanings of the specification.
struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t low = 0;
  int64_t high = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
  bool isReversed = false;

  /// Positions from the first to the last that a window covers.
  int64_t span() const { return size == 0 ? 0 : (size - 1) * windowDilation + 1; }
};

/// Returns the window along spatial dimension number `spatial`.
WindowDim windowDim(ConvolutionOp op, int64_t spatial);
/// Returns the window along dimension `dim`.
WindowDim windowDim(ReduceWindowOp op, int64_t dim);
WindowDim windowDim(SelectAndScatterOp op, int64_t dim);

/// Returns `padding`, which is that of `numDims` dimensions or null, with dimension `dim` changed.
mlir::DenseIntElementsAttr withPadding(mlir::DenseIntElementsAttr padding, int64_t numDims,
                                       int64_t dim, int64_t low, int64_t high,
                                       mlir::MLIRContext *context);

} // namespace shardwise::stablehlo
