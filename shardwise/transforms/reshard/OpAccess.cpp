// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of ways through memory, by op.

#include "shardwise/transforms/reshard/OpAccess.h"

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

namespace shardwise::reshard {

using planner::Access;

namespace {

/// A vector of the processor, a sector of memory: less is not moved faster.
constexpr double kLeastBytesAtOnce = 32;

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

double patchBytesPerTerm(stablehlo::ConvolutionOp op, const core::Shape &input,
                         const core::Shape &kernel) {
  auto dims = op.getDimensionNumbers();
  auto groups = static_cast<int64_t>(op.getFeatureGroupCount() * op.getBatchGroupCount());
  int64_t features = shapeOf(op.getRhs())[dims.getKernelOutputFeatureDimension()];
  // Groups are cut before the features of one are.
  features = std::max<int64_t>(
      1, std::min(features / groups, kernel[dims.getKernelOutputFeatureDimension()]));
  auto bytes = static_cast<double>(elementBytesOf(op.getLhs()));
  double bytesAtOnce = bytes * static_cast<double>(input.empty() ? 1 : input.back());
  return bytes / static_cast<double>(features) * std::max(1.0, kLeastBytesAtOnce / bytesAtOnce);
}

} // namespace shardwise::reshard
