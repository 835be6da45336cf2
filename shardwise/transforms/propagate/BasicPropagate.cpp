// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-basic-propagate.

#include "shardwise/transforms/propagate/PassOptions.h"
#include "shardwise/transforms/propagate/Passes.h"

namespace shardwise::propagate {

#define GEN_PASS_DEF_BASICPROPAGATEPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

class BasicPropagatePass : public impl::BasicPropagatePassBase<BasicPropagatePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    PropagationOptions options = PassOptionsReader::read(*this, PropagationHierarchy::Basic);
    if (mlir::failed(runPropagation(getOperation(), options)))
      signalPassFailure();
  }

  friend PassOptionsReader;
};

} // namespace
} // namespace shardwise::propagate
