// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-flatten-call-graph: every call gets a function of its own, so that calls of one
// function can have different shardings.
//   call @f(%a)
//   call @f(%b)    // becomes call @f_0(%b), with @f_0 a copy of @f
// Callees go before their callers, as if they were inlined from the inside. A function stays with
// the first call in this order. Each later one gets a copy, and copies of what that calls: the
// functions below it have calls of their own by then, so nothing has to be flattened again.

#include "shardwise/transforms/import/CallGraph.h"
#include "shardwise/transforms/import/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_FLATTENCALLGRAPHPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

class FlattenCallGraphPass : public impl::FlattenCallGraphPassBase<FlattenCallGraphPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    // Also refuses recursion, which has no flat form.
    auto order = calleesFirst(getOperation(), symbols);
    if (mlir::failed(order) || mlir::failed(checkExpandedSize(*order, symbols)))
      return signalPassFailure();
    // The functions that have a call already. Copies are not among them: nobody else calls them.
    llvm::DenseSet<mlir::Operation *> taken;
    bool changed = false;
    for (mlir::func::FuncOp function : *order)
      function.walk([&](mlir::func::CallOp call) {
        auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
        if (!callee || taken.insert(callee).second)
          return;
        call.setCallee(cloneForCall(callee, symbols).getSymName());
        changed = true;
      });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::importer
