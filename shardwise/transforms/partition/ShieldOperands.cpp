// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-shield-operands, for XLA: barriers between two ops that it would simplify to
// something wrong (docs/design/0019-output-forms.md).
//
// A scatter into a cut dimension leaves out what its indices put outside of the shard. XLA writes a
// scatter of one update as: read the place, choose the new or the old number, write it back, where
// reading and writing clamp the index alike. Behind the dynamic slice by which a device takes its
// shard of a whole value, XLA adds up the two starts and clamps the sum. Example, device 1 of x=2,
// 4 elements, index 1, which is -1 in the shard: read at place 1 of the whole, written back at 0 of
// the shard, which is element 2 of the whole.
//
// An all_to_all becomes one of as many operands as there are devices. Those of a padded value are
// simplified one by one, may then be laid out differently, and are refused.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/Passes.h"

#include "mlir/IR/Builders.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_SHIELDOPERANDS
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

/// Puts a barrier before `operand` if a `Giver` gives it.
template <class Giver> void shieldFrom(mlir::OpOperand &operand) {
  if (!operand.get().getDefiningOp<Giver>())
    return;
  mlir::OpBuilder builder(operand.getOwner());
  auto barrier = stablehlo::OptimizationBarrierOp::create(builder, operand.getOwner()->getLoc(),
                                                          operand.get().getType(), operand.get());
  operand.set(barrier->getResult(0));
}

class ShieldOperandsPass : public impl::ShieldOperandsBase<ShieldOperandsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](mlir::Operation *op) {
      if (mlir::isa<stablehlo::ScatterOp>(op))
        for (mlir::OpOperand &operand : op->getOpOperands().take_front(op->getNumResults()))
          shieldFrom<stablehlo::DynamicSliceOp>(operand);
      else if (mlir::isa<stablehlo::AllToAllOp>(op))
        for (mlir::OpOperand &operand : op->getOpOperands())
          shieldFrom<stablehlo::PadOp>(operand);
    });
  }
};

} // namespace

} // namespace shardwise::partition
