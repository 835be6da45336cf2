// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-save-module.

#include "shardwise/transforms/propagate/ModuleDump.h"
#include "shardwise/transforms/propagate/Passes.h"

namespace shardwise::propagate {

#define GEN_PASS_DEF_SAVEMODULEPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

class SaveModulePass : public impl::SaveModulePassBase<SaveModulePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    if (mlir::failed(dumpModule(getOperation(), moduleDumpDirectory, dumpIndex, dumpName)))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwise::propagate
