// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and changing the lists of windows.

#include "shardwise/dialect/stablehlo/WindowDims.h"

#include "mlir/IR/Builders.h"

namespace shardwise::stablehlo {

namespace {

template <class T> T entryOr(std::optional<llvm::ArrayRef<T>> values, int64_t dim, T otherwise) {
  return values && !values->empty() ? (*values)[dim] : otherwise;
}

void readPadding(std::optional<mlir::DenseIntElementsAttr> padding, int64_t dim,
                 WindowDim &window) {
  if (!padding)
    return;
  auto values = padding->getValues<int64_t>();
  window.low = values[2 * dim];
  window.high = values[2 * dim + 1];
}

} // namespace

WindowDim windowDim(ConvolutionOp op, int64_t spatial) {
  WindowDim window;
  int64_t kernelDim = op.getDimensionNumbers().getKernelSpatialDimensions()[spatial];
  window.size = mlir::cast<mlir::ShapedType>(op.getRhs().getType()).getDimSize(kernelDim);
  window.stride = entryOr<int64_t>(op.getWindowStrides(), spatial, 1);
  window.baseDilation = entryOr<int64_t>(op.getLhsDilation(), spatial, 1);
  window.windowDilation = entryOr<int64_t>(op.getRhsDilation(), spatial, 1);
  window.isReversed = entryOr<bool>(op.getWindowReversal(), spatial, false);
  readPadding(op.getPadding(), spatial, window);
  return window;
}

WindowDim windowDim(ReduceWindowOp op, int64_t dim) {
  WindowDim window;
  window.size = op.getWindowDimensions()[dim];
  window.stride = entryOr<int64_t>(op.getWindowStrides(), dim, 1);
  window.baseDilation = entryOr<int64_t>(op.getBaseDilations(), dim, 1);
  window.windowDilation = entryOr<int64_t>(op.getWindowDilations(), dim, 1);
  readPadding(op.getPadding(), dim, window);
  return window;
}

WindowDim windowDim(SelectAndScatterOp op, int64_t dim) {
  WindowDim window;
  window.size = entryOr<int64_t>(op.getWindowDimensions(), dim, 1);
  window.stride = entryOr<int64_t>(op.getWindowStrides(), dim, 1);
  readPadding(op.getPadding(), dim, window);
  return window;
}

mlir::DenseIntElementsAttr withPadding(mlir::DenseIntElementsAttr padding, int64_t numDims,
                                       int64_t dim, int64_t low, int64_t high,
                                       mlir::MLIRContext *context) {
  llvm::SmallVector<int64_t> values(2 * numDims);
  if (padding)
    values.assign(padding.getValues<int64_t>().begin(), padding.getValues<int64_t>().end());
  values[2 * dim] = low;
  values[2 * dim + 1] = high;
  auto type = mlir::RankedTensorType::get({numDims, 2}, mlir::IntegerType::get(context, 64));
  return mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(values));
}

} // namespace shardwise::stablehlo
