// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-populate-op-sharding-rules.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/propagate/Passes.h"
#include "shardwise/transforms/propagate/UnknownOps.h"

namespace shardwise::propagate {

#define GEN_PASS_DEF_POPULATEOPSHARDINGRULESPASS
#include "shardwise/transforms/propagate/Passes.h.inc"

namespace {

class PopulateOpShardingRulesPass
    : public impl::PopulateOpShardingRulesPassBase<PopulateOpShardingRulesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    UnknownOps unknownOps;
    getOperation()->walk([&](mlir::Operation *op) {
      if (op->hasAttr(sdy::kShardingRuleAttr))
        return;
      if (auto rule = rules::shardingRule(op, {conservativePropagation}))
        op->setAttr(sdy::kShardingRuleAttr, sdy::toAttr(op->getContext(), std::move(*rule)));
      else
        unknownOps.warnIfUnknown(op);
    });
  }
};

} // namespace
} // namespace shardwise::propagate
