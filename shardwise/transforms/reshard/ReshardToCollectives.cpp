// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-reshard-to-collectives: every sdy.reshard becomes the collectives that the planner
// finds for it. With x=2, y=2 and %0 of 8x8, `[{"x"}, {}], unreduced={"y"}`:
//   %1 = sdy.reshard %0 <@m, [{}, {"x", "y"}]>
// becomes
//   %1 = sdy.reduce_scatter [{"y"}, {}] %0 out_sharding=<@m, [{"x", "y"}, {}]>
//   %2 = sdy.all_to_all [{"x", "y"}: 0->1] %1 out_sharding=<@m, [{}, {"x", "y"}]>
// Every collective carries the sharding behind it, so that each step can be read and verified.
// A value that becomes unreduced moves first: `[{"x"}, {"y"}]` to `[{}, {}], unreduced={"x"}` is
//   %1 = sdy.all_gather [{}, {"y"}] %0 out_sharding=<@m, [{"x"}, {}]>
//   %2 = sdy.sharded_to_unreduced [{"x"}, {}] %1 out_sharding=<@m, [{}, {}], unreduced={"x"}>
// Where it is allowed and cheaper, one exchange does what several collectives would: with x=2, y=3,
//   %1 = sdy.exchange %0 out_sharding=<@m, [{"y"}, {"x"}]>
// Meshes are judged reshard by reshard (ReshardRoute.h): where no collective leads from one to the
// other, the reshard stays.

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/AxisAttributes.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"
#include "shardwise/transforms/reshard/ReshardRoute.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_RESHARDTOCOLLECTIVES
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

sdy::AllToAllParamListAttr paramsOf(const std::vector<core::AxisMove> &moves,
                                    const core::Mesh &mesh, mlir::MLIRContext *context) {
  sdy::AllToAllParams params;
  for (const core::AxisMove &move : moves)
    params.push_back({exporter::refsOf(move.axes, mesh), move.sourceDim, move.targetDim});
  return sdy::AllToAllParamListAttr::get(context, std::move(params));
}

/// The sharding of `value`, which is on the mesh of `meshRef`, with the unreduced axes of `after`,
/// otherwise as it is written: the op that makes them so must repeat which dimensions are open.
sdy::TensorShardingAttr withUnreduced(mlir::Value value, const core::Sharding &after,
                                      ShardedProgram &program, mlir::Attribute meshRef) {
  const core::Mesh &mesh = program.meshAt(meshRef);
  sdy::TensorShardingAttr written = sdy::getSharding(value);
  // What says nothing of this mesh is whole on it; the op asks that it says so.
  if (program.writtenMeshOf(written) != meshRef) {
    written = program.attributeFor(program.replicated(int64_t(after.dims.size())), meshRef);
    sdy::setSharding(value, written);
  }
  core::Sharding sharding = *core::resolve(sdy::toCore(written), mesh);
  sharding.unreduced = after.unreduced;
  sharding.reduction = after.reduction;
  sharding.replicated = core::setDifference(sharding.replicated, after.unreduced);
  return sdy::toAttr(written.getMeshOrRef(), sharding, mesh);
}

/// Creates the op of `collective`, a step of `planOf`, on `value`, with its result on the mesh of
/// `meshRef`.
mlir::Value createOp(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                     const core::Collective &collective, core::ReductionKind reduction,
                     ShardedProgram &program, mlir::Attribute meshRef) {
  mlir::MLIRContext *context = builder.getContext();
  const core::Mesh &mesh = program.meshAt(meshRef);
  sdy::TensorShardingAttr out = program.attributeFor(collective.after, meshRef);
  mlir::Type type = value.getType();
  switch (collective.kind) {
  case core::CollectiveKind::AllSlice:
    return sdy::AllSliceOp::create(builder, location, type, value,
                                   exporter::listsOf(collective.dimAxes, mesh, context), out);
  case core::CollectiveKind::AllGather:
    return sdy::AllGatherOp::create(builder, location, type, value,
                                    exporter::listsOf(collective.dimAxes, mesh, context), out);
  case core::CollectiveKind::AllToAll:
    return sdy::AllToAllOp::create(builder, location, type, value,
                                   paramsOf(collective.moves, mesh, context), out);
  case core::CollectiveKind::CollectivePermute:
    return sdy::CollectivePermuteOp::create(builder, location, type, value, out);
  case core::CollectiveKind::ReduceScatter:
    return sdy::ReduceScatterOp::create(builder, location, type, value, sdy::toAttrKind(reduction),
                                        exporter::listsOf(collective.dimAxes, mesh, context), out);
  case core::CollectiveKind::AllReduce:
    return sdy::AllReduceOp::create(builder, location, type, value, sdy::toAttrKind(reduction),
                                    exporter::axisRefListOf(collective.reducedAxes, mesh, context),
                                    out);
  case core::CollectiveKind::ShardedToUnreduced:
    return sdy::ShardedToUnreducedOp::create(
        builder, location, type, value, exporter::listsOf(collective.dimAxes, mesh, context), out);
  case core::CollectiveKind::ReplicatedToUnreduced:
    return sdy::ReplicatedToUnreducedOp::create(
        builder, location, type, value,
        exporter::axisRefListOf(collective.reducedAxes, mesh, context),
        withUnreduced(value, collective.after, program, meshRef));
  case core::CollectiveKind::Exchange:
    return sdy::ExchangeOp::create(builder, location, type, value, out);
  case core::CollectiveKind::CollectiveBroadcast:
  case core::CollectiveKind::RaggedAllToAll:
    break;
  }
  llvm_unreachable("`planOf` makes no such steps between meshes of the same axes");
}

llvm::LogicalResult lower(sdy::ReshardOp reshard, ShardedProgram &program, bool keepRedundant,
                          KnownPlans &plans) {
  ReshardRoute route = routeOf(reshard, program);
  mlir::Value value = sdy::bypassBarriers(reshard.getInput());
  // One that moves nothing needs no collective: openness and names of equal meshes are no
  // placement.
  bool isKept = keepRedundant && route.way == ReshardWay::Nothing;
  if (isKept || route.way == ReshardWay::FromDevice || route.way == ReshardWay::Unknown)
    return llvm::success();
  if (route.way == ReshardWay::Collectives) {
    const Result<planner::ReshardPlan> &plan = plans.planOf(route);
    if (!plan.ok())
      return reshard->emitOpError("cannot be planned: ") << plan.error().message;
    mlir::OpBuilder builder(reshard);
    mlir::Attribute mesh = route.sourceMesh;
    for (const planner::ReshardStep &step : plan->steps) {
      if (step.changesMesh)
        mesh = route.targetMesh;
      value = createOp(builder, reshard.getLoc(), value, step.collective,
                       route.problem.source.reduction, program, mesh);
    }
  }
  reshard.getResult().replaceAllUsesWith(value);
  reshard.erase();
  return llvm::success();
}

struct ReshardToCollectivesPass : impl::ReshardToCollectivesBase<ReshardToCollectivesPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::FailureOr<planner::Machine> machine = machineOf(topology, getOperation());
    if (failed(machine))
      return signalPassFailure();
    ShardedProgram program(getOperation());
    // All of them are tried, so that every one that has no plan is reported.
    llvm::SmallVector<sdy::ReshardOp> reshards;
    getOperation().walk([&](sdy::ReshardOp reshard) { reshards.push_back(reshard); });
    KnownPlans plans({countHandOver ? HandOver::Counted : HandOver::Free,
                      exchange ? Exchanges::WhereCheaper : Exchanges::Never, &*machine});
    for (sdy::ReshardOp reshard : reshards)
      if (failed(lower(reshard, program, keepRedundantReshards, plans)))
        signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::reshard
