// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-user-priority-propagate.

#include "shardwise/transforms/propagate/PassOptions.h"
#include "shardwise/transforms/propagate/Passes.h"

namespace shardwise::propagate {

#define GEN_PASS_DEF_USERPRIORITYPROPAGATEPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

class UserPriorityPropagatePass
    : public impl::UserPriorityPropagatePassBase<UserPriorityPropagatePass> {
public:
  using Base::Base;
  UserPriorityPropagatePass(UserPriorityPropagatePassOptions options, PropagationObserver *observer)
      : Base(std::move(options)), observer(observer) {}

  void runOnOperation() override {
    PropagationOptions options = PassOptionsReader::read(*this, PropagationHierarchy::UserPriority);
    options.strategy = propagationStrategy;
    options.runOpPriorities = runOpPriorityPropagation;
    options.observer = observer;
    if (mlir::failed(runPropagation(getOperation(), options)))
      signalPassFailure();
  }

  friend PassOptionsReader;

private:
  PropagationObserver *observer = nullptr;
};

} // namespace

std::unique_ptr<mlir::Pass>
createObservedUserPriorityPropagatePass(UserPriorityPropagatePassOptions options,
                                        PropagationObserver *observer) {
  return std::make_unique<UserPriorityPropagatePass>(std::move(options), observer);
}

} // namespace shardwise::propagate
