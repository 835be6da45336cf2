// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-size-one-axes.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/import/ReplaceShardings.h"

namespace shardwise::transforms {

#define GEN_PASS_DEF_REMOVESIZEONEAXESPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

class RemoveSizeOneAxesPass : public impl::RemoveSizeOneAxesPassBase<RemoveSizeOneAxesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    bool changed = replaceShardings(getOperation(), [&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols);
      if (!mesh)
        return sharding;
      core::WrittenSharding written = sdy::toCore(sharding);
      auto removeFrom = [&](std::vector<core::AxisRef> &axes) {
        std::erase_if(axes, [&](const core::AxisRef &axis) { return hasSizeOne(axis, mesh); });
      };
      for (core::WrittenDimSharding &dim : written.dims) {
        removeFrom(dim.axes);
        // Nothing is left whose turn could be waited for.
        if (dim.axes.empty() && dim.isClosed)
          dim.priority.reset();
      }
      removeFrom(written.replicated);
      removeFrom(written.unreduced);
      return sdy::toAttr(sharding.getMeshOrRef(), std::move(written));
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  static bool hasSizeOne(const core::AxisRef &axis, sdy::MeshAttr mesh) {
    auto index = sdy::toCore(mesh).axisIndexOrNull(axis.name);
    return index && sdy::toCore(mesh).axisSize(*index) == 1;
  }
};

} // namespace
} // namespace shardwise::transforms
