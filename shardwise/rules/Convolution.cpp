// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution. A spatial dimension is seen as windows times kernel: sharding the windows needs a
// halo exchange, sharding the kernel a reduction and, as the windows overlap, a halo too. So
// spatial dimensions stay whole; batches, groups and features are cut.
//
// Example: 2x8x8x3 with a 3x3x3x16 kernel to 2x6x6x16 is
// `([i, j, k, l], [n, o, l, m])->([i, j, k, m])`, where i is the batch, j and k the windows, l the
// input features (a reduction), m the output features; i, l and m may be cut. Six windows use the
// eight positions up, so the kernel's spatial dimensions n and o have nothing to pair with: size 1.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

#include <algorithm>

namespace shardwise::rules {

namespace {

/// Adds the factors of spatial dimension number `i`, the larger of both first so that it stays
/// the one that a sharding of the dimension reaches.
void addSpatialFactors(RuleBuilder &builder, stablehlo::ConvolutionOp op, size_t i) {
  auto dims = op.getDimensionNumbers();
  int64_t lhsDim = dims.getInputSpatialDimensions()[i];
  int64_t kernelDim = dims.getKernelSpatialDimensions()[i];
  int64_t resultDim = dims.getOutputSpatialDimensions()[i];
  int64_t numWindows = shapeOf(op->getResult(0))[resultDim];
  int64_t kernelSize = shapeOf(op.getRhs())[kernelDim];
  int64_t remaining = shapeOf(op.getLhs())[lhsDim];

  // The factors of a dimension must not multiply to more than its size. Windows overlap, so windows
  // times kernel often would.
  auto clip = [&](int64_t size) {
    int64_t clipped = std::min(remaining, size);
    if (clipped > 1)
      remaining /= clipped;
    return clipped;
  };
  auto addWindows = [&] {
    if (int64_t size = clip(numWindows); size > 1)
      builder.addFactor({lhsDim, kNoDim}, {resultDim}, size, kPermutation);
  };
  auto addKernel = [&] {
    if (int64_t size = clip(kernelSize); size > 1)
      builder.addFactor({lhsDim, kernelDim}, {kNoDim}, size, kReduction);
  };
  if (numWindows >= kernelSize) {
    addWindows();
    addKernel();
  } else {
    addKernel();
    addWindows();
  }
}

core::ShardingRule convolution(stablehlo::ConvolutionOp op, RuleOptions options) {
  auto dims = op.getDimensionNumbers();
  llvm::ArrayRef<int64_t> kernelShape = shapeOf(op.getRhs());
  llvm::ArrayRef<int64_t> resultShape = shapeOf(op->getResult(0));
  int64_t lhsBatch = dims.getInputBatchDimension();
  int64_t lhsFeature = dims.getInputFeatureDimension();
  int64_t kernelInput = dims.getKernelInputFeatureDimension();
  int64_t kernelOutput = dims.getKernelOutputFeatureDimension();
  int64_t resultBatch = dims.getOutputBatchDimension();
  int64_t resultFeature = dims.getOutputFeatureDimension();
  int64_t batchGroups = op.getBatchGroupCount();
  int64_t featureGroups = op.getFeatureGroupCount();

  RuleBuilder builder(op);
  // Groups are the major part of the dimensions that they divide, so they are added first.
  if (batchGroups > 1)
    builder.addFactor({lhsBatch, kernelOutput}, {resultFeature}, batchGroups);
  builder.addFactor({lhsBatch, kNoDim}, {resultBatch}, resultShape[resultBatch]);
  if (!options.conservative)
    for (size_t i = 0; i < dims.getInputSpatialDimensions().size(); ++i)
      addSpatialFactors(builder, op, i);
  if (featureGroups > 1)
    builder.addFactor({lhsFeature, kernelOutput}, {resultFeature}, featureGroups);
  builder.addFactor({lhsFeature, kernelInput}, {kNoDim}, kernelShape[kernelInput], kReduction);
  // What the groups leave of the output features.
  int64_t rest = resultShape[resultFeature] / (batchGroups * featureGroups);
  if (rest > 1)
    builder.addFactor({kNoDim, kernelOutput}, {resultFeature}, rest);
  return builder.build();
}

/// Sums over parts of the input features add up, except on booleans.
void convolutionUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<stablehlo::ConvolutionOp>(operation);
  if (isBoolean(op->getResult(0)))
    return;
  int64_t feature = op.getDimensionNumbers().getInputFeatureDimension();
  uses.combineReductions(core::ReductionKind::Sum, [&](core::FactorIndex factor) {
    return dimOf(uses.rule().operands[0], factor) == feature;
  });
}

} // namespace

void addConvolutionSheet(SheetTable &table) {
  table.add<stablehlo::ConvolutionOp>({ruleOf<convolution>, convolutionUses, linearInEither});
}

} // namespace shardwise::rules
