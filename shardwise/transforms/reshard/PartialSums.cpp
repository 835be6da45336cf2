// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognition and removal of reductions. From a value upwards, linear ops of one operand are passed
// until a reshard is met that makes a partial value whole:
//   %d = stablehlo.dot_general ...                    // [{"x"}, {}], unreduced={"y"}
//   %r = sdy.reshard %d <@m, [{"x"}, {}]>
//   %t = stablehlo.transpose %r                       // the value
// Since a linear op of a sum is the sum of the op on the parts, %t can be computed of %d, partial,
// and be reduced later.

#include "shardwise/transforms/reshard/PartialSums.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/rules/OpSheet.h"

namespace shardwise::reshard {

namespace {

/// Ops that are linear in their first operand alone: they move, negate or add up its elements.
/// None of them makes it larger, so that reducing later never costs more.
bool isLinearMove(mlir::Operation *op) {
  return rules::linearOperands(op) == rules::LinearOperands{0};
}

bool haveEqualDims(const core::Sharding &a, const core::Sharding &b) {
  for (size_t d = 0; d < a.dims.size(); ++d)
    if (a.dims[d].axes != b.dims[d].axes)
      return false;
  return true;
}

} // namespace

std::optional<ReducedValue> findReduction(mlir::Value value, ShardedProgram &program) {
  ReducedValue reduced;
  reduced.value = value;
  mlir::Value at = value;
  for (;;) {
    mlir::Operation *op = at.getDefiningOp();
    // With another use the reduction would stay for that, and nothing be won. In another block, it
    // may run another number of times than the value.
    if (!op || !at.hasOneUse() || op->getBlock() != value.getParentBlock())
      return std::nullopt;
    if (auto reshard = mlir::dyn_cast<sdy::ReshardOp>(op)) {
      reduced.reduction = reshard;
      break;
    }
    if (!isLinearMove(op))
      return std::nullopt;
    reduced.moves.insert(reduced.moves.begin(), op);
    at = op->getOperand(0);
  }
  mlir::Value partial = reduced.reduction->getOperand(0);
  const core::Sharding &source = program.placementOf(partial);
  const core::Sharding &target = program.placementOf(reduced.reduction->getResult(0));
  // Only sums: a maximum does not commute with what linear ops do.
  if (!partial.hasOneUse() || source.reduction != core::ReductionKind::Sum ||
      source.unreduced.empty() || !target.unreduced.empty())
    return std::nullopt;
  // What also changes the order of devices stays where it is.
  reduced.mesh = program.meshOf(partial);
  mlir::Attribute targetMesh = program.meshOf(reduced.reduction->getResult(0));
  if (targetMesh && targetMesh != reduced.mesh)
    return std::nullopt;
  if (reduced.moves.empty()) {
    reduced.partialPlacement = source;
    return reduced;
  }
  // The moves must see the same blocks with and without the reduction, so the reshard may only
  // reduce, not cut or move; and they may not be partial themselves.
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
    sdy::setSharding(op->getResult(0), program.attributeFor(placement, reduced.mesh));
  }
  return reduced.moves.empty() ? partial : reduced.value;
}

} // namespace shardwise::reshard
