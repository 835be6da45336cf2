// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Value groups to values and back, by the marks of ops.

#include "shardwise/explain/ProgramGroups.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwise::explain {

using propagate::kNoNode;
using propagate::kNoValueGroup;
using propagate::Node;
using propagate::NodeId;
using propagate::ShardingStorage;
using propagate::ValueGroup;
using propagate::ValueGroupId;

ProgramGroups::ProgramGroups(const propagate::PropagationGraph &graph) : graph(graph) {
  for (const Node &node : graph.nodes())
    if (!node.isErased && !isa<sdy::DataFlowEdgeOp>(node.op))
      opsOf[opNumberOf(node.op->getLoc())].push_back(node.op);
}

ValueGroupId ProgramGroups::groupOf(const ValueId &id) const {
  auto found = opsOf.find(id.op);
  if (found == opsOf.end())
    return kNoValueGroup;
  for (Operation *op : found->second) {
    if (id.isOpResult() && id.index < static_cast<int32_t>(op->getNumResults()))
      return graph.groupOf(op->getResult(id.index));
    if (!id.isOpResult() && id.region < static_cast<int32_t>(op->getNumRegions()) &&
        !op->getRegion(id.region).empty() &&
        id.index < static_cast<int32_t>(op->getRegion(id.region).getNumArguments()))
      return graph.groupOf(op->getRegion(id.region).getArgument(id.index));
  }
  return kNoValueGroup;
}

/// The terminator of the function that `result` is a result of.
Operation *ProgramGroups::endOf(ValueGroupId result) const {
  return cast<func::FuncOp>(graph.valueGroups()[result].op).getBody().front().getTerminator();
}

ValueId ProgramGroups::idOf(ValueGroupId id) const {
  const ValueGroup &group = graph.valueGroups()[id];
  switch (group.storage) {
  case ShardingStorage::OpResult:
  case ShardingStorage::EdgeOp:
    return valueIdOf(group.op->getResult(group.index));
  case ShardingStorage::FuncArgument:
    return valueIdOf(cast<func::FuncOp>(group.op).getArgument(group.index));
  case ShardingStorage::BlockArgumentOwner:
    return {opNumberOf(group.op->getLoc()), 0, group.index};
  case ShardingStorage::FuncResult:
    return valueIdOf(endOf(id)->getOperand(group.index));
  case ShardingStorage::Erased:
    return {opNumberOf(group.op->getLoc()), -1, group.index};
  }
  return {};
}

ValueRef ProgramGroups::refOf(ValueGroupId group) const {
  bool isResult = graph.valueGroups()[group].storage == ShardingStorage::FuncResult;
  return {idOf(group), isResult ? graph.valueGroups()[group].index : -1};
}

std::optional<core::WrittenSharding> ProgramGroups::shardingOf(ValueGroupId group) const {
  const propagate::MeshSharding &current = graph.valueGroups()[group].current;
  if (!current.isSet())
    return std::nullopt;
  return core::toWritten(current.sharding, graph.meshes()[current.mesh].mesh);
}

ExplainedOp ProgramGroups::opOf(NodeId node, int32_t funcResult) const {
  if (node == kNoNode)
    return {opNumberOf(endOf(graph.funcResultLinks()[funcResult].result)->getLoc()), true};
  return {opNumberOf(graph.nodes()[node].op->getLoc()), false};
}

std::vector<core::AxisRef> toRefs(const core::AxisList &axes, const core::Mesh &mesh) {
  std::vector<core::AxisRef> refs;
  refs.reserve(axes.size());
  for (const core::Axis &axis : axes)
    refs.push_back(core::toRef(axis, mesh));
  return refs;
}

} // namespace shardwise::explain
