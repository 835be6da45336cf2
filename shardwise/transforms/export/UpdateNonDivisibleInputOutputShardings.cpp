// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-update-non-divisible-input-output-shardings.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

#include <numeric>

namespace shardwise::transforms {

#define GEN_PASS_DEF_UPDATENONDIVISIBLEINPUTOUTPUTSHARDINGS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;
using Shardings = llvm::SmallVector<TensorShardingAttr>;

/// Cuts `axes` to the longest prefix that divides `size`; the last axis may be split.
void cutToDivisible(core::AxisList &axes, int64_t size) {
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t common = std::gcd(size, axes[i].size);
    if (common == axes[i].size) {
      size /= common;
      continue;
    }
    axes[i].size = common;
    axes.resize(common == 1 ? i : i + 1);
    return;
  }
}

class UpdateNonDivisibleInputOutputShardingsPass
    : public impl::UpdateNonDivisibleInputOutputShardingsBase<
          UpdateNonDivisibleInputOutputShardingsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    getOperation().walk([&](mlir::Operation *op) {
      if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
        return visit(function, symbols);
      if (mlir::isa<mlir::func::CallOp>(op))
        return visitResults(op, symbols);
      auto withRule = mlir::dyn_cast<sdy::ShardingRuleOpInterface>(op);
      if (withRule && withRule.shouldKeepOutputShardingsDivisible())
        return visitResults(op, symbols);
      auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op);
      if (flow && flow.shouldKeepOwnerShardingsDivisible())
        visit(flow, symbols);
    });
  }

private:
  static TensorShardingAttr divisible(TensorShardingAttr sharding, mlir::Type type,
                                      const mlir::SymbolTable &symbols) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, symbols) : sdy::MeshAttr();
    if (!mesh || !shaped || !shaped.hasStaticShape() || sharding.isFullyReplicated())
      return sharding;
    core::Sharding resolved = sdy::resolveVerified(sharding, mesh);
    for (auto [dim, size] : llvm::zip_equal(resolved.dims, shaped.getShape()))
      cutToDivisible(dim.axes, size);
    return sdy::toAttr(sharding.getMeshOrRef(), resolved, sdy::toCore(mesh));
  }

  /// Cuts all of `shardings`; returns whether any changed.
  static bool cut(Shardings &shardings, mlir::TypeRange types, const mlir::SymbolTable &symbols) {
    bool changed = false;
    for (auto [sharding, type] : llvm::zip_equal(shardings, types)) {
      TensorShardingAttr updated = divisible(sharding, type, symbols);
      changed |= updated != sharding;
      sharding = updated;
    }
    return changed;
  }

  static void visit(mlir::func::FuncOp function, const mlir::SymbolTable &symbols) {
    Shardings shardings;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      shardings.push_back(sdy::getFuncArgSharding(function, i));
    if (cut(shardings, function.getArgumentTypes(), symbols))
      sdy::setFuncArgShardings(function, shardings);
    shardings.clear();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      shardings.push_back(sdy::getFuncResultSharding(function, i));
    if (cut(shardings, function.getResultTypes(), symbols))
      sdy::setFuncResultShardings(function, shardings);
  }

  static void visitResults(mlir::Operation *op, const mlir::SymbolTable &symbols) {
    Shardings shardings(sdy::getResultShardings(op));
    if (!shardings.empty() && cut(shardings, op->getResultTypes(), symbols))
      sdy::setResultShardings(op, shardings);
  }

  static void visit(sdy::ShardableDataFlowOpInterface flow, const mlir::SymbolTable &symbols) {
    if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(flow.getOperation())) {
      // The shardings that count are those of the global values.
      Shardings in(manual.getInShardings().getShardings());
      if (cut(in, manual->getOperandTypes(), symbols))
        manual.setInShardingsAttr(sdy::TensorShardingPerValueAttr::get(manual.getContext(), in));
      Shardings out(manual.getOutShardings().getShardings());
      if (cut(out, manual->getResultTypes(), symbols))
        manual.setOutShardingsAttr(sdy::TensorShardingPerValueAttr::get(manual.getContext(), out));
      return;
    }
    Shardings arguments = flow.getBlockArgumentOwnerShardings();
    auto owners = flow.getBlockArgumentOwners();
    if (!arguments.empty() &&
        cut(arguments, mlir::ValueRange(toValues(owners)).getTypes(), symbols))
      flow.setBlockArgumentOwnerShardings(arguments);
    Shardings results = flow.getResultOwnerShardings();
    if (!results.empty() && cut(results, flow->getResultTypes(), symbols))
      flow.setResultOwnerShardings(results);
  }

  static llvm::SmallVector<mlir::Value> toValues(llvm::ArrayRef<mlir::BlockArgument> arguments) {
    return llvm::SmallVector<mlir::Value>(arguments.begin(), arguments.end());
  }
};

} // namespace
} // namespace shardwise::transforms
