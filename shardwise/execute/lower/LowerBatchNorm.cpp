// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batch_norm ops. Tensors of f16 and bf16 are computed in f32.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/BatchNormThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {
namespace {

template <class Op>
LogicalResult lowerBatchNorm(FunctionLowering &lowering, Op op, BatchNormMode mode) {
  TensorType type = typeOf(op->getOperand(0));
  bool isHalf = type.type == DataType::F16 || type.type == DataType::BF16;
  DataType work = isHalf ? DataType::F32 : type.type;
  auto thunk = std::make_unique<BatchNormThunk>();
  thunk->mode = mode;
  thunk->kernels = findBatchNormKernels(work);
  thunk->epsilon = op.getEpsilon().convertToDouble();
  auto dim = static_cast<size_t>(op.getFeatureIndex());
  std::span<const int64_t> sizes(type.shape);
  thunk->shape = {elementCount(sizes.first(dim)), type.shape[dim],
                  elementCount(sizes.subspan(dim + 1))};
  for (mlir::Value operand : op->getOperands())
    thunk->operands.push_back(lowering.bufferAs(operand, work));
  thunk->scratch = lowering.scratch(batchNormScratchBytes(thunk->shape));
  for (mlir::Value result : op->getResults())
    thunk->results.push_back(lowering.defineAs(result, work));
  std::vector<BufferId> reads = thunk->operands;
  std::vector<BufferId> results = thunk->results;
  std::vector<BufferId> writes = results;
  writes.push_back(thunk->scratch);
  lowering.emit(std::move(thunk), reads, writes);
  for (auto [value, buffer] : llvm::zip(op->getResults(), results))
    lowering.finishAs(value, buffer, work);
  return mlir::success();
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormInferenceOp op) {
  return lowerBatchNorm(lowering, op, BatchNormMode::Inference);
}
LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormTrainingOp op) {
  return lowerBatchNorm(lowering, op, BatchNormMode::Training);
}
LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormGradOp op) {
  return lowerBatchNorm(lowering, op, BatchNormMode::Gradient);
}

} // namespace shardwise::execute
