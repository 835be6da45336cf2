// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-unflatten-call-graph: undoes sdy-flatten-call-graph where that was not needed.
// Flattening gives every call a function of its own, so that each could get other shardings; copies
// that got the same are one function again:
//   call @f(%a)     // @f:   (<@mesh, [{"x"}]>) -> <@mesh, [{"x"}]>
//   call @f_1(%b)   // @f_1: as @f; becomes call @f(%b)
//   call @f_2(%c)   // @f_2: (<@mesh, [{}]>) -> <@mesh, [{}]>; stays
// Functions that nobody calls any more go with the pass sdy-remove-unused-symbols. Bodies are not
// compared: functions of one original name are taken for copies.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

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
      // The first function of the module stands for all with its key.
      representatives.try_emplace(keyOf(function), function.getSymNameAttr());
    bool changed = false;
    getOperation().walk([&](mlir::func::CallOp call) {
      changed = true;
      if (auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee()))
        call.setCallee(representatives.lookup(keyOf(callee)));
    });
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      for (llvm::StringRef note : {sdy::kFuncManualAxesAttr, sdy::kOriginalFuncNameAttr})
        changed |= function->removeAttr(note) != nullptr;
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  /// Functions with equal keys are taken for copies of one function, with equal shardings at their
  /// border unless those are to be ignored. Manual axes and type are in the key, as named
  /// computations of one name may differ in them.
  mlir::Attribute keyOf(mlir::func::FuncOp function) const {
    mlir::MLIRContext *context = function.getContext();
    auto orUnit = [&](mlir::Attribute attr) {
      return attr ? attr : mlir::Attribute(mlir::UnitAttr::get(context));
    };
    mlir::Attribute name = function->getAttr(sdy::kOriginalFuncNameAttr);
    llvm::SmallVector<mlir::Attribute> key{name ? name : mlir::Attribute(function.getSymNameAttr()),
                                           orUnit(function->getAttr(sdy::kFuncManualAxesAttr)),
                                           function.getFunctionTypeAttr()};
    if (dedupFunctionsFully)
      return mlir::ArrayAttr::get(context, key);
    for (sdy::TensorShardingAttr sharding : sdy::getFuncArgShardings(function))
      key.push_back(orUnit(sharding));
    for (sdy::TensorShardingAttr sharding : sdy::getFuncResultShardings(function))
      key.push_back(orUnit(sharding));
    return mlir::ArrayAttr::get(context, key);
  }
};

} // namespace
} // namespace shardwise::exporter
