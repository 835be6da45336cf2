// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-drop-unused-collectives: what nobody uses is not sent. A collective has no
// effect but its results, and it goes for all devices alike, so none waits for it. What was
// computed for it alone goes as well.
//   %1 = tanh %0
//   %2 = collective_permute %1        // the last round of a pipeline: nobody reads %2
// Ops are looked at backwards, users first.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/transforms/reshard/Passes.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_DROPUNUSEDCOLLECTIVES
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

class DropUnusedCollectivesPass
    : public impl::DropUnusedCollectivesBase<DropUnusedCollectivesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    // Only what fed a collective: the rest is as the user wrote it.
    llvm::SmallPtrSet<mlir::Operation *, 16> feeds;
    getOperation()->walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>(
        [&](mlir::Operation *op) {
          bool isDead = stablehlo::collectiveKind(op)
                            ? op->use_empty()
                            : feeds.contains(op) && mlir::isOpTriviallyDead(op);
          if (!isDead)
            return;
          for (mlir::Value operand : op->getOperands())
            if (mlir::Operation *giver = operand.getDefiningOp())
              feeds.insert(giver);
          feeds.erase(op);
          op->erase();
        });
  }
};

} // namespace

} // namespace shardwise::reshard
