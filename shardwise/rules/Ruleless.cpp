// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that are known to have no rule. Shardings pass them on other ways (edges, function results)
// or have no business there.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/Families.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwise::rules {

RuleAnswer ruleless(mlir::Operation *op) {
  using namespace stablehlo;
  bool isKnown =
      mlir::isa<mlir::ModuleOp, mlir::func::FuncOp, mlir::func::CallOp, sdy::ConstantOp,
                sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp, sdy::MeshOp,
                sdy::PropagationBarrierOp, sdy::ShardingGroupOp, sdy::ReshardOp,
                sdy::ShardableDataFlowOpInterface>(op) ||
      mlir::isa<AfterAllOp, CaseOp, ConstantOp, CreateTokenOp, GetTupleElementOp, InfeedOp, IotaOp,
                OptimizationBarrierOp, OutfeedOp, PartitionIdOp, RecvOp, SendOp, WhileOp>(op) ||
      op->hasTrait<mlir::OpTrait::IsTerminator>();
  return isKnown ? RuleAnswer::noRule() : RuleAnswer::notMine();
}

} // namespace shardwise::rules
