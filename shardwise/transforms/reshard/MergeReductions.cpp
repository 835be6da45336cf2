// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: reductions of two addends become one reduction of their sum.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/transforms/reshard/PartialSums.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Builders.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_MERGEREDUCTIONS
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

/// Merges at `op`, which is linear in its two operands, if both allow it.
void mergeAt(mlir::Operation *op, ShardedProgram &program) {
  std::optional<ReducedValue> first = findReduction(op->getOperand(0), program);
  std::optional<ReducedValue> second = findReduction(op->getOperand(1), program);
  if (!first || !second || first->reduction == second->reduction)
    return;
  mlir::Value result = op->getResult(0);
  core::Sharding target = program.placementOf(first->value);
  if (!core::isSamePlacement(first->partialPlacement, second->partialPlacement) ||
      !core::isSamePlacement(target, program.placementOf(second->value)) ||
      !core::isSamePlacement(target, program.placementOf(result)))
    return;
  sdy::TensorShardingAttr partial = program.attributeFor(first->partialPlacement);
  removeReduction(*first, program);
  removeReduction(*second, program);
  sdy::setSharding(result, partial);
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto reshard = sdy::ReshardOp::create(builder, op->getLoc(), result.getType(), result,
                                        program.attributeFor(target));
  result.replaceAllUsesExcept(reshard.getResult(), reshard);
}

struct MergeReductionsPass : impl::MergeReductionsBase<MergeReductionsPass> {
  void runOnOperation() override {
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    llvm::SmallVector<mlir::Operation *> sums;
    getOperation().walk([&](mlir::Operation *op) {
      if (rules::linearOperands(op) == rules::LinearOperands{0, 1})
        sums.push_back(op);
    });
    // In program order: a merged sum can be an addend of the next one.
    for (mlir::Operation *op : sums)
      mergeAt(op, *program);
    mergeReductionsOfLoops(getOperation(), *program);
  }
};

} // namespace

} // namespace shardwise::reshard
