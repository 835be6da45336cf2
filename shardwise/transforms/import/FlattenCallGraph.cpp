// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-flatten-call-graph: every call gets a function of its own, so that calls of one
// function can have different shardings.
//   call @f(%a)
//   call @f(%b)    // becomes call @f_0(%b), with @f_0 a copy of @f
// The first call keeps the function. A copy has calls of its own, which are flattened in turn.

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
    llvm::DenseSet<mlir::Operation *> called;
    getOperation().walk([&](mlir::func::CallOp call) {
      if (auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee()))
        called.insert(callee);
    });
    if (called.empty())
      return markAllAnalysesPreserved();
    // Also refuses recursion, which has no flat form.
    auto order = calleesFirst(getOperation(), symbols);
    if (mlir::failed(order) || mlir::failed(checkExpandedSize(*order, symbols)))
      return signalPassFailure();
    llvm::DenseSet<mlir::Operation *> taken;
    for (auto root : llvm::to_vector(getOperation().getOps<mlir::func::FuncOp>()))
      if (!called.contains(root))
        flatten(root, symbols, taken);
  }

private:
  /// Gives every call below `root` a function of its own. `taken` are the functions that have a
  /// call already.
  static void flatten(mlir::func::FuncOp root, mlir::SymbolTable &symbols,
                      llvm::DenseSet<mlir::Operation *> &taken) {
    std::vector<mlir::func::FuncOp> stack{root};
    while (!stack.empty()) {
      mlir::func::FuncOp function = stack.back();
      stack.pop_back();
      std::vector<mlir::func::FuncOp> callees;
      function.walk([&](mlir::func::CallOp call) {
        auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
        if (!callee)
          return;
        if (!taken.insert(callee).second) {
          callee = cloneForCall(callee, symbols);
          callee.setPrivate();
          call.setCallee(callee.getSymName());
          taken.insert(callee);
        }
        callees.push_back(callee);
      });
      // The first call is flattened first.
      stack.insert(stack.end(), callees.rbegin(), callees.rend());
    }
  }
};

} // namespace
} // namespace shardwise::importer
