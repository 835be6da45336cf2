// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-unflatten-call-graph: undoes sdy-flatten-call-graph where that was not needed.
// Flattening gives every call a function of its own, so that each could get other shardings; copies
// that got the same are one function again:
//   call @f(%a)     // @f:   (<@mesh, [{"x"}]>) -> <@mesh, [{"x"}]>
//   call @f_1(%b)   // @f_1: as @f; becomes call @f(%b)
//   call @f_2(%c)   // @f_2: (<@mesh, [{}]>) -> <@mesh, [{}]>; stays
// 1. Copies have one original name, are under the same manual axes, and have equal bodies
//    (BodyNumbers.h): named computations of one name need not be copies.
// 2. Of copies with equal shardings, the one that is called first stays.
// 3. With `dedupFunctionsFully`, all copies of a function become one whatever their shardings: the
//    shardings that most calls have win, which leaves the fewest reshards. They are counted call by
//    call; the ones that lead at the end have led since the call that took them past the others,
//    and its function stays:
//      call @f(%a)     // [{"x"}] leads
//      call @f_1(%b)   // [{"y"}]: no more than [{"x"}]
//      call @f_2(%c)   // [{"y"}] leads, and @f_2 takes all three calls
// Functions that nobody calls any more go with the pass sdy-remove-unused-symbols.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/BodyNumbers.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/CallGraph.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_UNFLATTENCALLGRAPH
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

/// The calls of one set of copies, as they are met.
struct Calls {
  /// By shardings of the function.
  llvm::DenseMap<mlir::Attribute, unsigned> numCalls;
  /// The shardings that lead, and the function that stays.
  mlir::Attribute leader;
  mlir::func::FuncOp function;

  void add(mlir::func::FuncOp callee, mlir::Attribute shardings) {
    unsigned count = ++numCalls[shardings];
    if (leader && (shardings == leader || count <= numCalls.lookup(leader)))
      return;
    leader = shardings;
    function = callee;
  }
};

class UnflattenCallGraphPass : public impl::UnflattenCallGraphBase<UnflattenCallGraphPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    llvm::SmallVector<std::pair<mlir::func::CallOp, mlir::func::FuncOp>> calls;
    getOperation().walk([&](mlir::func::CallOp call) {
      if (auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee()))
        calls.push_back({call, callee});
    });
    bool changed = !calls.empty();
    if (changed)
      unflatten(calls, numberBodies(getOperation(), symbols));
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      for (llvm::StringRef note : {sdy::kFuncManualAxesAttr, sdy::kOriginalFuncNameAttr})
        changed |= function->removeAttr(note) != nullptr;
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  void unflatten(llvm::ArrayRef<std::pair<mlir::func::CallOp, mlir::func::FuncOp>> calls,
                 const llvm::DenseMap<mlir::Operation *, unsigned> &bodies) const {
    llvm::DenseMap<mlir::Attribute, Calls> callsOfCopies;
    for (auto [call, callee] : calls)
      callsOfCopies[keyOf(callee, bodies)].add(callee, shardingsOf(callee));
    for (auto [call, callee] : calls)
      call.setCallee(callsOfCopies[keyOf(callee, bodies)].function.getSymName());
  }

  /// Functions with equal keys are to be one.
  mlir::Attribute keyOf(mlir::func::FuncOp function,
                        const llvm::DenseMap<mlir::Operation *, unsigned> &bodies) const {
    mlir::Builder builder(function.getContext());
    mlir::Attribute manualAxes = function->getAttr(sdy::kFuncManualAxesAttr);
    return builder.getArrayAttr(
        {importer::originalNameOf(function), manualAxes ? manualAxes : builder.getUnitAttr(),
         builder.getI64IntegerAttr(bodies.at(function)),
         dedupFunctionsFully ? builder.getUnitAttr() : shardingsOf(function)});
  }

  /// The shardings at the border of `function`. Beside one that has a sharding, an argument (or
  /// result) without one is an open one.
  static mlir::Attribute shardingsOf(mlir::func::FuncOp function) {
    mlir::Builder builder(function.getContext());
    auto orUnit = [&](mlir::TypeRange types, llvm::ArrayRef<sdy::TensorShardingAttr> shardings) {
      auto filled = sdy::makePerValue(builder.getContext(), types, shardings);
      return filled ? mlir::Attribute(filled) : builder.getUnitAttr();
    };
    return builder.getArrayAttr(
        {orUnit(function.getArgumentTypes(), sdy::getFuncArgShardings(function)),
         orUnit(function.getResultTypes(), sdy::getFuncResultShardings(function))});
  }
};

} // namespace
} // namespace shardwise::exporter
