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

using propagate::kNoValueGroup;
using propagate::ShardingStorage;
using propagate::ValueGroup;
using propagate::ValueGroupId;

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
      case sdy::ShardingPlaceKind::LocalOperand:
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

Value valueIn(const ValueGroup &group) {
  return group.storage == ShardingStorage::FuncArgument
             ? Value(cast<func::FuncOp>(group.op).getArgument(group.index))
             : Value(group.op->getResult(group.index));
}

} // namespace

ExplainedAnnotation Annotations::ofResult(ValueGroupId groupId) const {
  ValueRef value = groups.refOf(groupId);
  ExplainedAnnotation annotation;
  annotation.kind = AnnotationKind::Result;
  annotation.index = value.result;
  annotation.value = value.id;
  if (const core::WrittenSharding *sharding = written.of(value))
    annotation.sharding = *sharding;
  annotation.place = names.placeOf(opNumberOf(groups.graph.valueGroups()[groupId].op->getLoc()));
  return annotation;
}

ValueGroupId Annotations::constraintCopiedTo(ValueGroupId groupId) const {
  const ValueGroup &group = groups.graph.valueGroups()[groupId];
  // What is written on the value goes first, and a constraint is itself what was written.
  if (group.storage == ShardingStorage::FuncResult || isa<sdy::ShardingConstraintOp>(group.op) ||
      written.of({groups.idOf(groupId)}))
    return kNoValueGroup;
  for (Operation *user : valueIn(group).getUsers())
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(user))
      if (ValueGroupId source = groups.graph.groupOf(constraint.getResult());
          source != kNoValueGroup)
        return source;
  return kNoValueGroup;
}

OpOperand *Annotations::useInManualComputation(ValueGroupId group) const {
  for (OpOperand &use : valueIn(groups.graph.valueGroups()[group]).getUses())
    if (isa<sdy::ManualComputationOp>(use.getOwner()))
      return &use;
  return nullptr;
}

ExplainedAnnotation Annotations::of(ValueGroupId groupId) const {
  const ValueGroup &group = groups.graph.valueGroups()[groupId];
  if (group.storage == ShardingStorage::FuncResult)
    return ofResult(groupId);
  // At most one step further: nothing is copied to a constraint.
  if (ValueGroupId constraint = constraintCopiedTo(groupId); constraint != kNoValueGroup)
    return of(constraint);

  ExplainedAnnotation annotation;
  annotation.value = groups.idOf(groupId);
  annotation.index = annotation.value.index;
  annotation.place = names.placeOf(annotation.value);
  if (const core::WrittenSharding *sharding = written.of({annotation.value})) {
    annotation.kind = kindOf(ownerOf(group.op), annotation.value);
    annotation.sharding = *sharding;
    return annotation;
  }
  // Nothing is written on the value, so a pass put the annotation there. What became of it has to
  // do, unless the manual computation is found that it was copied from.
  annotation.sharding = groups.shardingOf(groupId);
  if (isa<sdy::ShardingConstraintOp>(group.op)) {
    annotation.kind = AnnotationKind::InlinedFunction;
  } else if (OpOperand *use = useInManualComputation(groupId)) {
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
