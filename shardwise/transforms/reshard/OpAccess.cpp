// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of ways through memory, by op.

#include "shardwise/transforms/reshard/OpAccess.h"

#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

namespace shardwise::reshard {

using planner::Access;

namespace {

/// Whether rows stay whole: the last dimension of more than one element does not move.
bool keepsRows(stablehlo::TransposeOp op) {
  core::Shape shape = shapeOf(op.getResult());
  auto permutation = op.getPermutation();
  // Dimensions of one element may be anywhere.
  int64_t last = 0, lastOfOperand = 0;
  for (auto [dim, from] : llvm::enumerate(permutation)) {
    if (shape[dim] == 1)
      continue;
    last = from;
    lastOfOperand = std::max(lastOfOperand, from);
  }
  return last == lastOfOperand;
}

/// Elements of a run of a patch: what the innermost dimension of the input has of it, and of a
/// dimension around features or batch entries what a line of the kernel, or of the result, has.
int64_t elementsOfRun(stablehlo::ConvolutionOp op,
                      llvm::function_ref<core::Shape(mlir::Value)> shapeOf) {
  auto dims = op.getDimensionNumbers();
  core::Shape input = shapeOf(op.getLhs());
  core::Shape kernel = shapeOf(op.getRhs());
  core::Shape result = shapeOf(op.getResult());
  auto innermost = static_cast<int64_t>(input.size()) - 1;
  int64_t features = kernel[dims.getKernelInputFeatureDimension()];
  int64_t batch = result[dims.getOutputBatchDimension()];
  bool areFeaturesInside = innermost == dims.getInputFeatureDimension();
  bool isBatchInside = innermost == dims.getInputBatchDimension();
  if (dims.getInputSpatialDimensions().empty())
    return areFeaturesInside ? features : batch;
  int64_t taps = kernel[dims.getKernelSpatialDimensions().back()];
  int64_t positions = result[dims.getOutputSpatialDimensions().back()];
  int64_t last = dims.getInputSpatialDimensions().back();
  stablehlo::WindowDim window =
      stablehlo::windowDim(op, static_cast<int64_t>(dims.getInputSpatialDimensions().size()) - 1);
  bool isLineDense = last == innermost - 1 && window.baseDilation == 1;
  if (areFeaturesInside)
    return isLineDense && window.windowDilation == 1 && features == input.back() ? features * taps
                                                                                 : features;
  if (isBatchInside)
    return isLineDense && window.stride == 1 && batch == input.back() ? batch * positions : batch;
  return last == innermost ? std::max(taps, positions) : 1;
}

} // namespace

std::optional<Access> accessOf(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Access>>(op)
      .Case<stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp,
            stablehlo::PadOp, stablehlo::ConcatenateOp>([](auto) { return Access::Copy; })
      .Case([](stablehlo::TransposeOp transpose) {
        return keepsRows(transpose) ? Access::Copy : Access::Transpose;
      })
      .Case([](stablehlo::ReverseOp reverse) {
        auto last = shapeOf(reverse.getResult()).size();
        return llvm::is_contained(reverse.getDimensions(), static_cast<int64_t>(last) - 1)
                   ? Access::Transpose
                   : Access::Copy;
      })
      .Case<stablehlo::ReduceOp>([](auto) { return Access::Reduce; })
      .Case<stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp>(
          [](auto) { return Access::Window; })
      .Case<stablehlo::GatherOp, stablehlo::ScatterOp>([](auto) { return Access::Gather; })
      .Default(std::nullopt);
}

bool isMovement(mlir::Operation *op) {
  std::optional<Access> access = accessOf(op);
  return access == Access::Copy || access == Access::Transpose ||
         mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::IotaOp, stablehlo::ReshapeOp,
                   stablehlo::OptimizationBarrierOp, stablehlo::GatherOp>(op);
}

planner::PatchCopies patchesPerTerm(stablehlo::ConvolutionOp op,
                                    llvm::function_ref<core::Shape(mlir::Value)> shapeOf) {
  auto dims = op.getDimensionNumbers();
  auto groups = static_cast<int64_t>(op.getFeatureGroupCount() * op.getBatchGroupCount());
  int64_t dim = dims.getKernelOutputFeatureDimension();
  // Groups are cut before the features of one are.
  int64_t features =
      std::min(reshard::shapeOf(op.getRhs())[dim] / groups, shapeOf(op.getRhs())[dim]);
  double elements = 1 / static_cast<double>(std::max<int64_t>(1, features));
  int64_t run = std::max<int64_t>(1, elementsOfRun(op, shapeOf));
  return {static_cast<double>(elementBytesOf(op.getLhs())) * elements,
          elements / static_cast<double>(run)};
}

} // namespace shardwise::reshard
