// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-shield-scattered-slices, for XLA.
//
// A scatter into a cut dimension leaves out what its indices put outside of the shard. XLA writes a
// scatter of one update as: read the place, choose the new or the old number, write it back, where
// reading and writing clamp the index alike. Behind the dynamic slice by which a device takes its
// shard of a whole value, XLA adds up the two starts and clamps the sum. Example, device 1 of x=2,
// 4 elements, index 1, which is -1 in the shard: read at clamp(2 - 1) = 1 of the whole, written
// back at clamp(-1) = 0 of the shard, which is element 2 of the whole. A barrier keeps the two
// apart.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/Passes.h"

#include "mlir/IR/Builders.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_SHIELDSCATTEREDSLICES
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

class ShieldScatteredSlicesPass
    : public impl::ShieldScatteredSlicesBase<ShieldScatteredSlicesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](stablehlo::ScatterOp scatter) {
      mlir::OpBuilder builder(scatter);
      for (mlir::OpOperand &operand : scatter->getOpOperands().take_front(scatter->getNumResults()))
        if (operand.get().getDefiningOp<stablehlo::DynamicSliceOp>())
          operand.set(stablehlo::OptimizationBarrierOp::create(
                          builder, scatter.getLoc(), operand.get().getType(), operand.get())
                          ->getResult(0));
    });
  }
};

} // namespace

} // namespace shardwise::partition
