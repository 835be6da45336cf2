// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution. A spatial dimension is seen as windows times kernel: where the windows are cut, a
// device needs what its windows reach of its neighbours' elements; where the kernel is cut, results
// are partial, and a device needs what its part of the kernel meets in all windows. The larger of
// both may be cut; so may batches, groups and features.
//
// Example: 2x8x8x3 with a 3x3x3x16 kernel to 2x6x6x16 is
// `([i, j, k, l], [n, o, l, m])->([i, j, k, m])`, where i is the batch, j and k the windows, l the
// input features (a reduction), m the output features. Six windows use the eight positions up, so
// the kernel's spatial dimensions n and o have nothing to pair with: size 1.
//
// The gradient by the filter is a convolution whose kernel is as large as its input, with few
// windows: there, the kernel is cut.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/rules/SheetTable.h"

#include <algorithm>
#include <numeric>

namespace shardwise::rules {

namespace {

/// Adds the factors of spatial dimension number `i`, the larger of both first so that it stays
/// the one that a sharding of the dimension reaches. For the partitioner it is the only one, since
/// the other is no block of the dimension.
void addSpatialFactors(RuleBuilder &builder, stablehlo::ConvolutionOp op, size_t i,
                       RuleOptions options) {
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
  bool areWindowsFirst = numWindows >= kernelSize;
  if (areWindowsFirst)
    addWindows();
  if (!areWindowsFirst || !options.forPartition)
    addKernel();
  if (!areWindowsFirst && !options.forPartition)
    addWindows();
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
      addSpatialFactors(builder, op, i, options);
  if (featureGroups > 1)
    builder.addFactor({lhsFeature, kernelOutput}, {resultFeature}, featureGroups);
  builder.addFactor({lhsFeature, kernelInput}, {kNoDim}, kernelShape[kernelInput], kReduction);
  // What the groups leave of the output features.
  int64_t rest = resultShape[resultFeature] / (batchGroups * featureGroups);
  if (rest > 1)
    builder.addFactor({kNoDim, kernelOutput}, {resultFeature}, rest);
  return builder.build();
}

/// What windows, and elements of the kernel, read of spatial dimension number `i`.
void addSpatialWindows(FactorUses &uses, stablehlo::ConvolutionOp op, int64_t i) {
  auto dims = op.getDimensionNumbers();
  int64_t lhsDim = dims.getInputSpatialDimensions()[i];
  int64_t kernelDim = dims.getKernelSpatialDimensions()[i];
  int64_t resultDim = dims.getOutputSpatialDimensions()[i];
  int64_t size = shapeOf(op.getLhs())[lhsDim];
  int64_t numWindows = shapeOf(op->getResult(0))[resultDim];
  stablehlo::WindowDim window = stablehlo::windowDim(op, i);
  if (window.size == 0 || numWindows == 0)
    return;
  const core::ShardingRule &rule = uses.rule();
  if (auto *read = uses.addWindow(0, lhsDim, size, rule.results[0], resultDim, numWindows,
                                  {window.stride, window.low, window.span(), window.baseDilation}))
    read->mayDrift = true;
  // Element k of the kernel meets one position of each window; reversed, the last one comes first.
  core::Window ofKernel{window.windowDilation, window.low, (numWindows - 1) * window.stride + 1,
                        window.baseDilation};
  if (window.isReversed) {
    ofKernel.stride = -window.windowDilation;
    ofKernel.low -= (window.size - 1) * window.windowDilation;
  }
  if (isBoolean(op->getResult(0)))
    return;
  // Windows meet a block of the kernel from its first position on. Where two blocks begin at
  // positions that no number of windows and elements brings together, one of them may meet no
  // element at all.
  if (auto *read =
          uses.addWindow(0, lhsDim, size, rule.operands[1], kernelDim, window.size, ofKernel))
    read->mayDrift = window.windowDilation % std::gcd(window.stride, window.baseDilation) == 0;
}

/// Sums over parts of the input features or of the kernel add up, except on booleans.
void convolutionUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<stablehlo::ConvolutionOp>(operation);
  auto dims = op.getDimensionNumbers();
  const core::ShardingRule &rule = uses.rule();
  // A part of the kernel might fit where the kernel fits nowhere.
  auto result = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  bool isEmpty = result.getNumElements() == 0;
  if (!isBoolean(op->getResult(0)))
    uses.combineReductions(core::ReductionKind::Sum, [&](core::FactorIndex factor) {
      int64_t lhsDim = dimOf(rule.operands[0], factor);
      if (lhsDim == dims.getInputFeatureDimension())
        return true;
      // A part of the kernel that is minor to the windows is no block of the input.
      return !isEmpty && lhsDim != kNoDim && rule.operands[0][lhsDim].front() == factor;
    });
  for (size_t i = 0; i < dims.getInputSpatialDimensions().size(); ++i)
    addSpatialWindows(uses, op, static_cast<int64_t>(i));
}

} // namespace

void addConvolutionSheet(SheetTable &table) {
  table.add<stablehlo::ConvolutionOp>(
      withWindows({ruleOf<convolution>, convolutionUses, linearInEither}));
}

} // namespace shardwise::rules
