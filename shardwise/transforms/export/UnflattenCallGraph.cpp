// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-unflatten-call-graph.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::transforms {

#define GEN_PASS_DEF_UNFLATTENCALLGRAPH
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

class UnflattenCallGraphPass : public impl::UnflattenCallGraphBase<UnflattenCallGraphPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    llvm::DenseMap<mlir::Attribute, mlir::StringAttr> representatives;
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      representatives.try_emplace(keyOf(function), function.getSymNameAttr());
    getOperation().walk([&](mlir::func::CallOp call) {
      if (auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee()))
        call.setCallee(representatives.lookup(keyOf(callee)));
    });
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      function->removeAttr(sdy::kFuncManualAxesAttr);
  }

private:
  /// Functions with equal keys are copies of one function with equal shardings at their border.
  static mlir::Attribute keyOf(mlir::func::FuncOp function) {
    mlir::MLIRContext *context = function.getContext();
    auto orUnit = [&](mlir::Attribute attr) {
      return attr ? attr : mlir::Attribute(mlir::UnitAttr::get(context));
    };
    mlir::Attribute name = function->getAttr(sdy::kOriginalFuncNameAttr);
    llvm::SmallVector<mlir::Attribute> key{name ? name : mlir::Attribute(function.getSymNameAttr()),
                                           orUnit(function->getAttr(sdy::kFuncManualAxesAttr)),
                                           function.getFunctionTypeAttr()};
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      key.push_back(orUnit(sdy::getFuncArgSharding(function, i)));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      key.push_back(orUnit(sdy::getFuncResultSharding(function, i)));
    return mlir::ArrayAttr::get(context, key);
  }
};

} // namespace
} // namespace shardwise::transforms
