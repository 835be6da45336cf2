// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-merge-reductions: addends that are reduced by themselves are added first and reduced
// once. A sum of sums over devices is the sum over devices of the sums, so the result is the same,
// but for the order of additions.
//   %0 = sdy.reshard %a <@m, [{"x"}]>       // %a, %b: [{"x"}], unreduced={"y"}
//   %1 = sdy.reshard %b <@m, [{"x"}]>
//   %2 = stablehlo.add %0, %1
// becomes
//   %0 = stablehlo.add %a, %b               // [{"x"}], unreduced={"y"}
//   %1 = sdy.reshard %0 <@m, [{"x"}]>
// It is done at an op that is linear in both operands if
//   1. each operand is a reduced value that nothing else needs (PartialSums.h), by a reduction of
//      its own;
//   2. both partial values have one placement on one mesh;
//   3. the reduced values and the result have one placement.

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
  mlir::Attribute resultMesh = program.meshOf(result);
  if (first->mesh != second->mesh || (resultMesh && resultMesh != first->mesh))
    return;
  if (!core::isSamePlacement(first->partialPlacement, second->partialPlacement) ||
      !core::isSamePlacement(target, program.placementOf(second->value)) ||
      !core::isSamePlacement(target, program.placementOf(result)))
    return;
  sdy::TensorShardingAttr partial = program.attributeFor(first->partialPlacement, first->mesh);
  removeReduction(*first, program);
  removeReduction(*second, program);
  sdy::setSharding(result, partial);
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto reshard = sdy::ReshardOp::create(builder, op->getLoc(), result.getType(), result,
                                        program.attributeFor(target, resultMesh));
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
