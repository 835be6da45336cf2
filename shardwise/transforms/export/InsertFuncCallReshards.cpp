// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-insert-func-call-reshards: calls get the shardings that the callee returns, and a
// reshard behind the call brings each result to what the caller uses. With a callee that returns
// `[{"y"}]`:
//   %0 = call @f(%a)                          // <@mesh, [{"x"}]>
// becomes
//   %0 = call @f(%a)                          // <@mesh, [{"y"}]>
//   %1 = sdy.reshard %0 <@mesh, [{"x"}]>      // used in place of %0
// So a function may be shared by callers that use its results in different shardings. Results that
// differ in unreduced axes alone get no reshard: they stay as the function returns them, and every
// use combines what it needs combined. A call of a function that takes partial values needs
// nothing.

#include "shardwise/dialect/sdy/ReshardBehind.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

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
        visit(call, callee, symbols);
  }

private:
  static void visit(mlir::func::CallOp call, mlir::func::FuncOp callee,
                    const mlir::SymbolTable &symbols) {
    llvm::SmallVector<TensorShardingAttr> ofCallee = sdy::getFuncResultShardings(callee);
    llvm::SmallVector<TensorShardingAttr> wanted(sdy::getResultShardings(call));
    const auto *firstSet = llvm::find_if(ofCallee, [](TensorShardingAttr attr) { return !!attr; });
    bool isCalleeSharded = firstSet != ofCallee.end();
    if (wanted.empty() && !isCalleeSharded)
      return;
    wanted.resize(call->getNumResults());
    mlir::OpBuilder builder(call.getContext());
    llvm::SmallVector<TensorShardingAttr> returned;
    for (auto [result, sharding, returnedAs] :
         llvm::zip_equal(call->getResults(), wanted, ofCallee)) {
      if (!returnedAs) {
        int64_t rank = sdy::getShardingRank(result.getType());
        // Where the callee says something of another result, this one is open in it.
        returned.push_back(isCalleeSharded
                               ? sdy::getOpenSharding(firstSet->getMeshOrRef(), rank)
                               : sdy::getReplicatedSharding(sharding.getMeshOrRef(), rank));
      } else {
        returned.push_back(returnedAs);
      }
      // A call that asks for nothing has whole results, unless they are on one device.
      if (!sharding && (!returnedAs || isMaximal(returnedAs, symbols)))
        continue;
      if (!sharding)
        sharding = sdy::getReplicatedSharding(returnedAs.getMeshOrRef(), returnedAs.getRank());
      if (sdy::isEquivalent(returned.back(), sharding, sdy::UnreducedAxes::Ignore))
        continue;
      // Every reshard goes right behind the call, so in the text those of later results come first.
      builder.setInsertionPointAfter(call);
      sdy::reshardBehind(builder, call.getLoc(), result, sharding);
    }
    sdy::setResultShardings(call, returned);
  }

  static bool isMaximal(TensorShardingAttr sharding, const mlir::SymbolTable &symbols) {
    sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols);
    return mesh && mesh.isMaximal();
  }
};

} // namespace
} // namespace shardwise::exporter
