// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-close-shardings: what propagation left open is decided, so every dimension is
// closed.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_CLOSESHARDINGS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

class CloseShardingsPass : public impl::CloseShardingsBase<CloseShardingsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    bool changed = sdy::replaceShardings(getOperation(), [](sdy::TensorShardingAttr sharding) {
      core::WrittenSharding written = sdy::toCore(sharding);
      for (core::WrittenDimSharding &dim : written.dims) {
        dim.isClosed = true;
        // A priority says when axes may propagate; without axes it says nothing.
        if (dim.axes.empty())
          dim.priority.reset();
      }
      written.replicated.clear();
      return sdy::toAttr(sharding.getMeshOrRef(), std::move(written));
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::exporter
