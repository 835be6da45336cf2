// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-propagate-to-func-results.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_PROPAGATETOFUNCRESULTS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

class PropagateToFuncResultsPass
    : public impl::PropagateToFuncResultsBase<PropagateToFuncResultsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::FailureOr<mlir::func::FuncOp> main = stablehlo::entryFunction(getOperation());
    if (mlir::failed(main))
      return signalPassFailure();
    bool found = false;
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      if (function != *main)
        // Where another op ends the function, nothing is known of what it returns.
        if (mlir::func::ReturnOp end = stablehlo::returnOrNull(function)) {
          found = true;
          sdy::setFuncResultShardings(function, sdy::getShardings(end.getOperands()));
        }
    if (!found)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::exporter
