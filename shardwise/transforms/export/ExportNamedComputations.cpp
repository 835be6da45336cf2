// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-export-named-computations: every named computation becomes a private function and a
// call of it. With an operand and a result of sharding `[{"x"}]`:
//   %1 = sdy.named_computation<"f">(%0) (%arg: tensor<8xf32>) { ... sdy.return %r }
// becomes
//   %1 = call @f(%0)                      // <@mesh, [{"x"}]>
//   func private @f(%arg: <@mesh, [{"x"}]>) { ... return %r }
// Each gets a function of its own, with the name made unique; sdy-unflatten-call-graph finds out
// later which of them are copies.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/export/SinkEdges.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_EXPORTNAMEDCOMPUTATIONS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;

class ExportNamedComputationsPass
    : public impl::ExportNamedComputationsBase<ExportNamedComputationsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    // Inner computations first: the body of the outer one then has a call to move along.
    llvm::SmallVector<sdy::NamedComputationOp> computations;
    getOperation().walk([&](sdy::NamedComputationOp op) { computations.push_back(op); });
    if (computations.empty())
      return markAllAnalysesPreserved();
    for (sdy::NamedComputationOp op : computations)
      outline(op, symbols);
  }

private:
  static void outline(sdy::NamedComputationOp op, mlir::SymbolTable &symbols) {
    // Edges belong to the computation; its shardings get what they say.
    sinkDataFlowEdges(op);
    mlir::OpBuilder builder(op);
    auto function = mlir::func::FuncOp::create(
        op.getLoc(), op.getName(),
        builder.getFunctionType(op.getOperandTypes(), op.getResultTypes()));
    function.setPrivate();
    rememberOrigin(op, function);
    function.getBody().takeBody(op.getBody());
    mlir::Operation *terminator = function.front().getTerminator();
    mlir::OpBuilder atEnd(terminator);
    mlir::func::ReturnOp::create(atEnd, terminator->getLoc(), terminator->getOperands());
    terminator->erase();
    if (op.getInShardingsAttr())
      sdy::setFuncArgShardings(function, op.getInShardingsAttr().getShardings());
    symbols.insert(function);

    auto call = mlir::func::CallOp::create(builder, op.getLoc(), function, op.getOperands());
    call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    // The thread is that of the body, so it is the function that keeps it.
    if (mlir::Attribute thread = call->removeAttr("execution_thread"))
      function->setAttr("execution_thread", thread);
    if (op.getOutShardingsAttr())
      sdy::setResultShardings(call, op.getOutShardingsAttr().getShardings());
    op.replaceAllUsesWith(call);
    op.erase();
  }

  /// What `sdy-unflatten-call-graph` needs to recognise copies.
  static void rememberOrigin(sdy::NamedComputationOp op, mlir::func::FuncOp function) {
    function->setAttr(sdy::kOriginalFuncNameAttr, op.getNameAttr());
    llvm::SmallVector<mlir::StringAttr> manualAxes = sdy::getEnclosingManualAxes(op);
    if (!manualAxes.empty())
      function->setAttr(sdy::kFuncManualAxesAttr,
                        sdy::ManualAxesAttr::get(op.getContext(), manualAxes));
  }
};

} // namespace
} // namespace shardwise::exporter
