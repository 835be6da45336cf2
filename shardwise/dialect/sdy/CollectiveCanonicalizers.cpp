// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simplifications of collectives. Each is a function that rewrites one op, or fails:
//
//   a gather, slice, reduce or reduce_scatter without axes        x
//   an all_to_all that is not used                                erased
//   collective_permute(x) to an equivalent sharding               x
//   all_slice(all_gather(x)) with the same axes                   x
//   all_reduce(replicated_to_unreduced(x)) with the same axes     x
//   all_reduce(sharded_to_unreduced(x)) with the same axes        all_gather(x)
//   all_to_all(all_to_all(x)) between different dimensions        one all_to_all(x)
//   all_slice(all_reduce(x)) along all reduced axes               reduce_scatter(x), and all_slice
//                                                                 along the axes that are left

#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;

namespace shardwise::sdy {

namespace {

constexpr StringLiteral kLabel = "sdy-collective";

/// A rewrite given as a function.
template <class OpT> struct FunctionPattern final : OpRewritePattern<OpT> {
  using Rewrite = LogicalResult (*)(OpT, PatternRewriter &);

  FunctionPattern(MLIRContext *context, Rewrite rewrite)
      : OpRewritePattern<OpT>(context), rewrite(rewrite) {}

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    // What would take its place says nothing of shards.
    return isLocalCollective(op) ? failure() : rewrite(op, rewriter);
  }

  Rewrite rewrite;
};

template <class OpT>
void add(RewritePatternSet &patterns, LogicalResult (*rewrite)(OpT, PatternRewriter &)) {
  patterns.addWithLabel<FunctionPattern<OpT>>({kLabel}, patterns.getContext(), rewrite);
}

//===----------------------------------------------------------------------===//
// Collectives that do nothing
//===----------------------------------------------------------------------===//

LogicalResult foldEmptyGather(AllGatherOp op, PatternRewriter &rewriter) {
  if (!op.getGatheringAxes().hasNoAxes())
    return failure();
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

LogicalResult foldEmptySlice(AllSliceOp op, PatternRewriter &rewriter) {
  if (!op.getSlicingAxes().hasNoAxes())
    return failure();
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

LogicalResult foldEmptyReduce(AllReduceOp op, PatternRewriter &rewriter) {
  if (!op.getReductionAxes().empty())
    return failure();
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

LogicalResult foldEmptyReduceScatter(ReduceScatterOp op, PatternRewriter &rewriter) {
  if (!op.getReduceScatterAxes().hasNoAxes())
    return failure();
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

LogicalResult eraseUnusedAllToAll(AllToAllOp op, PatternRewriter &rewriter) {
  if (!op.use_empty())
    return failure();
  rewriter.eraseOp(op);
  return success();
}

template <class Op> LogicalResult foldMoveToSame(Op op, PatternRewriter &rewriter) {
  TensorShardingAttr operand = sdy::getSharding(op.getTensor());
  if (!operand || !isEquivalent(operand, op.getOutSharding()))
    return failure();
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

//===----------------------------------------------------------------------===//
// Pairs that undo each other
//===----------------------------------------------------------------------===//

LogicalResult foldSliceOfGather(AllSliceOp op, PatternRewriter &rewriter) {
  auto gather = op.getTensor().getDefiningOp<AllGatherOp>();
  if (!gather || gather.getGatheringAxes() != op.getSlicingAxes())
    return failure();
  rewriter.replaceOp(op, gather.getTensor());
  return success();
}

LogicalResult foldReduceOfReplicated(AllReduceOp op, PatternRewriter &rewriter) {
  auto source = op.getTensor().getDefiningOp<ReplicatedToUnreducedOp>();
  if (!source || source.getAxes() != op.getReductionAxes())
    return failure();
  rewriter.replaceOp(op, source.getTensor());
  return success();
}

LogicalResult reduceOfShardedToGather(AllReduceOp op, PatternRewriter &rewriter) {
  auto source = op.getTensor().getDefiningOp<ShardedToUnreducedOp>();
  MeshAttr mesh = source ? getMesh(op.getOutSharding(), op) : MeshAttr();
  if (!mesh)
    return failure();
  AxisRefs flat;
  for (const AxisRefs &axes : source.getAxes().getLists())
    llvm::append_range(flat, axes);
  // The axes of dimensions stand in the order of the cuts, those of a reduction in mesh order.
  if (core::sortAndMerge(lookUp(flat, toCore(mesh))) !=
      lookUp(op.getReductionAxes().getAxes(), toCore(mesh)))
    return failure();
  rewriter.replaceOpWithNewOp<AllGatherOp>(op, op.getType(), source.getTensor(), source.getAxes(),
                                           op.getOutSharding());
  return success();
}

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

LogicalResult mergeAllToAlls(AllToAllOp op, PatternRewriter &rewriter) {
  auto inner = op.getTensor().getDefiningOp<AllToAllOp>();
  if (!inner || !inner->hasOneUse())
    return failure();
  AllToAllParams params = inner.getParams().getParams();
  llvm::append_range(params, op.getParams().getParams());
  // In one all_to_all a dimension gives or takes axes once, and parameters are sorted by source.
  llvm::DenseSet<int64_t> used;
  for (const AllToAllParam &param : params)
    if (!used.insert(param.source).second || !used.insert(param.target).second)
      return failure();
  llvm::sort(params,
             [](const AllToAllParam &a, const AllToAllParam &b) { return a.source < b.source; });
  rewriter.replaceOpWithNewOp<AllToAllOp>(
      op, op.getType(), inner.getTensor(),
      AllToAllParamListAttr::get(op.getContext(), std::move(params)), op.getOutSharding());
  rewriter.eraseOp(inner);
  return success();
}

/// Axes of a slice taken apart: what an all_reduce before it reduces along, and what is left.
struct ScatterSplit {
  AxisRefLists scattered;
  AxisRefLists left;
};

/// Per dimension takes the longest prefix of slicing axes that are reduction axes. None if some
/// reduction axis is not taken: along it, the sum would be missing.
/// Example: slicing `[{"x", "y"}, {}]` with {"x"} is `[{"x"}, {}]` and leaves `[{"y"}, {}]`.
std::optional<ScatterSplit> splitSlice(const AxisRefLists &slicing, const AxisRefs &reduction) {
  ScatterSplit split;
  std::vector<bool> isTaken(reduction.size(), false);
  for (const AxisRefs &axes : slicing) {
    size_t numTaken = 0;
    for (; numTaken < axes.size(); ++numTaken) {
      auto found = llvm::find(reduction, axes[numTaken]);
      if (found == reduction.end() || isTaken[found - reduction.begin()])
        break;
      isTaken[found - reduction.begin()] = true;
    }
    split.scattered.emplace_back(axes.begin(), axes.begin() + numTaken);
    split.left.emplace_back(axes.begin() + numTaken, axes.end());
  }
  if (llvm::is_contained(isTaken, false))
    return std::nullopt;
  return split;
}

/// Sharding after scattering: the operand's dimensions with the axes appended, closed; the rest as
/// after the slice.
TensorShardingAttr getScatteredSharding(AllReduceOp reduce, const AxisRefLists &scattered,
                                        TensorShardingAttr sliced, MeshAttr mesh) {
  core::Sharding sharding = resolveVerified(sliced, mesh);
  TensorShardingAttr operand = sdy::getSharding(reduce.getTensor());
  core::Sharding before =
      operand ? resolveVerified(operand, mesh) : core::replicatedSharding(sliced.getRank());
  for (auto [dim, old, added] : llvm::zip_equal(sharding.dims, before.dims, scattered)) {
    dim = {old.axes, /*isClosed=*/true, std::nullopt};
    for (const core::Axis &axis : lookUp(added, toCore(mesh)))
      core::appendOrMerge(dim.axes, axis);
  }
  return toAttr(sliced.getMeshOrRef(), sharding, toCore(mesh));
}

/// all_slice(all_reduce(x)) is reduce_scatter(x), if all users of the all_reduce slice alike.
LogicalResult fuseReduceAndSlice(AllSliceOp op, PatternRewriter &rewriter) {
  auto reduce = op.getTensor().getDefiningOp<AllReduceOp>();
  if (!reduce || reduce.getReductionAxes().empty())
    return failure();
  SmallVector<AllSliceOp> slices;
  for (Operation *user : reduce->getUsers()) {
    auto slice = dyn_cast<AllSliceOp>(user);
    if (!slice || slice.getSlicingAxes() != op.getSlicingAxes())
      return failure();
    slices.push_back(slice);
  }
  std::optional<ScatterSplit> split =
      splitSlice(op.getSlicingAxes().getLists(), reduce.getReductionAxes().getAxes());
  MeshAttr mesh = getMesh(op.getOutSharding(), op);
  if (!split || !mesh)
    return failure();
  // Here what is made comes before all of the slices that it replaces.
  rewriter.setInsertionPoint(reduce);
  MLIRContext *context = op.getContext();
  TensorShardingAttr sharding =
      getScatteredSharding(reduce, split->scattered, op.getOutSharding(), mesh);
  Value value = ReduceScatterOp::create(
      rewriter, reduce.getLoc(), op.getType(), reduce.getTensor(), reduce.getReductionOpAttr(),
      ListOfAxisRefListsAttr::get(context, split->scattered), sharding);
  auto left = ListOfAxisRefListsAttr::get(context, split->left);
  if (!left.hasNoAxes())
    value =
        AllSliceOp::create(rewriter, op.getLoc(), op.getType(), value, left, op.getOutSharding());
  for (AllSliceOp slice : slices)
    rewriter.replaceOp(slice, value);
  rewriter.eraseOp(reduce);
  return success();
}

} // namespace

void AllGatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  add(patterns, foldEmptyGather);
}

void AllSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  add(patterns, foldEmptySlice);
  add(patterns, foldSliceOfGather);
  add(patterns, fuseReduceAndSlice);
}

void AllToAllOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  add(patterns, eraseUnusedAllToAll);
  add(patterns, mergeAllToAlls);
}

void CollectivePermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  add(patterns, foldMoveToSame<CollectivePermuteOp>);
}

void ExchangeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  add(patterns, foldMoveToSame<ExchangeOp>);
}

void AllReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  add(patterns, foldEmptyReduce);
  add(patterns, foldReduceOfReplicated);
  add(patterns, reduceOfShardedToGather);
}

void ReduceScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  add(patterns, foldEmptyReduceScatter);
}

} // namespace shardwise::sdy
