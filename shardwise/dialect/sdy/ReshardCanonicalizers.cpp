// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simplifications of reshards. Equal reshards of one value are left to common-subexpression
// elimination.

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

/// Whether a reshard from `source` to `target` is a legal change of unreduced axes if both steps of
/// the way were. Example: from max{"x"} over {} to sum{"x"} is legal in two steps, not in one.
bool mayGoDirectly(TensorShardingAttr source, TensorShardingAttr target) {
  return !source || toCore(source).unreduced.empty() || toCore(target).unreduced.empty() ||
         toCore(source).reduction == toCore(target).reduction;
}

/// reshard(reshard(x)) is reshard(x), if the inner one has no other use.
struct MergeReshards final : OpRewritePattern<ReshardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshardOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshardOp>();
    if (!inner || !inner->hasOneUse() ||
        !mayGoDirectly(sdy::getSharding(inner.getInput()), op.getSharding()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(inner.getInput()); });
    rewriter.eraseOp(inner);
    return success();
  }
};

} // namespace

void ReshardOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.addWithLabel<MergeReshards>({"sdy-reshard"}, context);
}

} // namespace shardwise::sdy
