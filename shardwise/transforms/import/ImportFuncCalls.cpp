// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-import-func-calls: calls become named computations, so that propagation can go into
// the body of each call and out again by way of data-flow edges:
//   %0 = call @f(%a)
// becomes
//   %0 = sdy.named_computation<"f">(%a) (%arg: tensor<8xf32>) { ... }
// Functions are taken callees first, so a body that moves into its caller has no calls left. The
// last call of a function takes its body, the others get copies.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/transforms/import/CallGraph.h"
#include "shardwise/transforms/import/DataFlowEdges.h"
#include "shardwise/transforms/import/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_IMPORTFUNCCALLSPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;

class ImportFuncCallsPass : public impl::ImportFuncCallsPassBase<ImportFuncCallsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    bool found = false;
    llvm::DenseMap<mlir::Operation *, unsigned> numCalls;
    getOperation().walk([&](mlir::func::CallOp call) {
      found = true;
      if (auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee()))
        ++numCalls[callee];
    });
    if (!found) {
      if (!addDataFlowEdgesOnNamedComputations || !addMissingEdges())
        markAllAnalysesPreserved();
      return;
    }
    auto order = calleesFirst(getOperation(), symbols);
    if (mlir::failed(order) || mlir::failed(checkExpandedSize(*order, symbols)))
      return signalPassFailure();
    for (mlir::func::FuncOp function : *order) {
      llvm::SmallVector<mlir::func::CallOp> calls;
      function.walk([&](mlir::func::CallOp call) { calls.push_back(call); });
      for (mlir::func::CallOp call : calls)
        if (mlir::failed(importCall(call, symbols, numCalls)))
          return signalPassFailure();
    }
    for (mlir::func::FuncOp function : *order)
      if (numCalls.contains(function))
        symbols.erase(function);
    if (addDataFlowEdgesOnNamedComputations)
      addMissingEdges();
  }

private:
  /// Adds the edges of all named computations that have none. Returns whether there were any.
  bool addMissingEdges() {
    bool found = false;
    getOperation().walk([&](sdy::NamedComputationOp op) {
      auto hasEdge = [](mlir::Value owner) { return sdy::getDataFlowEdge(owner) != nullptr; };
      if (llvm::any_of(op.getBody().getArguments(), hasEdge) ||
          llvm::any_of(op->getResults(), hasEdge))
        return;
      found = true;
      addDataFlowEdges(op);
    });
    return found;
  }

  mlir::LogicalResult importCall(mlir::func::CallOp call, const mlir::SymbolTable &symbols,
                                 llvm::DenseMap<mlir::Operation *, unsigned> &numCalls) {
    auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
      return call.emitOpError() << "calls @" << call.getCallee()
                                << ", which has no body of one block; define it or make it a "
                                   "custom call";
    if (mlir::failed(stablehlo::returnOf(callee)))
      return mlir::failure();
    mlir::OpBuilder builder(call);
    auto computation = sdy::NamedComputationOp::create(
        builder, call.getLoc(), call.getResultTypes(), originalNameOf(callee), call.getOperands(),
        expectedArgumentShardings(callee, symbols),
        call->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr));
    copyAttributes(call, callee, computation);
    if (numCalls[callee]-- > 1) {
      mlir::IRMapping mapping;
      callee.getBody().cloneInto(&computation.getBody(), mapping);
      call.emitWarning() << "function @" << callee.getSymName()
                         << " has several calls and is copied; run sdy-flatten-call-graph first";
    } else {
      // Nobody calls it any more; the empty function is erased at the end.
      computation.getBody().takeBody(callee.getBody());
    }
    mlir::Operation *terminator = computation.getBody().front().getTerminator();
    builder.setInsertionPoint(terminator);
    sdy::ReturnOp::create(builder, terminator->getLoc(), terminator->getOperands());
    terminator->erase();
    call.replaceAllUsesWith(computation);
    call.erase();
    return mlir::success();
  }

  static void copyAttributes(mlir::func::CallOp call, mlir::func::FuncOp callee,
                             sdy::NamedComputationOp computation) {
    for (mlir::NamedAttribute attr : call->getDiscardableAttrs())
      if (attr.getName() != sdy::kShardingAttr)
        computation->setAttr(attr.getName(), attr.getValue());
    if (mlir::Attribute thread = callee->getAttr("execution_thread"))
      computation->setAttr("execution_thread", thread);
  }
};

} // namespace
} // namespace shardwise::importer
