// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: every sdy.reshard becomes the collectives that the planner finds for it.

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/export/AxisAttributes.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_RESHARDTOCOLLECTIVES
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

sdy::AllToAllParamListAttr paramsOf(const std::vector<planner::AxisMove> &moves,
                                    const core::Mesh &mesh, mlir::MLIRContext *context) {
  sdy::AllToAllParams params;
  for (const planner::AxisMove &move : moves)
    params.push_back({exporter::refsOf(move.axes, mesh), move.sourceDim, move.targetDim});
  return sdy::AllToAllParamListAttr::get(context, std::move(params));
}

/// Creates the op of one step on `value`. Null for an exchange, which plans here do not have.
mlir::Value createStep(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                       const planner::ReshardStep &step, core::ReductionKind reduction,
                       const ShardedProgram &program) {
  mlir::MLIRContext *context = builder.getContext();
  const core::Mesh &mesh = program.mesh();
  sdy::TensorShardingAttr out = program.attributeFor(step.after);
  mlir::Type type = value.getType();
  switch (step.kind) {
  case planner::StepKind::AllSlice:
    return sdy::AllSliceOp::create(builder, location, type, value,
                                   exporter::listsOf(step.dimAxes, mesh, context), out);
  case planner::StepKind::AllGather:
    return sdy::AllGatherOp::create(builder, location, type, value,
                                    exporter::listsOf(step.dimAxes, mesh, context), out);
  case planner::StepKind::AllToAll:
    return sdy::AllToAllOp::create(builder, location, type, value,
                                   paramsOf(step.moves, mesh, context), out);
  case planner::StepKind::CollectivePermute:
    return sdy::CollectivePermuteOp::create(builder, location, type, value, out);
  case planner::StepKind::ReduceScatter:
    return sdy::ReduceScatterOp::create(builder, location, type, value, sdy::toAttrKind(reduction),
                                        exporter::listsOf(step.dimAxes, mesh, context), out);
  case planner::StepKind::AllReduce:
    return sdy::AllReduceOp::create(builder, location, type, value, sdy::toAttrKind(reduction),
                                    exporter::axisRefListOf(step.reducedAxes, mesh, context), out);
  case planner::StepKind::Exchange:
    return nullptr;
  }
  return nullptr;
}

llvm::LogicalResult lower(sdy::ReshardOp reshard, ShardedProgram &program) {
  mlir::Value input = reshard.getInput();
  const core::Sharding &source = program.placementOf(input);
  const core::Sharding &target = program.placementOf(reshard.getResult());
  mlir::Value value = input;
  if (mlir::isa<mlir::RankedTensorType>(input.getType()) &&
      !core::isSamePlacement(source, target)) {
    planner::ReshardProblem problem{program.mesh(), shapeOf(input), elementBytesOf(input), source,
                                    target};
    Result<planner::ReshardPlan> plan = planCollectives(problem);
    if (!plan.ok())
      return reshard->emitOpError("cannot be planned: ") << plan.error().message;
    mlir::OpBuilder builder(reshard);
    for (const planner::ReshardStep &step : plan->steps)
      value = createStep(builder, reshard.getLoc(), value, step, source.reduction, program);
  }
  reshard.getResult().replaceAllUsesWith(value);
  reshard.erase();
  return llvm::success();
}

struct ReshardToCollectivesPass : impl::ReshardToCollectivesBase<ReshardToCollectivesPass> {
  void runOnOperation() override {
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    llvm::SmallVector<sdy::ReshardOp> reshards;
    getOperation().walk([&](sdy::ReshardOp reshard) { reshards.push_back(reshard); });
    for (sdy::ReshardOp reshard : reshards)
      if (failed(lower(reshard, *program)))
        signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::reshard
