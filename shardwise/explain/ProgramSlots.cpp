// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots to values and back, by the marks of ops.

#include "shardwise/explain/ProgramSlots.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwise::explain {

using propagate::kNoNode;
using propagate::kNoSlot;
using propagate::Node;
using propagate::NodeId;
using propagate::Slot;
using propagate::SlotId;
using propagate::SlotStorage;

ProgramSlots::ProgramSlots(const propagate::PropagationGraph &graph) : graph(graph) {
  for (const Node &node : graph.nodes)
    if (!node.isErased && !isa<sdy::DataFlowEdgeOp>(node.op))
      opsOf[opNumberOf(node.op->getLoc())].push_back(node.op);
}

SlotId ProgramSlots::slotOf(const ValueId &id) const {
  auto found = opsOf.find(id.op);
  if (found == opsOf.end())
    return kNoSlot;
  for (Operation *op : found->second) {
    if (id.isOpResult() && id.index < static_cast<int32_t>(op->getNumResults()))
      return graph.slotOf(op->getResult(id.index));
    if (!id.isOpResult() && id.region < static_cast<int32_t>(op->getNumRegions()) &&
        !op->getRegion(id.region).empty() &&
        id.index < static_cast<int32_t>(op->getRegion(id.region).getNumArguments()))
      return graph.slotOf(op->getRegion(id.region).getArgument(id.index));
  }
  return kNoSlot;
}

/// The terminator of the function that `result` is a result of.
Operation *ProgramSlots::endOf(SlotId result) const {
  return cast<func::FuncOp>(graph.slots[result].op).getBody().front().getTerminator();
}

ValueId ProgramSlots::idOf(SlotId id) const {
  const Slot &slot = graph.slots[id];
  switch (slot.storage) {
  case SlotStorage::OpResult:
  case SlotStorage::EdgeOp:
    return valueIdOf(slot.op->getResult(slot.index));
  case SlotStorage::FuncArgument:
    return valueIdOf(cast<func::FuncOp>(slot.op).getArgument(slot.index));
  case SlotStorage::BlockArgumentOwner:
    return {opNumberOf(slot.op->getLoc()), 0, slot.index};
  case SlotStorage::FuncResult:
    return valueIdOf(endOf(id)->getOperand(slot.index));
  case SlotStorage::Erased:
    return {opNumberOf(slot.op->getLoc()), -1, slot.index};
  }
  return {};
}

ValueRef ProgramSlots::refOf(SlotId slot) const {
  bool isResult = graph.slots[slot].storage == SlotStorage::FuncResult;
  return {idOf(slot), isResult ? graph.slots[slot].index : -1};
}

std::optional<core::WrittenSharding> ProgramSlots::shardingOf(SlotId slot) const {
  const propagate::SlotSharding &current = graph.slots[slot].current;
  if (!current.isSet())
    return std::nullopt;
  return core::toWritten(current.sharding, graph.meshes[current.mesh].mesh);
}

ExplainedOp ProgramSlots::opOf(NodeId node, int32_t funcResult) const {
  if (node == kNoNode)
    return {opNumberOf(endOf(graph.funcResultLinks[funcResult].result)->getLoc()), true};
  return {opNumberOf(graph.nodes[node].op->getLoc()), false};
}

std::vector<core::AxisRef> toRefs(const core::AxisList &axes, const core::Mesh &mesh) {
  std::vector<core::AxisRef> refs;
  refs.reserve(axes.size());
  for (const core::Axis &axis : axes)
    refs.push_back(core::toRef(axis, mesh));
  return refs;
}

} // namespace shardwise::explain
