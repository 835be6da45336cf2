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

SlotId PropagationGraph::slotOf(mlir::Value value) const {
  auto result = mlir::dyn_cast<mlir::OpResult>(value);
  if (!result)
    return argumentSlots.lookup_or(value, kNoSlot);
  NodeId node = nodeOf(result.getOwner());
  return node == kNoNode ? kNoSlot : resultsOf(nodes[node])[result.getResultNumber()];
}

void PropagationGraph::set(SlotId slotId, SlotSharding sharding) {
  Slot &slot = slots[slotId];
  slot.current = share(std::move(sharding));
  slot.isDirty = true;
  slot.version = ++clock;
}

void PropagationGraph::assign(SlotId slotId, SlotSharding sharding) {
  const Slot &slot = slots[slotId];
  MeshId mesh = sharding.mesh;
  bool wasSet = slot.current.isSet();
  set(slotId, std::move(sharding));
  if (wasSet || slot.storage != SlotStorage::OpResult)
    return;
  for (SlotId other : resultsOf(nodes[nodeOf(slot.op)])) {
    if (other == kNoSlot || slots[other].op != slot.op || slots[other].current.isSet())
      continue;
    mlir::Type type = slots[other].op->getResult(slots[other].index).getType();
    set(other, {mesh, core::openSharding(static_cast<int32_t>(sdy::getShardingRank(type)))});
  }
}

SlotSharding PropagationGraph::resolve(mlir::Attribute attr) {
  auto [it, isNew] = resolved.try_emplace(attr);
  if (!isNew)
    return it->second;
  auto written = mlir::cast<sdy::TensorShardingAttr>(attr);
  MeshId mesh = meshes.idOf(written.getMeshOrRef());
  if (mesh == kNoMesh)
    return {};
  auto sharding = core::resolve(written.getSharding(), meshes[mesh].mesh);
  if (!sharding)
    return {};
  return it->second = SlotSharding{mesh, std::move(*sharding)};
}

SlotSharding PropagationGraph::resolveOwn(mlir::Attribute attr) {
  auto [it, isNew] = resolved.try_emplace(attr);
  if (!isNew && it->second.isSet())
    return it->second;
  auto written = mlir::cast<sdy::TensorShardingAttr>(attr);
  MeshId mesh = meshes.idOf(written.getMeshOrRef());
  return it->second = {mesh, lookUp(written.getSharding(), meshes[mesh].mesh)};
}

mlir::Attribute PropagationGraph::toAttribute(const SlotSharding &sharding) const {
  const MeshEntry &mesh = meshes[sharding.mesh];
  return sdy::toAttr(mesh.ref, sharding.sharding, mesh.mesh);
}

void PropagationGraph::erase(mlir::Operation *root) {
  root->walk([&](mlir::Operation *op) {
    NodeId id = nodeOf(op);
    if (id == kNoNode)
      return;
    nodes[id].isErased = true;
    for (SlotId slot : resultsOf(nodes[id]))
      if (slot != kNoSlot && slots[slot].op == op)
        slots[slot].storage = SlotStorage::Erased;
    for (mlir::Region &region : op->getRegions())
      for (mlir::BlockArgument argument : region.getArguments())
        if (SlotId slot = slotOf(argument); slot != kNoSlot && slots[slot].op == op)
          slots[slot].storage = SlotStorage::Erased;
  });
  root->dropAllReferences();
  root->remove();
  erasedOps.emplace_back(root);
}

} // namespace shardwise::propagate
