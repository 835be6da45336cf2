// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-inline-calls: the body of a function takes the place of each of its calls.
// Propagation then sees no border, and each call may get shardings of its own. What the border said
// becomes constraints. With `func @f(%x: <@m, [{"x"}]>)`:
//   %0 = call @f(%a)
// becomes
//   %1 = sdy.sharding_constraint %a <@m, [{"x"}]>
//   ... the body of @f, with %1 for %x ...
// A composite is a call of its decomposition: `stablehlo.composite "n.f" %a {decomposition = @f}`.
// Its name is for those who have a kernel for it; we have none, and in its body shardings flow op
// by op.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/import/CallGraph.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/import/UnpackTuples.h"

#include "mlir/IR/IRMapping.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_INLINECALLSPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;

/// Makes calls of all composites; they keep what is annotated on these, as shardings.
void callDecompositions(mlir::ModuleOp module) {
  module.walk([](stablehlo::CompositeOp composite) {
    mlir::OpBuilder builder(composite);
    auto call = mlir::func::CallOp::create(builder, composite.getLoc(), composite.getResultTypes(),
                                           composite.getDecompositionAttr(), composite.getInputs());
    call->setDiscardableAttrs(composite->getDiscardableAttrDictionary());
    composite.replaceAllUsesWith(call.getResults());
    composite.erase();
  });
}

/// Returns `value`, or a constraint on it if somebody asks for a sharding.
mlir::Value constrained(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        TensorShardingAttr sharding) {
  if (!sharding)
    return value;
  return sdy::ShardingConstraintOp::create(builder, loc, value.getType(), value, sharding)
      .getResult();
}

class InlineCallsPass : public impl::InlineCallsPassBase<InlineCallsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    callDecompositions(getOperation());
    mlir::SymbolTable symbols(getOperation());
    auto order = calleesFirst(getOperation(), symbols);
    if (mlir::failed(order) || mlir::failed(checkExpandedSize(*order, symbols)))
      return signalPassFailure();
    // Callees first: a function that is inlined has no calls left.
    for (mlir::func::FuncOp function : *order) {
      llvm::SmallVector<mlir::func::CallOp> calls;
      function.walk([&](mlir::func::CallOp call) { calls.push_back(call); });
      for (mlir::func::CallOp call : calls)
        if (mlir::failed(inlineCall(call, symbols)))
          return signalPassFailure();
    }
    dropUnused();
    // A tuple that a function returned is now made where it is read.
    unpackTuples(getOperation());
  }

private:
  static mlir::LogicalResult inlineCall(mlir::func::CallOp call, const mlir::SymbolTable &symbols) {
    auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return call.emitOpError() << "calls @" << call.getCallee()
                                << ", which has no body; define it or make it a custom call";
    if (!callee.getBody().hasOneBlock())
      return call.emitOpError() << "calls @" << call.getCallee() << ", which has "
                                << callee.getBody().getBlocks().size()
                                << " blocks; only functions of one block can be inlined";
    mlir::FailureOr<mlir::func::ReturnOp> end = stablehlo::returnOf(callee);
    if (mlir::failed(end))
      return mlir::failure();
    mlir::OpBuilder builder(call);
    mlir::IRMapping mapping;
    for (auto [i, operand] : llvm::enumerate(call.getOperands()))
      mapping.map(callee.getArgument(i),
                  constrained(builder, call.getLoc(), operand, sdy::getFuncArgSharding(callee, i)));
    mlir::Block &body = callee.getBody().front();
    for (mlir::Operation &op : body.without_terminator())
      // Diagnostics show both the line in the function and that of the call.
      builder.clone(op, mapping)->walk([&](mlir::Operation *inlined) {
        inlined->setLoc(mlir::CallSiteLoc::get(inlined->getLoc(), call.getLoc()));
      });
    llvm::ArrayRef<TensorShardingAttr> ofCall = sdy::getResultShardings(call);
    for (auto [i, result] : llvm::enumerate(call.getResults())) {
      TensorShardingAttr sharding =
          // What the caller wrote is about this call, and so goes before what the function says of
          // all.
          ofCall.empty() ? sdy::getFuncResultSharding(callee, i) : ofCall[i];
      mlir::Value value = mapping.lookupOrDefault(end->getOperand(i));
      result.replaceAllUsesWith(constrained(builder, call.getLoc(), value, sharding));
    }
    call.erase();
    return mlir::success();
  }

  void dropUnused() {
    llvm::DenseSet<mlir::StringAttr> used;
    if (auto uses = mlir::SymbolTable::getSymbolUses(getOperation()))
      for (const mlir::SymbolTable::SymbolUse &use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<mlir::func::FuncOp>()))
      if (function.isPrivate() && !used.contains(function.getSymNameAttr()))
        function.erase();
  }
};

} // namespace
} // namespace shardwise::importer
