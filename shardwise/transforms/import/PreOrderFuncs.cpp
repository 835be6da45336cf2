// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-pre-order-funcs.

#include "shardwise/transforms/import/CallGraph.h"
#include "shardwise/transforms/import/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_PREORDERFUNCSPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

class PreOrderFuncsPass : public impl::PreOrderFuncsPassBase<PreOrderFuncsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    auto order = calleesFirst(getOperation(), symbols);
    if (mlir::failed(order))
      return signalPassFailure();
    if (order->size() <= 1)
      return markAllAnalysesPreserved();
    mlir::Block *body = getOperation().getBody();
    for (mlir::func::FuncOp function : llvm::reverse(*order))
      function->moveBefore(body, body->end());
  }
};

} // namespace
} // namespace shardwise::importer
