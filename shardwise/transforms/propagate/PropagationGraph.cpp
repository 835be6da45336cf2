// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on a graph that was built: assigning, resolving, forgetting.

#include "shardwise/transforms/propagate/PropagationGraph.h"

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

namespace shardwise::propagate {

namespace {

core::AxisList lookUp(const std::vector<core::AxisRef> &refs, const core::Mesh &mesh) {
  core::AxisList axes;
  for (const core::AxisRef &ref : refs)
    if (Result<core::Axis> axis = core::resolve(ref, mesh))
      axes.push_back(*axis);
  return axes;
}

core::Sharding lookUp(const core::WrittenSharding &written, const core::Mesh &mesh) {
  core::Sharding sharding;
  for (const core::WrittenDimSharding &dim : written.dims)
    sharding.dims.push_back({lookUp(dim.axes, mesh), dim.isClosed, dim.priority});
  sharding.replicated = lookUp(written.replicated, mesh);
  sharding.unreduced = lookUp(written.unreduced, mesh);
  sharding.reduction = written.reduction;
  return sharding;
}

} // namespace

ValueGroupId PropagationGraph::groupOf(mlir::Value value) const {
  auto result = mlir::dyn_cast<mlir::OpResult>(value);
  if (!result)
    return argumentGroups.lookup_or(value, kNoValueGroup);
  NodeId node = nodeOf(result.getOwner());
  return node == kNoNode ? kNoValueGroup : resultsOf(allNodes[node])[result.getResultNumber()];
}

void PropagationGraph::set(ValueGroupId groupId, MeshSharding sharding) {
  ValueGroup &group = allValueGroups[groupId];
  group.current = share(std::move(sharding));
  group.isDirty = true;
  group.version = ++changeClock;
}

void PropagationGraph::assign(ValueGroupId groupId, MeshSharding sharding) {
  const ValueGroup &group = allValueGroups[groupId];
  MeshId mesh = sharding.mesh;
  bool wasSet = group.current.isSet();
  set(groupId, std::move(sharding));
  if (wasSet || group.storage != ShardingStorage::OpResult)
    return;
  for (ValueGroupId other : resultsOf(allNodes[nodeOf(group.op)])) {
    if (other == kNoValueGroup || allValueGroups[other].op != group.op ||
        allValueGroups[other].current.isSet())
      continue;
    mlir::Type type = allValueGroups[other].op->getResult(allValueGroups[other].index).getType();
    set(other, {mesh, core::openSharding(static_cast<int32_t>(sdy::getShardingRank(type)))});
  }
}

const core::ShardingRule *PropagationGraph::setRule(NodeId id,
                                                    std::optional<core::ShardingRule> rule) {
  Node &node = allNodes[id];
  node.ruleLookup = rule ? RuleLookup::Found : RuleLookup::None;
  if (rule)
    node.rule = share(std::move(*rule));
  return node.rule;
}

MeshSharding PropagationGraph::resolve(mlir::Attribute attr) {
  auto [it, isNew] = resolved.try_emplace(attr);
  if (!isNew)
    return it->second;
  auto written = mlir::cast<sdy::TensorShardingAttr>(attr);
  MeshId mesh = meshTable.idOf(written.getMeshOrRef());
  if (mesh == kNoMesh)
    return {};
  auto sharding = core::resolve(written.getSharding(), meshTable[mesh].mesh);
  if (!sharding)
    return {};
  return it->second = MeshSharding{mesh, std::move(*sharding)};
}

MeshSharding PropagationGraph::resolveOwn(mlir::Attribute attr) {
  auto [it, isNew] = resolved.try_emplace(attr);
  if (!isNew && it->second.isSet())
    return it->second;
  auto written = mlir::cast<sdy::TensorShardingAttr>(attr);
  MeshId mesh = meshTable.idOf(written.getMeshOrRef());
  return it->second = {mesh, lookUp(written.getSharding(), meshTable[mesh].mesh)};
}

mlir::Attribute PropagationGraph::toAttribute(const MeshSharding &sharding) const {
  const MeshEntry &mesh = meshTable[sharding.mesh];
  return sdy::toAttr(mesh.ref, sharding.sharding, mesh.mesh);
}

void PropagationGraph::erase(mlir::Operation *root) {
  root->walk([&](mlir::Operation *op) {
    NodeId id = nodeOf(op);
    if (id == kNoNode)
      return;
    allNodes[id].isErased = true;
    for (ValueGroupId group : resultsOf(allNodes[id]))
      if (group != kNoValueGroup && allValueGroups[group].op == op)
        allValueGroups[group].storage = ShardingStorage::Erased;
    for (mlir::Region &region : op->getRegions())
      for (mlir::BlockArgument argument : region.getArguments())
        if (ValueGroupId group = groupOf(argument);
            group != kNoValueGroup && allValueGroups[group].op == op)
          allValueGroups[group].storage = ShardingStorage::Erased;
  });
  root->dropAllReferences();
  root->remove();
  erasedOps.emplace_back(root);
}

} // namespace shardwise::propagate
