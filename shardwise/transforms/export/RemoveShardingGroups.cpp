// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-sharding-groups.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_REMOVESHARDINGGROUPS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

class RemoveShardingGroupsPass : public impl::RemoveShardingGroupsBase<RemoveShardingGroupsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    bool found = false;
    getOperation().walk([&](sdy::ShardingGroupOp op) {
      found = true;
      op.erase();
    });
    if (!found)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::exporter
