// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agreement of sharding groups. What the members of a group have before propagation decides:
//
//   1. no member has a sharding, or there is one member: nothing is done;
//   2. those that have one have the same: the others get it;
//   3. they differ: each keeps its own, and an open constraint behind it takes its place, in the
//      group and for all that use it. With %a `[{"x"}, {}]` and %b `[{}, {"x"}]` in group 0:
//        %0 = sdy.sharding_constraint %a <@mesh, [{?}, {?}]>
//        %1 = sdy.sharding_constraint %b <@mesh, [{?}, {?}]>
//        sdy.sharding_group %0 group_id=0
//        sdy.sharding_group %1 group_id=0

#include "shardwise/transforms/propagate/ShardingGroups.h"

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"

namespace shardwise::propagate {

namespace {

using Members = std::vector<sdy::ShardingGroupOp>;

/// Members by sharding group id. Fails on gaps and on values in two sharding groups.
mlir::FailureOr<std::vector<Members>> collectGroups(mlir::ModuleOp module) {
  std::vector<sdy::ShardingGroupOp> ops;
  module.walk([&](sdy::ShardingGroupOp op) { ops.push_back(op); });
  std::vector<Members> shardingGroups;
  llvm::DenseMap<mlir::Value, int64_t> groupOfValue;
  for (sdy::ShardingGroupOp op : ops) {
    int64_t id = static_cast<int64_t>(op.getGroupId());
    if (id < 0 || id >= static_cast<int64_t>(ops.size()))
      return op.emitOpError() << "has group id " << id
                              << ", but ids must be 0, 1, ...; run sdy-sharding-group-import";
    if (id >= static_cast<int64_t>(shardingGroups.size()))
      shardingGroups.resize(id + 1);
    auto [it, isNew] = groupOfValue.try_emplace(op.getInput(), id);
    if (!isNew && it->second != id)
      return op.emitOpError() << "puts a value of group " << it->second << " into group " << id
                              << " as well; run sdy-sharding-group-import";
    if (Members &members = shardingGroups[id]; !members.empty()) {
      auto shapeOf = [](sdy::ShardingGroupOp member) {
        return mlir::cast<mlir::ShapedType>(member.getInput().getType()).getShape();
      };
      if (shapeOf(members.front()) != shapeOf(op))
        return op.emitOpError() << "puts a value of type " << op.getInput().getType()
                                << " into group " << id << ", which has a value of type "
                                << members.front().getInput().getType()
                                << "; the shapes must be the same";
    }
    shardingGroups[id].push_back(op);
  }
  for (auto [id, members] : llvm::enumerate(shardingGroups))
    if (members.empty())
      return ops.front().emitOpError()
             << "is in a module where group id " << id
             << " is not used, but ids must be 0, 1, ...; run sdy-sharding-group-import";
  return shardingGroups;
}

/// Whether the sharding leaves every dimension open. Axes that it reserves do not count,
/// as in Shardy: a sharding group takes over what a member has, and such a member has nothing yet.
bool isOpenAndEmpty(const core::Sharding &sharding) {
  return llvm::all_of(sharding.dims, [](const core::DimSharding &dim) {
    return dim.axes.empty() && !dim.isClosed;
  });
}

void insertConstraints(const Members &members, mlir::Attribute meshRef) {
  for (sdy::ShardingGroupOp member : members) {
    mlir::Value value = member.getInput();
    auto rank = mlir::cast<mlir::ShapedType>(value.getType()).getRank();
    mlir::OpBuilder builder(member.getContext());
    builder.setInsertionPointAfterValue(value);
    auto constraint = sdy::ShardingConstraintOp::create(builder, value.getLoc(), value.getType(),
                                                        value, sdy::getOpenSharding(meshRef, rank));
    value.replaceAllUsesExcept(constraint.getResult(), constraint);
  }
}

/// What the members of a sharding group say of its sharding.
struct Agreement {
  /// The sharding of the first member that has one; null if none has.
  const MeshSharding *sharding = nullptr;
  mlir::Value member;
  /// Another member has another one.
  bool isDisputed = false;
};

Agreement agreementOf(const Members &members, const PropagationGraph &graph) {
  Agreement agreement;
  for (sdy::ShardingGroupOp member : members) {
    ValueGroupId group = graph.groupOf(member.getInput());
    if (group == kNoValueGroup)
      continue;
    const MeshSharding &sharding = graph.valueGroups()[group].current;
    if (!sharding.isSet() || isOpenAndEmpty(sharding.sharding))
      continue;
    if (agreement.sharding)
      agreement.isDisputed |= *agreement.sharding != sharding;
    else
      agreement = {graph.valueGroups()[group].current.get(), member.getInput()};
  }
  return agreement;
}

/// Gives `agreement`, which is not disputed, to all members.
void spread(const Agreement &agreement, const Members &members, PropagationGraph &graph,
            PropagationTrace *trace) {
  const MeshSharding common = *agreement.sharding;
  for (sdy::ShardingGroupOp member : members) {
    ValueGroupId group = graph.groupOf(member.getInput());
    if (group == kNoValueGroup || graph.valueGroups()[group].current == common)
      continue;
    graph.assign(group, common);
    if (trace)
      trace->noteAgreement(agreement.member, member.getInput());
  }
}

} // namespace

mlir::LogicalResult agreeOnShardingGroups(mlir::ModuleOp module,
                                          std::unique_ptr<PropagationGraph> &graph,
                                          PropagationTrace *trace) {
  mlir::FailureOr<std::vector<Members>> shardingGroups = collectGroups(module);
  if (mlir::failed(shardingGroups))
    return mlir::failure();
  std::vector<std::pair<const Members *, mlir::Attribute>> disputed;
  for (auto [id, members] : llvm::enumerate(*shardingGroups)) {
    Agreement agreement = agreementOf(members, *graph);
    if (!agreement.sharding || members.size() == 1)
      continue;
    if (!agreement.isDisputed) {
      spread(agreement, members, *graph, trace);
      continue;
    }
    members.front().emitWarning()
        << "group " << id << " has members with different shardings: they stay as they are, and "
        << "what uses the members starts without sharding";
    disputed.emplace_back(&members, graph->meshes()[agreement.sharding->mesh].ref);
  }
  if (disputed.empty())
    return mlir::success();
  // The IR, from which the graph is built again, gets the agreements that were reached so far.
  graph->writeBack();
  for (auto [members, meshRef] : disputed)
    insertConstraints(*members, meshRef);
  auto rebuilt = PropagationGraph::create(module);
  if (mlir::failed(rebuilt))
    return mlir::failure();
  graph = std::move(*rebuilt);
  return mlir::success();
}

} // namespace shardwise::propagate
