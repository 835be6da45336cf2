// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on a graph that was built: assigning, resolving, forgetting.
//
// Every store of a sharding gets the next number of the clock, which its value group keeps as its
// version. So whether anything around an op changed since a visit is a comparison of numbers
// (Worklist::hasNothingNew), not of shardings.

#include "shardwise/transforms/propagate/PropagationGraph.h"

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

namespace shardwise::propagate {

namespace {

// Unlike `core::resolve`, these do not check. An attribute that is made from a sharding of ours can
// reserve "a":(1)2 and "a":(2)2 beside each other, which is no error, but not what users may write.

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
  // An attribute for several results has an entry for each:
  //   %0:2 = ... {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>}
  // If this result was set before, so were the others. Other places are stored one by one, or have
  // their gaps filled when they are written back.
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
  setSharedRule(id, rule ? share(std::move(*rule)) : nullptr);
  return allNodes[id].rule;
}

void PropagationGraph::setSharedRule(NodeId id, const core::ShardingRule *rule) {
  allNodes[id].ruleLookup = rule ? RuleLookup::Found : RuleLookup::None;
  allNodes[id].rule = rule;
}

MeshSharding PropagationGraph::resolve(mlir::Attribute attr) {
  // Attributes are unique in a context, so one look-up serves all values that have it. One that
  // cannot be resolved stays in the table, unset.
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
  // An unset entry is one that `resolve` refused.
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
    // A value group that another op carries, such as a data-flow edge, is not gone with this one.
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
