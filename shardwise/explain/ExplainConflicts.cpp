// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conflicts of propagation, told with the values, annotations and places of the program as written.
// What propagation says of value groups is said of values: of those that the op names, since
// several values of a loop share a value group.

#include "shardwise/explain/ArgumentKinds.h"
#include "shardwise/explain/ExplainShardings.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/transforms/propagate/Conflicts.h"

using namespace mlir;

namespace shardwise::explain {

using propagate::kNoNode;
using propagate::kNoValueGroup;
using propagate::Node;
using propagate::ValueGroupId;

namespace {

/// The value of a side as the op names it: in a loop, several values share a value group.
ValueRef valueOf(const PropagatedProgram &program, const propagate::Conflict &conflict,
                 const propagate::ConflictSide &side) {
  if (conflict.node == kNoNode ||
      program.graph.nodes()[conflict.node].kind != propagate::NodeKind::Op)
    return program.groups.refOf(side.group);
  const Node &node = program.graph.nodes()[conflict.node];
  return {valueIdOf(side.tensor < node.numOperands
                        ? node.op->getOperand(side.tensor)
                        : Value(node.op->getResult(side.tensor - node.numOperands)))};
}

/// The value group of the annotation that a side goes back to: that of its first axis; without
/// axes, what is written on the value itself closes the dimension or reserves the axis.
ValueGroupId originOf(PropagatedProgram &program, const propagate::ConflictSide &side) {
  if (!side.axes.empty())
    return program.history.originOf(side.group, side.axes.front());
  return program.written.of(program.groups.refOf(side.group)) ? side.group : kNoValueGroup;
}

ExplainedSide sideOf(PropagatedProgram &program, const propagate::Conflict &conflict,
                     const propagate::ConflictSide &side) {
  ExplainedSide explained;
  explained.value = valueOf(program, conflict, side);
  explained.dim = side.dim;
  explained.axes = toRefs(side.axes, program.graph.meshes()[conflict.mesh].mesh);
  explained.sharding = program.groups.shardingOf(side.group).value_or(core::WrittenSharding());
  if (ValueGroupId origin = originOf(program, side); origin != kNoValueGroup)
    explained.origin = program.annotations.of(origin);
  if (side.arrival) {
    explained.stage = program.trace.stageOf(*side.arrival);
    explained.step = side.arrival->step;
  }
  return explained;
}

/// Whether what is meant to be is called a conflict: a parameter is cut, and what it meets is not.
///
/// 1. A parameter or the state of one gives way to data: it is gathered for use (ZeRO-3).
/// 2. At the end of the program a parameter is returned whole, and was computed as its state is
/// cut:
///    it is gathered after the update (ZeRO-1).
bool isMeant(const ExplainedConflict &conflict, const ProgramNames &names) {
  const ExplainedAnnotation &winner = conflict.winner.origin;
  const ExplainedAnnotation &loser = conflict.loser.origin;
  auto labelOf = [&](const ExplainedAnnotation &annotation) {
    bool isResult = annotation.kind == AnnotationKind::Result;
    return names.labelOf({annotation.value, isResult ? annotation.index : -1});
  };
  if (conflict.op.isReturn && winner.kind == AnnotationKind::Result && winner != loser &&
      (loser.kind == AnnotationKind::Result || isOnState(loser, names)))
    return isStateOf(labelOf(loser), labelOf(winner));
  return isOnState(loser, names) && winner.isKnown() && !isOnState(winner, names);
}

} // namespace

ConflictRoots explainConflicts(PropagatedProgram &program, Explanation &explanation) {
  ConflictRoots roots;
  std::vector<propagate::Conflict> found =
      propagate::findConflicts(program.graph, program.trace, program.history);
  for (const propagate::Conflict &conflict : found) {
    ExplainedConflict explained;
    explained.op = program.groups.opOf(conflict.node, conflict.funcResult);
    explained.obstacle = conflict.obstacle;
    explained.precedence = conflict.precedence;
    explained.winner = sideOf(program, conflict, conflict.winner);
    explained.loser = sideOf(program, conflict, conflict.loser);
    explained.wantedDim = conflict.wantedDim;
    explained.isWeightGather = isMeant(explained, program.names);
    if (!explained.isWeightGather)
      roots.add(conflict, static_cast<int64_t>(explanation.conflicts.size()));
    explanation.conflicts.push_back(std::move(explained));
  }
  // Only now all are known that an axis may have won further up.
  for (size_t i = 0; i < found.size(); ++i) {
    ExplainedConflict &explained = explanation.conflicts[i];
    const propagate::ConflictSide &winner = found[i].winner;
    if (!winner.axes.empty())
      explained.root = roots.rootOf(program.history, winner.group, winner.axes.front());
    if (explained.root < 0 && !explained.isWeightGather)
      explained.root = static_cast<int64_t>(i);
  }
  return roots;
}

} // namespace shardwise::explain
