// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-insert-func-call-reshards.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::transforms {

#define GEN_PASS_DEF_INSERTFUNCCALLRESHARDS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;

class InsertFuncCallReshardsPass
    : public impl::InsertFuncCallReshardsBase<InsertFuncCallReshardsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    llvm::SmallVector<mlir::func::CallOp> calls;
    getOperation().walk([&](mlir::func::CallOp call) { calls.push_back(call); });
    if (calls.empty())
      return markAllAnalysesPreserved();
    for (mlir::func::CallOp call : calls)
      if (auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee()))
        visit(call, callee);
  }

private:
  static void visit(mlir::func::CallOp call, mlir::func::FuncOp callee) {
    llvm::SmallVector<TensorShardingAttr> wanted(sdy::getResultShardings(call));
    // Nobody asks for anything: the call has what the function returns.
    if (wanted.empty())
      return sdy::setResultShardings(call, sdy::getFuncResultShardings(callee));
    mlir::OpBuilder builder(call.getContext());
    llvm::SmallVector<TensorShardingAttr> returned;
    for (auto [result, sharding] : llvm::zip_equal(call->getResults(), wanted)) {
      TensorShardingAttr ofCallee = sdy::getFuncResultSharding(callee, result.getResultNumber());
      if (!ofCallee)
        ofCallee = sdy::getReplicatedSharding(sharding.getMeshOrRef(), sharding.getRank());
      returned.push_back(ofCallee);
      if (sdy::isEquivalent(ofCallee, sharding) || result.use_empty())
        continue;
      // Each right behind the call, so those of later results come first.
      builder.setInsertionPointAfter(call);
      auto reshard =
          sdy::ReshardOp::create(builder, call.getLoc(), result.getType(), result, sharding);
      result.replaceAllUsesExcept(reshard.getResult(), reshard);
    }
    sdy::setResultShardings(call, returned);
  }
};

} // namespace
} // namespace shardwise::transforms
