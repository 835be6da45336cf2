// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-add-func-data-flow-edges.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/transforms/import/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_ADDFUNCDATAFLOWEDGESPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

class AddFuncDataFlowEdgesPass
    : public impl::AddFuncDataFlowEdgesPassBase<AddFuncDataFlowEdgesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::FailureOr<mlir::func::FuncOp> main = stablehlo::entryFunction(getOperation());
    if (mlir::failed(main))
      return signalPassFailure();
    mlir::OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<mlir::func::FuncOp>()) {
      if (!function.isExternal() && function != *main) {
        builder.setInsertionPointToStart(&function.front());
        for (mlir::BlockArgument argument : function.getArguments())
          addEdge(argument, sdy::getFuncArgSharding(function, argument.getArgNumber()), builder);
      }
      function.walk([&](mlir::func::CallOp call) {
        builder.setInsertionPointAfter(call);
        llvm::ArrayRef<sdy::TensorShardingAttr> shardings = sdy::getResultShardings(call);
        for (mlir::OpResult result : call->getResults())
          addEdge(result,
                  shardings.empty() ? sdy::TensorShardingAttr()
                                    : shardings[result.getResultNumber()],
                  builder);
      });
    }
  }

private:
  static void addEdge(mlir::Value owner, sdy::TensorShardingAttr sharding,
                      mlir::OpBuilder &builder) {
    auto type = mlir::dyn_cast<mlir::ShapedType>(owner.getType());
    if (!type || !type.hasStaticShape())
      return;
    auto edge = sdy::FuncDataFlowEdgeOp::create(builder, owner.getLoc(), owner.getType(), owner);
    if (sharding)
      sdy::setResultShardings(edge, sharding);
    owner.replaceAllUsesExcept(edge.getResult(), edge);
  }
};

} // namespace
} // namespace shardwise::importer
