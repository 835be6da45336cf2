// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-update-non-divisible-input-output-shardings.

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_UPDATENONDIVISIBLEINPUTOUTPUTSHARDINGS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;
using Shardings = llvm::SmallVector<TensorShardingAttr>;

class UpdateNonDivisibleInputOutputShardingsPass
    : public impl::UpdateNonDivisibleInputOutputShardingsBase<
          UpdateNonDivisibleInputOutputShardingsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable table(getOperation());
    symbols = &table;
    changed = false;
    getOperation().walk([&](mlir::Operation *op) { visit(op); });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  void visit(mlir::Operation *op) {
    if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
      return visit(function);
    if (mlir::isa<mlir::func::CallOp>(op))
      return visitResults(op);
    auto withRule = mlir::dyn_cast<sdy::ShardingRuleOpInterface>(op);
    if (withRule && withRule.shouldKeepOutputShardingsDivisible())
      return visitResults(op);
    auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op);
    if (flow && flow.shouldKeepOwnerShardingsDivisible())
      visit(flow);
  }

  TensorShardingAttr divisible(TensorShardingAttr sharding, mlir::Type type) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, *symbols) : sdy::MeshAttr();
    if (!mesh || !shaped || !shaped.hasStaticShape() || sharding.isFullyReplicated())
      return sharding;
    core::Sharding resolved = sdy::resolveVerified(sharding, mesh);
    for (auto [dim, size] : llvm::zip_equal(resolved.dims, shaped.getShape()))
      dim.axes = core::evenPrefix(dim.axes, size);
    return sdy::toAttr(sharding.getMeshOrRef(), resolved, sdy::toCore(mesh));
  }

  /// Cuts all of `shardings`; returns whether any changed.
  bool cut(Shardings &shardings, mlir::TypeRange types) {
    bool anyCut = false;
    for (auto [sharding, type] : llvm::zip_equal(shardings, types)) {
      TensorShardingAttr updated = divisible(sharding, type);
      anyCut |= updated != sharding;
      sharding = updated;
    }
    changed |= anyCut;
    return anyCut;
  }

  void visit(mlir::func::FuncOp function) {
    Shardings arguments = sdy::getFuncArgShardings(function);
    if (cut(arguments, function.getArgumentTypes()))
      sdy::setFuncArgShardings(function, arguments);
    Shardings results = sdy::getFuncResultShardings(function);
    if (cut(results, function.getResultTypes()))
      sdy::setFuncResultShardings(function, results);
  }

  void visitResults(mlir::Operation *op) {
    Shardings shardings(sdy::getResultShardings(op));
    if (!shardings.empty() && cut(shardings, op->getResultTypes()))
      sdy::setResultShardings(op, shardings);
  }

  void visit(sdy::ShardableDataFlowOpInterface flow) {
    if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(flow.getOperation())) {
      // The shardings that count are those of the global values.
      Shardings in(manual.getInShardings().getShardings());
      if (cut(in, manual->getOperandTypes()))
        manual.setInShardingsAttr(sdy::TensorShardingPerValueAttr::get(manual.getContext(), in));
      Shardings out(manual.getOutShardings().getShardings());
      if (cut(out, manual->getResultTypes()))
        manual.setOutShardingsAttr(sdy::TensorShardingPerValueAttr::get(manual.getContext(), out));
      return;
    }
    Shardings arguments = flow.getBlockArgumentOwnerShardings();
    llvm::SmallVector<mlir::BlockArgument> owners = flow.getBlockArgumentOwners();
    if (!arguments.empty() &&
        cut(arguments, mlir::ValueRange(llvm::ArrayRef<mlir::BlockArgument>(owners)).getTypes()))
      flow.setBlockArgumentOwnerShardings(arguments);
    Shardings results = flow.getResultOwnerShardings();
    if (!results.empty() && cut(results, flow->getResultTypes()))
      flow.setResultOwnerShardings(results);
  }

  const mlir::SymbolTable *symbols = nullptr;
  bool changed = false;
};

} // namespace
} // namespace shardwise::exporter
