// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-sub-axes-in-input-output-shardings.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/MainFunction.h"

namespace shardwise::transforms {

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
    if (dim.isClosed)
      continue;
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
    mlir::FailureOr<mlir::func::FuncOp> main = mainFunction(getOperation());
    if (mlir::failed(main))
      return signalPassFailure();
    if (!*main)
      return;
    Shardings shardings;
    for (unsigned i = 0; i < main->getNumArguments(); ++i)
      shardings.push_back(withoutSubAxes(sdy::getFuncArgSharding(*main, i)));
    sdy::setFuncArgShardings(*main, shardings);
    shardings.clear();
    for (unsigned i = 0; i < main->getNumResults(); ++i)
      shardings.push_back(withoutSubAxes(sdy::getFuncResultSharding(*main, i)));
    sdy::setFuncResultShardings(*main, shardings);
  }
};

} // namespace
} // namespace shardwise::transforms
