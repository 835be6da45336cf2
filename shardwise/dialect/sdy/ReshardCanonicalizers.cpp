// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simplifications of reshards. Those that look through operations of other dialects are attached
// from outside, see ReshardPatterns.h.

#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/ReshardPatterns.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
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
    // A local one says how its operand lies.
    if (!inner || !inner->hasOneUse() || isLocalCollective(op) || isLocalCollective(inner) ||
        !mayGoDirectly(sdy::getSharding(inner.getInput()), op.getSharding()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(inner.getInput()); });
    rewriter.eraseOp(inner);
    return success();
  }
};

/// Same axes in every dimension and the same reserved and partial ones: the values of a and b are
/// the same on every device. Openness and priorities only matter to propagation.
bool isSamePlacement(TensorShardingAttr a, TensorShardingAttr b) {
  const core::WrittenSharding &x = toCore(a);
  const core::WrittenSharding &y = toCore(b);
  auto sameAxes = [](const core::WrittenDimSharding &p, const core::WrittenDimSharding &q) {
    return p.axes == q.axes;
  };
  return a.getMeshOrRef() == b.getMeshOrRef() && x.replicated == y.replicated &&
         x.unreduced == y.unreduced && (x.unreduced.empty() || x.reduction == y.reduction) &&
         llvm::equal(x.dims, y.dims, sameAxes);
}

/// Whether a use of `op` compares open dimensions and priorities too, and `other` has others.
bool dependsOnOpenness(ReshardOp op, ReshardOp other) {
  return toCore(op.getSharding()).dims != toCore(other.getSharding()).dims &&
         llvm::any_of(op->getUsers(), llvm::IsaPred<ReplicatedToUnreducedOp>);
}

/// A reshard takes the result of an earlier one of the same value in the same block that places
/// it the same way.
struct ReuseReshard final : OpRewritePattern<ReshardOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Uses that are looked at: a value with more has its later ones left alone, so that n
  /// reshards of one value do not cost n * n.
  static constexpr int kMaxUses = 64;

  LogicalResult matchAndRewrite(ReshardOp op, PatternRewriter &rewriter) const override {
    int numUses = 0;
    if (isLocalCollective(op))
      return failure();
    for (Operation *user : op.getInput().getUsers()) {
      if (++numUses > kMaxUses)
        break;
      auto earlier = dyn_cast<ReshardOp>(user);
      if (earlier && earlier != op && !isLocalCollective(earlier) &&
          earlier->getBlock() == op->getBlock() && earlier->isBeforeInBlock(op) &&
          isSamePlacement(earlier.getSharding(), op.getSharding()) &&
          !dependsOnOpenness(op, earlier)) {
        rewriter.replaceOp(op, earlier);
        return success();
      }
    }
    return failure();
  }
};

} // namespace

void ReshardOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.addWithLabel<MergeReshards, ReuseReshard>({kReshardLabel}, context);
  if (auto *more =
          context->getLoadedDialect<SdyDialect>()->getRegisteredInterface<ReshardPatterns>())
    more->addPatterns(patterns);
}

} // namespace shardwise::sdy
