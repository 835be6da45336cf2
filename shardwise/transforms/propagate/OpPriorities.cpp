// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op-priority schedule.

#include "shardwise/transforms/propagate/OpPriorities.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::propagate {

using propagation::PropagationDirection;

namespace {

/// Whether no operand, scalars aside, is used elsewhere as well.
bool hasSingleUseOperands(mlir::Operation *op) {
  return llvm::all_of(op->getOperands(), [](mlir::Value operand) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(operand.getType());
    bool isScalar = !shaped || (shaped.hasRank() && shaped.getRank() == 0);
    return isScalar || operand.hasOneUse();
  });
}

bool movesBetweenHostAndDevice(mlir::Operation *op) {
  auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
  return call &&
         (call.getCallTargetName() == "MoveToDevice" || call.getCallTargetName() == "MoveToHost");
}

} // namespace

ScheduleClass scheduleClassOf(mlir::Operation *op, bool isElementwise) {
  if (isElementwise ||
      mlir::isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, sdy::DataFlowEdgeOp,
                sdy::FuncDataFlowEdgeOp>(op) ||
      movesBetweenHostAndDevice(op))
    return ScheduleClass::Early;
  if (mlir::isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
    return ScheduleClass::Slicing;
  return mlir::isa<stablehlo::BroadcastInDimOp>(op) ? ScheduleClass::Broadcast
                                                    : ScheduleClass::Late;
}

OpDirections directionsAt(int level, const Node &node) {
  if (level >= 4)
    return kBothDirections;
  PropagationDirection early = PropagationDirection::None;
  bool isEarly = node.scheduleClass == ScheduleClass::Early;
  if ((isEarly || node.scheduleClass == ScheduleClass::Slicing) &&
      (level >= 1 || hasSingleUseOperands(node.op)))
    early = isEarly ? PropagationDirection::Both : PropagationDirection::Forward;
  OpDirections directions{early, early};
  PropagationDirection late = node.scheduleClass == ScheduleClass::Broadcast
                                  ? PropagationDirection::Backward
                                  : PropagationDirection::Both;
  if (level >= 2)
    directions.passThrough = unite(directions.passThrough, late);
  if (level >= 3)
    directions.other = unite(directions.other, late);
  return directions;
}

} // namespace shardwise::propagate
