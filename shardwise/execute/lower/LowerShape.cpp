// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data movement with known offsets (transpose, reverse, slice, pad, concatenate) and with offsets
// read at run time (dynamic slices). All are strided copies: result element i is source element
// `offset + sum(i * strides)`. Of a row-major 4x6 with strides {6, 1}:
//
//     transpose [1, 0]            6x4   strides {1, 6}    offset 0
//     reverse dim 1               4x6   strides {6, -1}   offset 5
//     slice [1:4:2, 2:6]          2x4   strides {12, 1}   offset 8
//
// pad and concatenate stride through the result instead, one copy per operand.

#include "shardwise/dialect/stablehlo/SwappedProducts.h"
#include "shardwise/execute/lower/DynamicBox.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

/// Emits one copy from `source` into all of `result`.
LogicalResult emitCopy(FunctionLowering &lowering, mlir::Value source, mlir::Value result,
                       llvm::ArrayRef<int64_t> sourceStrides, int64_t sourceOffset) {
  TensorType type = typeOf(result);
  auto thunk = std::make_unique<CopyThunk>();
  BufferId from = lowering.bufferOf(source);
  thunk->target = lowering.define(result);
  thunk->parts.push_back({from, StridedCopy(runtime::byteSize(type.type), type.shape,
                                            std::span(sourceStrides.data(), sourceStrides.size()),
                                            rowMajorStrides(type.shape), sourceOffset)});
  BufferId target = thunk->target;
  lowering.emit(std::move(thunk), from, target);
  return mlir::success();
}

} // namespace

DynamicStart startOf(FunctionLowering &lowering, mlir::ValueRange starts,
                     llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> box) {
  DynamicStart start;
  start.strides = rowMajorStrides(std::span(shape.data(), shape.size()));
  for (auto [dim, value] : llvm::enumerate(starts)) {
    start.buffers.push_back(lowering.bufferOf(value));
    start.type = typeOf(value).type;
    start.largest.push_back(shape[dim] - box[dim]);
  }
  return start;
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::TransposeOp op) {
  // The product has written what the transpose gives.
  if (auto product = op.getOperand().getDefiningOp<stablehlo::DotGeneralOp>();
      product && stablehlo::swappingTransposeOf(product) == op)
    return mlir::success();
  std::vector<int64_t> operandStrides = rowMajorStrides(typeOf(op.getOperand()).shape);
  std::vector<int64_t> strides;
  for (int64_t dim : op.getPermutation())
    strides.push_back(operandStrides[dim]);
  return emitCopy(lowering, op.getOperand(), op.getResult(), strides, 0);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::ReverseOp op) {
  TensorType type = typeOf(op.getOperand());
  std::vector<int64_t> strides = rowMajorStrides(type.shape);
  int64_t offset = 0;
  for (int64_t dim : op.getDimensions()) {
    offset += (type.shape[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  return emitCopy(lowering, op.getOperand(), op.getResult(), strides, offset);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::SliceOp op) {
  // The collective has made it.
  if (auto gather = op.getOperand().getDefiningOp<stablehlo::AllGatherOp>())
    if (onlyFrontOf(gather, op.getOperand()) == op)
      return mlir::success();
  std::vector<int64_t> strides = rowMajorStrides(typeOf(op.getOperand()).shape);
  int64_t offset = 0;
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    offset += op.getStartIndices()[dim] * strides[dim];
    strides[dim] *= op.getStrides()[dim];
  }
  return emitCopy(lowering, op.getOperand(), op.getResult(), strides, offset);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::PadOp op) {
  TensorType from = typeOf(op.getOperand());
  TensorType to = typeOf(op.getResult());
  std::vector<int64_t> sourceStrides = rowMajorStrides(from.shape);
  std::vector<int64_t> targetStrides = rowMajorStrides(to.shape);
  std::vector<int64_t> sizes(from.shape.size());
  int64_t sourceOffset = 0;
  int64_t targetOffset = 0;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    int64_t low = op.getEdgePaddingLow()[dim];
    int64_t step = op.getInteriorPadding()[dim] + 1;
    // Elements i with 0 <= low + i*step < size of the result: negative padding cuts elements off.
    // Example: low -1, interior 1 (step 2), result of 6: i from 1 (at 1) to 3 (at 5).
    int64_t first = low < 0 ? (-low + step - 1) / step : 0;
    int64_t last = to.shape[dim] - low <= 0 ? 0 : (to.shape[dim] - low + step - 1) / step;
    sizes[dim] = std::max<int64_t>(0, std::min(last, from.shape[dim]) - first);
    sourceOffset += first * sourceStrides[dim];
    targetOffset += (low + first * step) * targetStrides[dim];
    targetStrides[dim] *= step;
  }
  auto thunk = std::make_unique<CopyThunk>();
  BufferId source = lowering.bufferOf(op.getOperand());
  thunk->fill = lowering.bufferOf(op.getPaddingValue());
  BufferId target = thunk->target = lowering.define(op.getResult());
  thunk->elementBytes = runtime::byteSize(to.type);
  thunk->count = elementCount(to.shape);
  thunk->parts.push_back({source, StridedCopy(thunk->elementBytes, sizes, sourceStrides,
                                              targetStrides, sourceOffset, targetOffset)});
  BufferId reads[] = {source, thunk->fill};
  lowering.emit(std::move(thunk), reads, target);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::ConcatenateOp op) {
  TensorType to = typeOf(op.getResult());
  std::vector<int64_t> targetStrides = rowMajorStrides(to.shape);
  auto dim = static_cast<size_t>(op.getDimension());
  auto thunk = std::make_unique<CopyThunk>();
  std::vector<BufferId> sources = lowering.buffersOf(op.getInputs());
  int64_t start = 0;
  for (auto [input, source] : llvm::zip(op.getInputs(), sources)) {
    TensorType from = typeOf(input);
    thunk->parts.push_back(
        {source, StridedCopy(runtime::byteSize(to.type), from.shape, rowMajorStrides(from.shape),
                             targetStrides, 0, start * targetStrides[dim])});
    start += from.shape[dim];
  }
  BufferId target = thunk->target = lowering.define(op.getResult());
  lowering.emit(std::move(thunk), sources, target);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::DynamicSliceOp op) {
  if (auto bits = op.getOperand().getDefiningOp<stablehlo::RngBitGeneratorOp>())
    if (onlySliceOf(bits) == op)
      return lowerRandomBits(lowering, bits, op);
  TensorType from = typeOf(op.getOperand());
  TensorType to = typeOf(op.getResult());
  int64_t elementBytes = runtime::byteSize(to.type);
  BufferId source = lowering.bufferOf(op.getOperand());
  DynamicStart start = startOf(lowering, op.getStartIndices(), from.shape, op.getSliceSizes());
  BufferId target = lowering.define(op.getResult());
  std::vector<BufferId> reads = start.buffers;
  reads.push_back(source);
  StridedCopy copy(elementBytes, to.shape, rowMajorStrides(from.shape), rowMajorStrides(to.shape));
  lowering.emit(std::make_unique<DynamicSliceThunk>(source, target, std::move(start),
                                                    std::move(copy), elementBytes),
                reads, target);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::DynamicUpdateSliceOp op) {
  TensorType to = typeOf(op.getResult());
  TensorType box = typeOf(op.getUpdate());
  int64_t elementBytes = runtime::byteSize(to.type);
  BufferId operand = lowering.bufferOf(op.getOperand());
  BufferId update = lowering.bufferOf(op.getUpdate());
  DynamicStart start = startOf(lowering, op.getStartIndices(), to.shape, box.shape);
  BufferId target = lowering.define(op.getResult());
  std::vector<BufferId> reads = start.buffers;
  bool isReadOtherwise = llvm::is_contained(reads, operand) || operand == update;
  reads.push_back(operand);
  reads.push_back(update);
  StridedCopy copy(elementBytes, box.shape, rowMajorStrides(box.shape), rowMajorStrides(to.shape));
  int64_t at =
      lowering.emit(std::make_unique<DynamicUpdateThunk>(operand, update, target, std::move(start),
                                                         std::move(copy), elementBytes, to.bytes()),
                    reads, target);
  // In place if the operand dies here: only the box is written then. Not if it is the update too,
  // or holds an index, which are read while the target is written.
  if (!isReadOtherwise)
    lowering.bufferPlan().mayReplace(target, operand, at);
  return mlir::success();
}

} // namespace shardwise::execute
