// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conflicts of propagation, told with the values, annotations and places of the program as written.
// What propagation says of slots is said of values: of those that the op names, since several
// values of a loop share a slot.

#include "shardwise/explain/ExplainShardings.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/transforms/propagate/Conflicts.h"

using namespace mlir;

namespace shardwise::explain {

using propagate::kNoNode;
using propagate::kNoSlot;
using propagate::Node;
using propagate::SlotId;

namespace {

/// The value of a side as the op names it: in a loop, several values share a slot.
ValueRef valueOf(const PropagatedProgram &program, const propagate::Conflict &conflict,
                 const propagate::ConflictSide &side) {
  if (conflict.node == kNoNode ||
      program.graph.nodes[conflict.node].kind != propagate::NodeKind::Op)
    return program.slots.refOf(side.slot);
  const Node &node = program.graph.nodes[conflict.node];
  return {valueIdOf(side.tensor < node.numOperands
                        ? node.op->getOperand(side.tensor)
                        : Value(node.op->getResult(side.tensor - node.numOperands)))};
}

/// The slot of the annotation that a side goes back to: that of its first axis; without axes, what
/// is written on the value itself closes the dimension or reserves the axis.
SlotId originOf(PropagatedProgram &program, const propagate::ConflictSide &side) {
  if (!side.axes.empty())
    return program.history.originOf(side.slot, side.axes.front());
  return program.written.of(program.slots.refOf(side.slot)) ? side.slot : kNoSlot;
}

ExplainedSide sideOf(PropagatedProgram &program, const propagate::Conflict &conflict,
                     const propagate::ConflictSide &side) {
  ExplainedSide explained;
  explained.value = valueOf(program, conflict, side);
  explained.dim = side.dim;
  explained.axes = toRefs(side.axes, program.graph.meshes[conflict.mesh].mesh);
  explained.sharding = program.slots.shardingOf(side.slot).value_or(core::WrittenSharding());
  if (SlotId origin = originOf(program, side); origin != kNoSlot)
    explained.origin = program.annotations.of(origin);
  if (side.arrival) {
    explained.stage = program.trace.stageOf(*side.arrival);
    explained.step = side.arrival->step;
  }
  return explained;
}

} // namespace

void explainConflicts(PropagatedProgram &program, Explanation &explanation) {
  for (const propagate::Conflict &conflict :
       propagate::findConflicts(program.graph, program.trace, program.history)) {
    ExplainedConflict explained;
    explained.op = program.slots.opOf(conflict.node, conflict.funcResult);
    explained.obstacle = conflict.obstacle;
    explained.precedence = conflict.precedence;
    explained.winner = sideOf(program, conflict, conflict.winner);
    explained.loser = sideOf(program, conflict, conflict.loser);
    explained.wantedDim = conflict.wantedDim;
    explanation.conflicts.push_back(std::move(explained));
  }
}

} // namespace shardwise::explain
