// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-propagate-sharding-from-func-to-call.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_PROPAGATESHARDINGFROMFUNCTOCALLPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

class PropagateShardingFromFuncToCallPass
    : public impl::PropagateShardingFromFuncToCallPassBase<PropagateShardingFromFuncToCallPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    bool changed = false;
    getOperation().walk([&](mlir::func::CallOp call) {
      auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
      if (!callee || call->hasAttr(sdy::kShardingAttr))
        return;
      sdy::setResultShardings(call, sdy::getFuncResultShardings(callee));
      changed |= call->hasAttr(sdy::kShardingAttr);
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::importer
