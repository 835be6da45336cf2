// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions, reductions, windows, sorting and linear algebra: partial results are combined by
// the reshard behind the op, so the op itself only gets local types.

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

namespace {

/// Groups that are cut leave fewer groups on each device.
llvm::LogicalResult convolution(mlir::Operation *op, LocalProgram &program) {
  auto conv = mlir::cast<stablehlo::ConvolutionOp>(op);
  auto lhs = mlir::cast<mlir::RankedTensorType>(conv.getLhs().getType());
  auto kernel = mlir::cast<mlir::RankedTensorType>(conv.getRhs().getType());
  auto result = mlir::cast<mlir::RankedTensorType>(conv->getResult(0).getType());
  auto numbers = conv.getDimensionNumbers();
  if (conv.getFeatureGroupCount() > 1) {
    // Each group has as many input features as the kernel.
    int64_t features = lhs.getDimSize(numbers.getInputFeatureDimension());
    int64_t perGroup = kernel.getDimSize(numbers.getKernelInputFeatureDimension());
    conv.setFeatureGroupCount(perGroup == 0 ? 1 : features / perGroup);
  }
  if (conv.getBatchGroupCount() > 1) {
    int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
    int64_t perGroup = result.getDimSize(numbers.getOutputBatchDimension());
    conv.setBatchGroupCount(perGroup == 0 ? 1 : batch / perGroup);
  }
  return llvm::success();
}

} // namespace

void addNumericForms(LocalFormRegistry &registry) {
  using namespace stablehlo;
  registry.add<ConvolutionOp>(convolution);
  registry.add<DotOp, DotGeneralOp, ReduceOp, ReduceWindowOp, SelectAndScatterOp, SortOp>(keepForm);
  registry.add<chlo::TopKOp>(keepForm);
  registry.add<BatchNormInferenceOp, CholeskyOp, FftOp, TriangularSolveOp>(keepForm);
}

} // namespace shardwise::partition
