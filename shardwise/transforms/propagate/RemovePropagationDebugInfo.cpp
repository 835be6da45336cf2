// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-propagation-debug-info.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/propagate/Passes.h"

namespace shardwise::propagate {

#define GEN_PASS_DEF_REMOVEPROPAGATIONDEBUGINFOPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kDebugAttrs[] = {
    sdy::kPropagationEdgesAttr,         sdy::kResultPropagationEdgesAttr,
    sdy::kBlockArgPropagationEdgesAttr, sdy::kShardingOriginsAttr,
    sdy::kResultShardingOriginsAttr,    sdy::kBlockArgShardingOriginsAttr,
    sdy::kShardingOriginNameAttr,
};

mlir::DictionaryAttr withoutDebugAttrs(mlir::DictionaryAttr attributes,
                                       mlir::MLIRContext *context) {
  mlir::NamedAttrList kept(attributes);
  for (llvm::StringRef name : kDebugAttrs)
    kept.erase(name);
  return kept.getDictionary(context);
}

class RemovePropagationDebugInfoPass
    : public impl::RemovePropagationDebugInfoPassBase<RemovePropagationDebugInfoPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](mlir::Operation *op) {
      for (llvm::StringRef name : kDebugAttrs)
        op->removeAttr(name);
      if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
        clean(function);
    });
  }

private:
  static void clean(mlir::func::FuncOp function) {
    llvm::SmallVector<mlir::DictionaryAttr> arguments, results;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      arguments.push_back(withoutDebugAttrs(function.getArgAttrDict(i), function.getContext()));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      results.push_back(withoutDebugAttrs(function.getResultAttrDict(i), function.getContext()));
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(results);
  }
};

} // namespace
} // namespace shardwise::propagate
