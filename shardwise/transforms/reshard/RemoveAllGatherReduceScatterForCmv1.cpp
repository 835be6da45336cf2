// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-remove-all-gather-reduce-scatter-for-cmv1. A product overlaps with one collective on
// one side, so what is gathered before it goes first:
//   1. an all_gather goes if the product is its only use. Of several in a row this is the last; the
//      product then reads what that gathers.
//   2. if none went, a reduce_scatter goes if it is the only use of the product, and the product
//      has no unreduced axes, which would be forgotten without it.
// With x=2, `%0 = dot_general %a, %b` of `[{}, {}]` and `sdy.reduce_scatter [{"x"}, {}] %0` become
// `%0 = dot_general %a, %b` of `[{"x"}, {}]`.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/Passes.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_REMOVEALLGATHERREDUCESCATTERFORCMV1
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

bool removeGathers(mlir::Operation *product) {
  bool found = false;
  for (mlir::OpOperand &operand : product->getOpOperands()) {
    auto gather = operand.get().getDefiningOp<sdy::AllGatherOp>();
    if (!gather || !gather->hasOneUse())
      continue;
    operand.set(gather.getTensor());
    gather.erase();
    found = true;
  }
  return found;
}

void removeScatter(mlir::Operation *product) {
  mlir::Value result = product->getResult(0);
  if (!result.hasOneUse())
    return;
  auto scatter = mlir::dyn_cast<sdy::ReduceScatterOp>(*result.user_begin());
  sdy::TensorShardingAttr sharding = sdy::getSharding(result);
  if (!scatter || (sharding && !sdy::toCore(sharding).unreduced.empty()))
    return;
  sdy::setSharding(result, scatter.getOutSharding());
  scatter.getResult().replaceAllUsesWith(result);
  scatter.erase();
}

struct RemoveAllGatherReduceScatterForCmv1Pass
    : impl::RemoveAllGatherReduceScatterForCmv1Base<RemoveAllGatherReduceScatterForCmv1Pass> {
  void runOnOperation() override {
    // Collected first: an op behind the product is erased.
    llvm::SmallVector<mlir::Operation *> products;
    getOperation()->walk([&](mlir::Operation *op) {
      if (mlir::isa<stablehlo::DotOp, stablehlo::DotGeneralOp>(op))
        products.push_back(op);
    });
    for (mlir::Operation *product : products)
      if (!removeGathers(product))
        removeScatter(product);
  }
};

} // namespace

} // namespace shardwise::reshard
