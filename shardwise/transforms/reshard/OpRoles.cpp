// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/reshard/OpRoles.h"

#include "shardwise/dialect/sdy/ManualAxes.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwise::reshard {

OpRole roleOf(mlir::Operation *op) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>())
    return OpRole::Terminator;
  if (mlir::isa<stablehlo::WhileOp, stablehlo::OptimizationBarrierOp>(op))
    return OpRole::Forward;
  if (mlir::isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    return OpRole::Branch;
  if (mlir::isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(op))
    return OpRole::Computation;
  if (mlir::isa<mlir::func::CallOp>(op))
    return OpRole::Call;
  if (mlir::isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
                sdy::FuncDataFlowEdgeOp>(op))
    return OpRole::Constraint;
  if (mlir::isa<sdy::ShardingGroupOp>(op))
    return OpRole::Obsolete;
  if (mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::IotaOp, sdy::ReshardOp,
                sdy::MeshOp, sdy::CollectiveOpInterface>(op))
    return OpRole::Placed;
  return OpRole::Computes;
}

namespace {

Destination ofTerminator(mlir::Operation *op, unsigned number) {
  mlir::Operation *parent = op->getParentOp();
  if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(parent))
    return {{}, sdy::getFuncResultSharding(function, number)};
  if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(parent))
    return {{}, sdy::withoutManualAxes(manual.getOutShardings()[number], manual.getManualAxes())};
  if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(parent);
      loop && op->getParentRegion() != &loop.getBody())
    return {};
  if (mlir::isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp, sdy::NamedComputationOp>(
          parent))
    return {parent->getResult(number), {}};
  return {};
}

} // namespace

Destination destinationOf(mlir::OpOperand &use) {
  mlir::Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  switch (roleOf(op)) {
  case OpRole::Terminator:
    return ofTerminator(op, number);
  case OpRole::Forward:
  case OpRole::Constraint:
    return {op->getResult(number), {}};
  case OpRole::Branch:
  case OpRole::Obsolete:
    return {};
  case OpRole::Computation: {
    sdy::TensorShardingPerValueAttr shardings;
    if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(op))
      shardings = manual.getInShardings();
    else
      shardings = mlir::cast<sdy::NamedComputationOp>(op).getInShardingsAttr();
    if (shardings && number < shardings.size())
      return {{}, shardings[number]};
    return {};
  }
  case OpRole::Call: {
    auto call = mlir::cast<mlir::func::CallOp>(op);
    auto callee =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
    // The walk refuses calls of what has no body; nothing is known of their arguments.
    if (!callee || callee.isExternal())
      return {};
    return {{}, sdy::getSharding(callee.getArgument(number))};
  }
  case OpRole::Placed:
  case OpRole::Computes:
    break;
  }
  llvm_unreachable("what an op that computes needs depends on its axes");
}

} // namespace shardwise::reshard
