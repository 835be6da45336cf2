// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-remove-unused-symbols.

#include "shardwise/transforms/import/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_REMOVEUNUSEDSYMBOLSPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

/// Whether `op` could be removed, or holds symbols of its own.
bool mayHaveUnusedSymbols(mlir::Operation &op) {
  auto symbol = mlir::dyn_cast<mlir::SymbolOpInterface>(op);
  return (symbol && !symbol.isPublic()) || op.hasTrait<mlir::OpTrait::SymbolTable>();
}

class RemoveUnusedSymbolsPass : public impl::RemoveUnusedSymbolsPassBase<RemoveUnusedSymbolsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    if (llvm::none_of(*getOperation().getBody(), mayHaveUnusedSymbols))
      return markAllAnalysesPreserved();
    mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
    manager.addPass(mlir::createSymbolDCEPass());
    if (mlir::failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwise::importer
