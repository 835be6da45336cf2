// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-capture-loop-invariants: whoever uses a value that a loop carries and does not
// change uses what the loop starts from instead. So it is seen to be the same in every round, and
// is resharded once, before the loop. JAX carries all that the body of a loop reads.
//   %r:2 = while(%s = %h, %q = %w) { %t = add %s, %q; return %t, %q }
// becomes
//   %r:2 = while(%s = %h, %q = %w) { %t = add %s, %w; return %t, %q }
// The loop keeps its operands and results, since reports count them. What it still carries without
// a use takes nothing, as it is where its start is, and goes with shardwise-drop-carried.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/import/WrittenShardings.h"
#include "shardwise/transforms/reshard/Passes.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_CAPTURELOOPINVARIANTS
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

void capture(stablehlo::WhileOp loop) {
  mlir::Operation *next = loop.getBody().front().getTerminator();
  for (auto [number, start] : llvm::enumerate(loop->getOperands())) {
    mlir::Value inBody = loop.getBody().getArgument(number), result = loop->getResult(number);
    if (next->getOperand(number) != inBody)
      continue;
    sdy::setSharding(result, sdy::getSharding(start));
    inBody.replaceUsesWithIf(start, [&](mlir::OpOperand &use) { return use.getOwner() != next; });
    loop.getCond().getArgument(number).replaceAllUsesWith(start);
    result.replaceAllUsesWith(start);
  }
}

class CaptureLoopInvariantsPass
    : public impl::CaptureLoopInvariantsBase<CaptureLoopInvariantsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    // An inner loop starts from what the outer one was seen not to change.
    getOperation()->walk<mlir::WalkOrder::PreOrder>([](stablehlo::WhileOp loop) {
      if (!importer::hasWrittenSharding(loop))
        capture(loop);
    });
  }
};

} // namespace

} // namespace shardwise::reshard
