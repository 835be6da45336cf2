// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batch_norm ops. Tensors of f16 and bf16 are computed in f32.

#include "shardwise/execute/kernels/BatchNormKernels.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {
namespace {

enum class Mode { Inference, Training, Gradient };

class BatchNormThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    auto in = [&](size_t operand) { return frame.at(operands[operand]); };
    auto out = [&](size_t number) { return frame.at(results[number]); };
    std::byte *work = frame.at(scratch);
    switch (mode) {
    case Mode::Inference:
      kernels->inference(shape, in(0), in(1), in(2), in(3), in(4), epsilon, out(0), work);
      break;
    case Mode::Training:
      kernels->training(shape, in(0), in(1), in(2), epsilon, out(0), out(1), out(2), work);
      break;
    case Mode::Gradient:
      kernels->gradient(shape, in(0), in(1), in(2), in(3), in(4), epsilon, out(0), out(1), out(2),
                        work);
      break;
    }
    return {};
  }
  std::string name() const override { return "batch_norm"; }

  Mode mode = Mode::Inference;
  const BatchNormKernels *kernels = nullptr;
  FeatureShape shape;
  double epsilon = 0;
  std::vector<BufferId> operands, results;
  BufferId scratch = -1;
};

template <class Op> LogicalResult lowerBatchNorm(FunctionLowering &lowering, Op op, Mode mode) {
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
  return lowerBatchNorm(lowering, op, Mode::Inference);
}
LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormTrainingOp op) {
  return lowerBatchNorm(lowering, op, Mode::Training);
}
LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormGradOp op) {
  return lowerBatchNorm(lowering, op, Mode::Gradient);
}

} // namespace shardwise::execute
