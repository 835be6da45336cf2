// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-drop-sharding-rules.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_DROPSHARDINGRULES
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

class DropShardingRulesPass : public impl::DropShardingRulesBase<DropShardingRulesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    bool found = false;
    getOperation()->walk([&](mlir::Operation *op) {
      sdy::OpShardingRuleAttr rule = sdy::getShardingRule(op);
      if (!rule || sdy::toCore(rule).isCustom)
        return;
      found = true;
      op->removeAttr(sdy::kShardingRuleAttr);
    });
    if (!found)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::exporter
