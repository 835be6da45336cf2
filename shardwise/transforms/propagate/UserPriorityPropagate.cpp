// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-user-priority-propagate.

#include "shardwise/transforms/propagate/PassOptions.h"
#include "shardwise/transforms/propagate/Passes.h"

namespace shardwise::transforms {

#define GEN_PASS_DEF_USERPRIORITYPROPAGATEPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

class UserPriorityPropagatePass
    : public impl::UserPriorityPropagatePassBase<UserPriorityPropagatePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    auto options =
        PassOptionsReader::read(*this, getOperation(), PropagationHierarchy::UserPriority);
    if (mlir::failed(options))
      return signalPassFailure();
    options->strategy = propagationStrategy;
    options->runOpPriorities = runOpPriorityPropagation;
    if (mlir::failed(runPropagation(getOperation(), *options)))
      signalPassFailure();
  }

  friend PassOptionsReader;
};

} // namespace
} // namespace shardwise::transforms
