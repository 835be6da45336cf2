// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-shorten-lives: values that a device keeps while it need not.
//   1. An op in the body of a loop goes before the loop if it computes the same in every round, and
//      its result takes the place of an operand: one that is made outside, is at least as large,
//      and has no other use. That operand then dies before the loop. An argument of a function does
//      not, and a constant takes no place.
//   2. Scalars computed of `partition_id` go before their first use.
// Inner loops come first, so that an op can leave several.

#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_SHORTENLIVES
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

bool isConstant(mlir::Operation *op) {
  return mlir::isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op);
}

/// Bytes of a tensor; 0 of what is none, or has no static shape.
int64_t bytesOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() * reshard::elementBytesOf(value) : 0;
}

/// Whether `op`, which uses `operand`, can give its result the place of it.
bool mayReplace(mlir::Operation *op, mlir::Value operand) {
  mlir::Operation *maker = operand.getDefiningOp();
  return maker && !isConstant(maker) && operand.hasOneUse() &&
         bytesOf(operand) >= bytesOf(op->getResult(0));
}

bool mayLeave(mlir::Operation &op, stablehlo::WhileOp loop) {
  auto isOutside = [&](mlir::Value operand) {
    return !loop->isAncestor(operand.getParentBlock()->getParentOp());
  };
  return op.getNumResults() == 1 && op.getNumRegions() == 0 && op.getNumOperands() > 0 &&
         !stablehlo::collectiveKind(&op) && mlir::isPure(&op) &&
         llvm::all_of(op.getOperands(), isOutside) &&
         llvm::any_of(op.getOperands(),
                      [&](mlir::Value operand) { return mayReplace(&op, operand); });
}

void hoistFrom(stablehlo::WhileOp loop) {
  for (mlir::Operation &op : llvm::make_early_inc_range(loop.getBody().front()))
    if (mayLeave(op, loop))
      op.moveBefore(loop);
}

bool isScalar(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

/// Moves the scalars of `block` that follow from where the device stands to their first uses.
void sinkPositions(mlir::Block &block) {
  llvm::SetVector<mlir::Operation *> positions;
  for (mlir::Operation &op : block) {
    auto isPosition = [&](mlir::Value operand) {
      mlir::Operation *maker = operand.getDefiningOp();
      return maker && positions.contains(maker);
    };
    auto isGiven = [&](mlir::Value operand) {
      return isPosition(operand) ||
             (operand.getDefiningOp() && isConstant(operand.getDefiningOp()));
    };
    if (mlir::isa<stablehlo::PartitionIdOp>(op) ||
        (op.getNumRegions() == 0 && mlir::isPure(&op) && llvm::all_of(op.getResults(), isScalar) &&
         llvm::any_of(op.getOperands(), isPosition) && llvm::all_of(op.getOperands(), isGiven)))
      positions.insert(&op);
  }
  // Users first: what they use goes with them.
  for (mlir::Operation *op : llvm::reverse(positions)) {
    mlir::Operation *first = nullptr;
    for (mlir::Operation *user : op->getUsers()) {
      mlir::Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!first || inBlock->isBeforeInBlock(first))
        first = inBlock;
    }
    if (first)
      op->moveBefore(first);
  }
}

class ShortenLivesPass : public impl::ShortenLivesBase<ShortenLivesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk<mlir::WalkOrder::PostOrder>(hoistFrom);
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      if (!function.isExternal())
        sinkPositions(function.getBody().front());
  }
};

} // namespace

} // namespace shardwise::partition
