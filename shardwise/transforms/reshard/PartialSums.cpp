// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognition and removal of reductions.

#include "shardwise/transforms/reshard/PartialSums.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/CommonReduction.h"
#include "shardwise/transforms/reshard/FactorUses.h"

#include "mlir/IR/TypeUtilities.h"

namespace shardwise::reshard {

namespace {

/// A sum over some dimensions, of one input, that starts from zero.
bool isPlainSum(mlir::Operation *op) {
  auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op);
  return reduce && reduce.getInputs().size() == 1 && isZero(reduce.getInitValues().front()) &&
         rules::commonReduction(reduce.getBody()) == rules::CommonReduction::Add;
}

/// Linear ops of one operand that do not make it larger.
bool isLinearMove(mlir::Operation *op) {
  return mlir::isa<stablehlo::TransposeOp, stablehlo::ReshapeOp, stablehlo::NegOp>(op) ||
         isPlainSum(op);
}

bool haveEqualDims(const core::Sharding &a, const core::Sharding &b) {
  for (size_t d = 0; d < a.dims.size(); ++d)
    if (a.dims[d].axes != b.dims[d].axes)
      return false;
  return true;
}

} // namespace

bool isLinear(mlir::Operation *op) {
  // On booleans an addition is an "or", whose partial values combine otherwise.
  if (op->getNumResults() != 1 ||
      mlir::getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
    return false;
  return mlir::isa<stablehlo::AddOp, stablehlo::SubtractOp>(op) || isLinearMove(op);
}

unsigned numLinearOperands(mlir::Operation *op) {
  return isLinearMove(op) ? 1 : 2;
}

std::optional<ReducedValue> findReduction(mlir::Value value, ShardedProgram &program) {
  ReducedValue reduced;
  reduced.value = value;
  mlir::Value at = value;
  for (;;) {
    mlir::Operation *op = at.getDefiningOp();
    if (!op || !at.hasOneUse() || op->getBlock() != value.getParentBlock())
      return std::nullopt;
    if (auto reshard = mlir::dyn_cast<sdy::ReshardOp>(op)) {
      reduced.reduction = reshard;
      break;
    }
    if (!isLinear(op) || !isLinearMove(op))
      return std::nullopt;
    reduced.moves.insert(reduced.moves.begin(), op);
    at = op->getOperand(0);
  }
  mlir::Value partial = reduced.reduction->getOperand(0);
  const core::Sharding &source = program.placementOf(partial);
  const core::Sharding &target = program.placementOf(reduced.reduction->getResult(0));
  if (!partial.hasOneUse() || source.reduction != core::ReductionKind::Sum ||
      source.unreduced.empty() || !target.unreduced.empty())
    return std::nullopt;
  if (reduced.moves.empty()) {
    reduced.partialPlacement = source;
    return reduced;
  }
  // The moves between must see the same cut with and without the reduction, and be whole
  // themselves.
  reduced.partialPlacement = program.placementOf(value);
  if (!haveEqualDims(source, target) || !reduced.partialPlacement.unreduced.empty())
    return std::nullopt;
  reduced.partialPlacement.unreduced = source.unreduced;
  return reduced;
}

mlir::Value removeReduction(const ReducedValue &reduced, ShardedProgram &program) {
  mlir::Value partial = reduced.reduction->getOperand(0);
  core::AxisList unreduced = reduced.partialPlacement.unreduced;
  reduced.reduction->getResult(0).replaceAllUsesWith(partial);
  reduced.reduction->erase();
  for (mlir::Operation *op : reduced.moves) {
    core::Sharding placement = program.placementOf(op->getResult(0));
    placement.unreduced = unreduced;
    sdy::setSharding(op->getResult(0), program.attributeFor(placement));
  }
  return reduced.moves.empty() ? partial : reduced.value;
}

} // namespace shardwise::reshard
