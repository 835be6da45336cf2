// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simplifications of manual computations.

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

/// Drops operands whose block argument is not used.
struct DropUnusedOperands final : OpRewritePattern<ManualComputationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ManualComputationOp op, PatternRewriter &rewriter) const override {
    llvm::BitVector unused(op.getNumOperands());
    SmallVector<TensorShardingAttr> kept;
    for (auto [index, argument] : llvm::enumerate(op.getBody().getArguments()))
      if (argument.use_empty())
        unused.set(index);
      else
        kept.push_back(op.getInShardings()[index]);
    if (unused.none())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op->eraseOperands(unused);
      op.getBody().front().eraseArguments(unused);
      op.setInShardingsAttr(TensorShardingPerValueAttr::get(op.getContext(), kept));
    });
    return success();
  }
};

/// Number of parts that the manual axes cut a tensor into; one if there are no shardings to say.
int64_t countManualParts(ManualComputationOp op) {
  for (TensorShardingPerValueAttr shardings : {op.getInShardings(), op.getOutShardings()}) {
    for (TensorShardingAttr sharding : shardings.getShardings()) {
      MeshAttr mesh = getMesh(sharding, op);
      if (!mesh || mesh.isEmpty())
        continue;
      int64_t parts = 1;
      for (StringAttr axis : op.getManualAxes().getAxes())
        if (auto index = toCore(mesh).axisIndexOrNull(axis.getValue()))
          parts *= toCore(mesh).axisSize(*index);
      return parts;
    }
  }
  return 1;
}

/// Inlines the body, possibly empty, if the manual axes have a single part: inside and outside are
/// the same then.
struct InlineTrivialComputation final : OpRewritePattern<ManualComputationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ManualComputationOp op, PatternRewriter &rewriter) const override {
    if (countManualParts(op) != 1)
      return failure();
    ReturnOp terminator = op.getReturn();
    rewriter.inlineBlockBefore(&op.getBody().front(), op, op.getOperands());
    // Arguments that are returned as they are have been replaced in the terminator by now.
    SmallVector<Value> returned = llvm::to_vector(terminator.getOperands());
    rewriter.replaceOp(op, returned);
    rewriter.eraseOp(terminator);
    return success();
  }
};

} // namespace

void ManualComputationOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                      MLIRContext *context) {
  patterns.add<DropUnusedOperands, InlineTrivialComputation>(context);
}

} // namespace shardwise::sdy
