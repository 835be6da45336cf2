// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-aggressive-propagate.

#include "shardwise/transforms/propagate/PassOptions.h"
#include "shardwise/transforms/propagate/Passes.h"

namespace shardwise::propagate {

#define GEN_PASS_DEF_AGGRESSIVEPROPAGATEPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

class AggressivePropagatePass : public impl::AggressivePropagatePassBase<AggressivePropagatePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    PropagationOptions options = PassOptionsReader::read(*this, PropagationHierarchy::Aggressive);
    options.strategy = propagationStrategy;
    if (mlir::failed(runPropagation(getOperation(), options)))
      signalPassFailure();
  }

  friend PassOptionsReader;
};

} // namespace
} // namespace shardwise::propagate
