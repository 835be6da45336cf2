// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits the places that can hold a sharding.

#include "shardwise/transforms/import/ReplaceShardings.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace shardwise::importer {

namespace {

using sdy::TensorShardingAttr;
using sdy::TensorShardingPerValueAttr;

class Replacer {
public:
  explicit Replacer(llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> replace)
      : replace(replace) {}

  void visit(mlir::Operation *op) {
    if (auto perValue = op->getAttrOfType<TensorShardingPerValueAttr>(sdy::kShardingAttr))
      if (auto updated = replacementOf(perValue); updated != perValue)
        op->setAttr(sdy::kShardingAttr, updated);
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::DataFlowEdgeOp>(
            [&](auto op) { op.setShardingAttr(replacementOf(op.getShardingAttr())); })
        .Case<sdy::ManualComputationOp, sdy::NamedComputationOp>([&](auto op) {
          op.setInShardingsAttr(replacementOf(op.getInShardingsAttr()));
          op.setOutShardingsAttr(replacementOf(op.getOutShardingsAttr()));
        })
        .Case([&](sdy::CollectiveOpInterface op) {
          op.setOutShardingAttr(replacementOf(op.getOutSharding()));
        })
        .Case([&](mlir::func::FuncOp op) { visitSignature(op); });
  }

  /// Whether any sharding was replaced by another one.
  bool hasChanged = false;

private:
  void visitSignature(mlir::func::FuncOp function) {
    if (auto updated = replaceAll(sdy::getFuncArgShardings(function)))
      sdy::setFuncArgShardings(function, *updated);
    if (auto updated = replaceAll(sdy::getFuncResultShardings(function)))
      sdy::setFuncResultShardings(function, *updated);
  }

  /// The replaced shardings, or nothing if none changes.
  std::optional<llvm::SmallVector<TensorShardingAttr>>
  replaceAll(llvm::SmallVector<TensorShardingAttr> shardings) {
    bool anyChanged = false;
    for (TensorShardingAttr &sharding : shardings) {
      TensorShardingAttr updated = replacementOf(sharding);
      anyChanged |= updated != sharding;
      sharding = updated;
    }
    if (!anyChanged)
      return std::nullopt;
    return shardings;
  }

  TensorShardingAttr replacementOf(TensorShardingAttr sharding) {
    if (!sharding)
      return sharding;
    auto it = replaced.find(sharding);
    if (it == replaced.end())
      it = replaced.try_emplace(sharding, replace(sharding)).first;
    hasChanged |= it->second != sharding;
    return it->second;
  }

  TensorShardingPerValueAttr replacementOf(TensorShardingPerValueAttr perValue) {
    if (!perValue)
      return perValue;
    llvm::SmallVector<TensorShardingAttr> shardings;
    for (TensorShardingAttr sharding : perValue.getShardings())
      shardings.push_back(replacementOf(sharding));
    return TensorShardingPerValueAttr::get(perValue.getContext(), shardings);
  }

  llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> replace;
  llvm::DenseMap<TensorShardingAttr, TensorShardingAttr> replaced;
};

} // namespace

bool replaceShardings(mlir::ModuleOp module,
                      llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> replace) {
  Replacer replacer(replace);
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) { replacer.visit(op); });
  return replacer.hasChanged;
}

} // namespace shardwise::importer
