// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who sends what to whom is worked out here, for all devices of the mesh: ranks are devices.

#include "shardwise/execute/lower/LowerExchange.h"

#include "shardwise/core/MovedAxes.h"
#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/execute/thunks/CollectiveThunks.h"
#include "shardwise/planner/model/ExchangeParts.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {

LogicalResult lowerExchange(FunctionLowering &lowering, sdy::ExchangeOp op) {
  if (!sdy::isLocalCollective(op))
    return op.emitOpError() << "is of a program that is not partitioned; expected sdy.in_sharding, "
                               "and the types of shards";
  sdy::LocalTransition sides = sdy::localTransition(op);
  bool isOneMesh = sides.mesh == sides.meshAfter;
  core::AxisList axes = isOneMesh
                            ? core::movedAxes(sides.mesh, sides.shape, sides.before, sides.after)
                            : core::axesBeside(sides.mesh, {});
  auto thunk = std::make_unique<ExchangeThunk>();
  thunk->type = typeOf(op.getTensor());
  thunk->resultType = typeOf(op.getResult());
  thunk->axes = core::toString(axes, sides.mesh);
  int64_t numDevices = sides.mesh.numDevices();
  auto numDims = static_cast<int64_t>(sides.shape.size());
  thunk->members.resize(numDevices, {0, runtime::SentBoxes(numDims)});
  std::vector<int64_t> positions(numDevices); // In the group, by device.
  for (const core::ReplicaGroup &group : core::replicaGroups(sides.mesh, axes)) {
    for (auto [position, device] : llvm::enumerate(group)) {
      thunk->members[device].group = thunk->groups.size();
      positions[device] = static_cast<int64_t>(position);
    }
    thunk->groups.emplace_back(group.begin(), group.end());
  }
  planner::ReshardProblem problem{sides.mesh, sides.shape, runtime::byteSize(thunk->type.type),
                                  sides.before, sides.after};
  if (!isOneMesh)
    problem.targetMesh = sides.meshAfter;
  for (const planner::ExchangePart &part : planner::exchangeParts(problem))
    thunk->members[part.source].sent.add(positions[part.target], part.from, part.to, part.size);
  BufferId input = thunk->input = lowering.bufferOf(op.getTensor());
  BufferId output = thunk->output = lowering.define(op.getResult());
  lowering.emitCollective(std::move(thunk), input, output);
  return mlir::success();
}

} // namespace shardwise::execute
