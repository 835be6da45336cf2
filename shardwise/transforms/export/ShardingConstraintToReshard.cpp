// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-sharding-constraint-to-reshard.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_SHARDINGCONSTRAINTTORESHARD
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

class ShardingConstraintToReshardPass
    : public impl::ShardingConstraintToReshardBase<ShardingConstraintToReshardPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    bool found = false;
    getOperation()->walk([&](sdy::ShardingConstraintOp op) {
      found = true;
      mlir::OpBuilder builder(op);
      auto reshard = sdy::ReshardOp::create(builder, op.getLoc(), op.getType(), op.getInput(),
                                            op.getShardingAttr());
      reshard->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op.replaceAllUsesWith(reshard.getResult());
      op.erase();
    });
    if (!found)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::exporter
