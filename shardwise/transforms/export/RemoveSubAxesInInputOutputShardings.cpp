// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-sub-axes-in-input-output-shardings: arguments and results of the entry
// function get shardings of whole axes, which is all that callers can usually write (JAX names
// axes, not parts of them). `[{"x", "y":(1)2, ?}]` becomes `[{"x", ?}]`.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_REMOVESUBAXESININPUTOUTPUTSHARDINGS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;
using Shardings = llvm::SmallVector<TensorShardingAttr>;

TensorShardingAttr withoutSubAxes(TensorShardingAttr sharding) {
  if (!sharding)
    return sharding;
  core::WrittenSharding written = sdy::toCore(sharding);
  for (core::WrittenDimSharding &dim : written.dims) {
    // A closed dimension is as the user wrote it: propagation adds no axes to it.
    if (dim.isClosed)
      continue;
    // Axes behind a sub-axis go with it: without it they would cut the dimension elsewhere.
    auto firstSubAxis =
        llvm::find_if(dim.axes, [](const core::AxisRef &axis) { return axis.subAxis.has_value(); });
    dim.axes.erase(firstSubAxis, dim.axes.end());
  }
  return sdy::toAttr(sharding.getMeshOrRef(), std::move(written));
}

class RemoveSubAxesInInputOutputShardingsPass
    : public impl::RemoveSubAxesInInputOutputShardingsBase<
          RemoveSubAxesInInputOutputShardingsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::FailureOr<mlir::func::FuncOp> main = stablehlo::entryFunction(getOperation());
    if (mlir::failed(main))
      return signalPassFailure();
    if (!*main)
      return markAllAnalysesPreserved();
    Shardings arguments = sdy::getFuncArgShardings(*main);
    bool argumentsChanged = removeSubAxes(arguments);
    if (argumentsChanged)
      sdy::setFuncArgShardings(*main, arguments);
    Shardings results = sdy::getFuncResultShardings(*main);
    bool resultsChanged = removeSubAxes(results);
    if (resultsChanged)
      sdy::setFuncResultShardings(*main, results);
    if (!argumentsChanged && !resultsChanged)
      markAllAnalysesPreserved();
  }

private:
  static bool removeSubAxes(Shardings &shardings) {
    bool changed = false;
    for (TensorShardingAttr &sharding : shardings) {
      TensorShardingAttr updated = withoutSubAxes(sharding);
      changed |= updated != sharding;
      sharding = updated;
    }
    return changed;
  }
};

} // namespace
} // namespace shardwise::exporter
