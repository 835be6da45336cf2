// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of a reshard by its two meshes. The first of these that holds decides:
//   1. The value is on a single device: nothing is to be done if it is wanted on that one, else the
//      device is where it comes from. No collective of the dialect says that, so the reshard stays
//      until devices have programs of their own.
//   2. It is wanted on a single device, or whole: it is made whole on the mesh that it is on. Then
//      all devices have it, and every single one.
//   3. Nothing says where it is: it is on the mesh where it is wanted.
//   4. The meshes have other axes: the way is not known here.
//   5. The meshes are equal: collectives on this mesh, unless it is in place.
//   6. The meshes differ in the order of devices: collectives, one of them a permute between them.
// Example, with `@a = <["x"=2]>`, `@b = <["x"=2], device_ids=[1, 0]>`, `@d = <[], device_ids=[1]>`:
//   [{"x"}] on @a to [{"x"}] on @b    collective_permute
//   [{"x"}] on @a to [{}] on @b       all_gather on @a
//   [{"x"}] on @a to [] on @d         all_gather on @a
//   [] on @d to [{"x"}] on @a         from device 1

#include "shardwise/transforms/reshard/ReshardRoute.h"

#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"

namespace shardwise::reshard {

namespace {

bool isWhole(const core::Sharding &placement) {
  return core::isFullyReplicated(placement) && placement.unreduced.empty();
}

} // namespace

ReshardRoute routeOf(sdy::ReshardOp reshard, ShardedProgram &program) {
  // A propagation barrier moves nothing: what counts is where the value is.
  mlir::Value input = sdy::bypassBarriers(reshard.getInput());
  const core::Sharding &source = program.placementOf(input);
  const core::Sharding &target = program.placementOf(reshard.getResult());
  ReshardRoute route;
  if (!mlir::isa<mlir::RankedTensorType>(input.getType()))
    return route;
  mlir::Attribute from = program.writtenMeshOf(sdy::getSharding(input));
  mlir::Attribute to = program.writtenMeshOf(reshard.getSharding());
  auto isDevice = [&](mlir::Attribute mesh) { return mesh && program.meshAt(mesh).isMaximal(); };
  route.problem = {program.meshAt(from), shapeOf(input), elementBytesOf(input), source, target};
  if (isDevice(from)) {
    route.way = to != from ? ReshardWay::FromDevice : ReshardWay::Nothing;
    route.problem.mesh = program.mesh();
    return route;
  }
  if (!to || isWhole(target))
    to = from;
  if (!from)
    from = to;
  if (!from)
    return route;
  const core::Mesh &mesh = program.meshAt(from), &targetMesh = program.meshAt(to);
  route.problem.mesh = mesh;
  route.sourceMesh = from;
  route.targetMesh = to;
  if (mesh.axes() != targetMesh.axes())
    route.way = ReshardWay::Unknown;
  else if (from != to || !core::isSamePlacement(source, target))
    route.way = ReshardWay::Collectives;
  if (from != to)
    route.problem.targetMesh = targetMesh;
  return route;
}

Result<planner::ReshardPlan> planOf(const ReshardRoute &route, const CollectiveRules &rules) {
  if (route.way == ReshardWay::Collectives)
    return planCollectives(route.problem, rules);
  planner::ReshardStep broadcast;
  broadcast.collective.kind = core::CollectiveKind::CollectiveBroadcast;
  broadcast.collective.after = route.problem.source;
  for (int64_t axis = 0; axis < route.problem.mesh.numAxes(); ++axis)
    broadcast.collective.reducedAxes.push_back(core::fullAxis(route.problem.mesh, axis));
  broadcast.receivedBytes = planner::localBytes(route.problem, route.problem.source);
  broadcast.localBytesAfter = broadcast.receivedBytes;
  planner::ReshardPlan plan;
  plan.receivedBytes = broadcast.receivedBytes;
  plan.steps.push_back(std::move(broadcast));
  return plan;
}

const Result<planner::ReshardPlan> &KnownPlans::planOf(ReshardRoute &route) {
  if (rules.machine)
    route.problem.topology = planner::linksOn(*rules.machine, route.problem.mesh);
  auto axesOf = [](const core::Sharding &sharding) {
    std::vector<core::AxisList> axes;
    for (const core::DimSharding &dim : sharding.dims)
      axes.push_back(dim.axes);
    axes.push_back(sharding.unreduced);
    return Axes(std::move(axes), sharding.reduction);
  };
  const planner::ReshardProblem &problem = route.problem;
  Key key(route.way, route.sourceMesh.getAsOpaquePointer(), route.targetMesh.getAsOpaquePointer(),
          problem.shape, problem.elementBytes, axesOf(problem.source), axesOf(problem.target));
  auto found = known.find(key);
  if (found == known.end())
    found = known.emplace(std::move(key), reshard::planOf(route, rules)).first;
  return found->second;
}

} // namespace shardwise::reshard
