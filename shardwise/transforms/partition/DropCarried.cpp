// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-drop-carried: a loop does not carry a value that
//   1. its body gives on as it is, and does nothing else with;
//   2. its condition does not use;
//   3. nobody uses behind the loop.
// Inner loops come first: what only they carried is then without a use in the outer ones.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_DROPCARRIED
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

llvm::BitVector unusedOf(stablehlo::WhileOp loop) {
  mlir::Block &condition = loop.getCond().front(), &body = loop.getBody().front();
  llvm::BitVector unused(loop->getNumOperands());
  for (unsigned number = 0; number < unused.size(); ++number) {
    mlir::BlockArgument carried = body.getArgument(number);
    unused[number] = body.getTerminator()->getOperand(number) == carried && carried.hasOneUse() &&
                     condition.getArgument(number).use_empty() &&
                     loop->getResult(number).use_empty();
  }
  return unused;
}

void drop(stablehlo::WhileOp loop) {
  llvm::BitVector unused = unusedOf(loop);
  if (unused.none())
    return;
  mlir::OpBuilder builder(loop);
  mlir::OperationState state(loop.getLoc(), loop->getName());
  state.addAttributes(llvm::to_vector(loop->getDiscardableAttrs()));
  for (unsigned number = 0; number < unused.size(); ++number)
    if (!unused[number]) {
      state.addOperands(loop->getOperand(number));
      state.addTypes(loop->getResult(number).getType());
    }
  for (mlir::Region &region : loop->getRegions()) {
    mlir::Block &block = region.front();
    if (&region == &loop.getBody())
      block.getTerminator()->eraseOperands(unused);
    block.eraseArguments(unused);
    state.addRegion()->takeBody(region);
  }
  mlir::Operation *smaller = builder.create(state);
  unsigned kept = 0;
  for (unsigned number = 0; number < unused.size(); ++number)
    if (!unused[number])
      loop->getResult(number).replaceAllUsesWith(smaller->getResult(kept++));
  loop->erase();
}

class DropCarriedPass : public impl::DropCarriedBase<DropCarriedPass> {
public:
  using Base::Base;

  void runOnOperation() override { getOperation()->walk<mlir::WalkOrder::PostOrder>(drop); }
};

} // namespace

} // namespace shardwise::partition
