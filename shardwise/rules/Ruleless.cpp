// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops without a rule, in two lists. Terminators and ops with data-flow edges that are not named
// here need none either.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwise::rules {

using namespace stablehlo;

void addOpsWithoutRule(SheetTable &table) {
  // Shardings pass these in another way (edges, function results), or need not pass them.
  table.addWithoutRule<mlir::ModuleOp, mlir::func::FuncOp, mlir::func::CallOp, sdy::ConstantOp,
                       sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp, sdy::MeshOp,
                       sdy::PropagationBarrierOp, sdy::ShardingGroupOp, sdy::ReshardOp>(
      RuleState::None);
  table.addWithoutRule<AfterAllOp, CaseOp, ConstantOp, CreateTokenOp, GetTupleElementOp, InfeedOp,
                       IotaOp, OptimizationBarrierOp, OutfeedOp, PartitionIdOp, RecvOp, SendOp,
                       WhileOp>(RuleState::None);
  // Shardings stop at these, with a warning. Programs may not use most of them.
  table.addWithoutRule<AsyncDoneOp, AsyncStartOp, BatchNormGradOp, BatchNormTrainingOp, BroadcastOp,
                       CollectiveReduceOp, CompositeOp, DynamicBroadcastInDimOp, DynamicConvOp,
                       DynamicGatherOp, DynamicIotaOp, DynamicPadOp, DynamicReshapeOp, EinsumOp,
                       GetDimensionSizeOp, IfOp, MapOp, RealDynamicSliceOp, ReplicaIdOp,
                       SetDimensionSizeOp, TorchIndexSelectOp, TupleOp, UnaryEinsumOp>(
      RuleState::Unknown);
}

} // namespace shardwise::rules
