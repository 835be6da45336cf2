// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What users wrote. Import copies some annotations to other values, so the value at which the
// history of an axis ends need not be the one that somebody wrote on:
//
//   written                                       the history ends at
//   --------------------------------------------  ---------------------------------
//   on an argument, a result, an op               that value
//   %c = sdy.sharding_constraint %v <[{"x"}]>     %v, if the constraint is closed
//   in_shardings of sdy.manual_computation(%v)    %v
//   on something in a function that was inlined   a constraint that stands for it

#include "shardwise/explain/Annotations.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwise::explain {

using propagate::kNoSlot;
using propagate::Slot;
using propagate::SlotId;
using propagate::SlotStorage;

WrittenShardings::WrittenShardings(ModuleOp written) {
  int64_t number = -1;
  func::FuncOp entry = stablehlo::entryFunctionOrNull(written);
  forEachNumberedOp(*written.getBody(), [&](Operation *op) {
    ++number;
    sdy::forEachShardingOf(op, [&](const sdy::ShardingPlace &place) {
      int32_t index = static_cast<int32_t>(place.index);
      switch (place.kind) {
      case sdy::ShardingPlaceKind::FunctionArgument:
      case sdy::ShardingPlaceKind::ManualOperand:
        values[{number, 0, index}] = sdy::toCore(place.sharding);
        return;
      case sdy::ShardingPlaceKind::FunctionResult:
        if (op == entry)
          results[index] = sdy::toCore(place.sharding);
        return;
      case sdy::ShardingPlaceKind::OpResult:
      case sdy::ShardingPlaceKind::ManualResult:
      case sdy::ShardingPlaceKind::Constraint:
        values[{number, -1, index}] = sdy::toCore(place.sharding);
        return;
      case sdy::ShardingPlaceKind::Reshard:
      case sdy::ShardingPlaceKind::DataFlowEdge:
      case sdy::ShardingPlaceKind::CollectiveResult:
      case sdy::ShardingPlaceKind::NamedOperand:
      case sdy::ShardingPlaceKind::NamedResult:
        // Reports show the sharding that these end with.
        return;
      }
    });
  });
}

const core::WrittenSharding *WrittenShardings::of(const ValueRef &value) const {
  if (value.isResult()) {
    auto found = results.find(value.result);
    return found == results.end() ? nullptr : &found->second;
  }
  auto found = values.find(value.id);
  return found == values.end() ? nullptr : &found->second;
}

namespace {

/// The op of a data-flow edge's value.
Operation *ownerOf(Operation *op) {
  auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op);
  if (!edge)
    return op;
  Operation *maker = edge.getInput().getDefiningOp();
  return maker ? maker : edge.getInput().getParentBlock()->getParentOp();
}

AnnotationKind kindOf(Operation *owner, const ValueId &id) {
  if (isa<sdy::ManualComputationOp>(owner))
    return id.isOpResult() ? AnnotationKind::ManualResult : AnnotationKind::ManualOperand;
  if (isa<sdy::ShardingConstraintOp>(owner))
    return AnnotationKind::Constraint;
  return id.isOpResult() ? AnnotationKind::Op : AnnotationKind::Argument;
}

Value valueIn(const Slot &slot) {
  return slot.storage == SlotStorage::FuncArgument
             ? Value(cast<func::FuncOp>(slot.op).getArgument(slot.index))
             : Value(slot.op->getResult(slot.index));
}

} // namespace

ExplainedAnnotation Annotations::ofResult(SlotId slotId) const {
  ValueRef value = slots.refOf(slotId);
  ExplainedAnnotation annotation;
  annotation.kind = AnnotationKind::Result;
  annotation.index = value.result;
  annotation.value = value.id;
  if (const core::WrittenSharding *sharding = written.of(value))
    annotation.sharding = *sharding;
  annotation.place = names.placeOf(opNumberOf(slots.graph.slots[slotId].op->getLoc()));
  return annotation;
}

SlotId Annotations::constraintCopiedTo(SlotId slotId) const {
  const Slot &slot = slots.graph.slots[slotId];
  if (slot.storage == SlotStorage::FuncResult || isa<sdy::ShardingConstraintOp>(slot.op) ||
      written.of({slots.idOf(slotId)}))
    return kNoSlot;
  for (Operation *user : valueIn(slot).getUsers())
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(user))
      if (SlotId source = slots.graph.slotOf(constraint.getResult()); source != kNoSlot)
        return source;
  return kNoSlot;
}

OpOperand *Annotations::useInManualComputation(SlotId slot) const {
  for (OpOperand &use : valueIn(slots.graph.slots[slot]).getUses())
    if (isa<sdy::ManualComputationOp>(use.getOwner()))
      return &use;
  return nullptr;
}

ExplainedAnnotation Annotations::of(SlotId slotId) const {
  const Slot &slot = slots.graph.slots[slotId];
  if (slot.storage == SlotStorage::FuncResult)
    return ofResult(slotId);
  if (SlotId constraint = constraintCopiedTo(slotId); constraint != kNoSlot)
    return of(constraint);

  ExplainedAnnotation annotation;
  annotation.value = slots.idOf(slotId);
  annotation.index = annotation.value.index;
  annotation.place = names.placeOf(annotation.value);
  if (const core::WrittenSharding *sharding = written.of({annotation.value})) {
    annotation.kind = kindOf(ownerOf(slot.op), annotation.value);
    annotation.sharding = *sharding;
    return annotation;
  }
  annotation.sharding = slots.shardingOf(slotId);
  if (isa<sdy::ShardingConstraintOp>(slot.op)) {
    annotation.kind = AnnotationKind::InlinedFunction;
  } else if (OpOperand *use = useInManualComputation(slotId)) {
    annotation.kind = AnnotationKind::ManualOperand;
    annotation.index = static_cast<int32_t>(use->getOperandNumber());
    ValueId argument{opNumberOf(use->getOwner()->getLoc()), 0, annotation.index};
    if (const core::WrittenSharding *sharding = written.of({argument}))
      annotation.sharding = *sharding;
    annotation.place = names.placeOf(argument.op);
  } else {
    annotation.kind = AnnotationKind::Op;
  }
  return annotation;
}

} // namespace shardwise::explain
