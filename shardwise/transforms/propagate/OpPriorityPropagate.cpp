// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-op-priority-propagate.

#include "shardwise/transforms/propagate/PassOptions.h"
#include "shardwise/transforms/propagate/Passes.h"

namespace shardwise::propagate {

#define GEN_PASS_DEF_OPPRIORITYPROPAGATEPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

class OpPriorityPropagatePass : public impl::OpPriorityPropagatePassBase<OpPriorityPropagatePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    PropagationOptions options = PassOptionsReader::read(*this, PropagationHierarchy::OpPriority);
    options.strategy = propagationStrategy;
    options.runOpPriorities = runOpPriorityPropagation;
    if (mlir::failed(runPropagation(getOperation(), options)))
      signalPassFailure();
  }

  friend PassOptionsReader;
};

} // namespace
} // namespace shardwise::propagate
