// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: reductions of two addends become one reduction of their sum.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/export/InsertExplicitReshardsProgram.h"
#include "shardwise/transforms/partition/Passes.h"

#include "mlir/IR/Builders.h"

namespace shardwise::transforms {

#define GEN_PASS_DEF_MERGEREDUCTIONS
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

/// Returns the reshard that gives `value` and reduces a partial sum that nothing else uses.
sdy::ReshardOp reductionOf(mlir::Value value, ShardedProgram &program) {
  auto reshard = value.getDefiningOp<sdy::ReshardOp>();
  if (!reshard || !reshard->hasOneUse() || !reshard.getInput().hasOneUse())
    return {};
  const core::Sharding &source = program.placementOf(reshard.getInput());
  const core::Sharding &target = program.placementOf(reshard.getResult());
  bool isSum = source.reduction == core::ReductionKind::Sum && !source.unreduced.empty();
  return isSum && target.unreduced.empty() ? reshard : sdy::ReshardOp();
}

/// Merges at `op`, an addition or subtraction, if both operands allow it.
void mergeAt(mlir::Operation *op, ShardedProgram &program) {
  sdy::ReshardOp first = reductionOf(op->getOperand(0), program);
  sdy::ReshardOp second = reductionOf(op->getOperand(1), program);
  if (!first || !second || first == second)
    return;
  const core::Sharding &source = program.placementOf(first.getInput());
  const core::Sharding &target = program.placementOf(first.getResult());
  mlir::Value result = op->getResult(0);
  // On booleans the addition is an "or", whose partial values combine otherwise.
  if (mlir::cast<mlir::RankedTensorType>(result.getType()).getElementType().isInteger(1) ||
      !core::isSamePlacement(source, program.placementOf(second.getInput())) ||
      !core::isSamePlacement(target, program.placementOf(second.getResult())) ||
      !core::isSamePlacement(target, program.placementOf(result)))
    return;
  op->setOperands({first.getInput(), second.getInput()});
  sdy::TensorShardingAttr targetSharding = first.getSharding();
  sdy::setSharding(result, program.attributeFor(source));
  first.erase();
  second.erase();
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto reshard =
      sdy::ReshardOp::create(builder, op->getLoc(), result.getType(), result, targetSharding);
  result.replaceAllUsesExcept(reshard.getResult(), reshard);
}

struct MergeReductionsPass : impl::MergeReductionsBase<MergeReductionsPass> {
  void runOnOperation() override {
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    llvm::SmallVector<mlir::Operation *> sums;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<stablehlo::AddOp, stablehlo::SubtractOp>(op))
        sums.push_back(op);
    });
    // In program order: a merged sum can be an addend of the next one.
    for (mlir::Operation *op : sums)
      mergeAt(op, *program);
  }
};

} // namespace

} // namespace shardwise::transforms
