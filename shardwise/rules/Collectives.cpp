// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that the program itself contains. A dimension along which one gathers, scatters or
// splits has one factor for the operand and another for the result, and both must be whole; the
// other dimensions pass through. An all_gather along dimension 1 is
// `([i, j])->([i, k]) need_replication={j, k}`.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

namespace shardwise::rules {

namespace {

using namespace stablehlo;
using core::ShardingRule;

/// Every dimension passes through except `specialDims`, each of which gets one factor for the
/// operands and another for the results: their parts mean different things.
ShardingRule separating(mlir::Operation *op, llvm::ArrayRef<int64_t> specialDims) {
  llvm::ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  llvm::ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(outShape))
    if (!llvm::is_contained(specialDims, static_cast<int64_t>(dim)))
      builder.addFactorOnAll(dim, size);
  for (int64_t dim : specialDims) {
    builder.addOperandFactor(dim, inShape[dim], kNeedReplication);
    builder.addResultFactor(dim, outShape[dim], kNeedReplication);
  }
  return builder.build();
}

ShardingRule allToAll(AllToAllOp op) {
  llvm::SmallVector<int64_t, 2> dims{static_cast<int64_t>(op.getSplitDimension())};
  if (op.getConcatDimension() != op.getSplitDimension())
    dims.push_back(op.getConcatDimension());
  return separating(op, dims);
}

ShardingRule allGather(AllGatherOp op) {
  return separating(op, static_cast<int64_t>(op.getAllGatherDim()));
}

ShardingRule reduceScatter(ReduceScatterOp op) {
  return separating(op, static_cast<int64_t>(op.getScatterDimension()));
}

/// What other devices receive must not be padding.
void evenUses(mlir::Operation *, FactorUses &uses) {
  uses.keepEven();
}

} // namespace

void addCollectiveSheets(SheetTable &table) {
  table.add<AllReduceOp, CollectiveBroadcastOp, CollectivePermuteOp, CrossReplicaSumOp>(
      {ruleOf<pointwiseRule>, evenUses});
  table.add<AllGatherOp>({ruleOf<allGather>, evenUses});
  table.add<AllToAllOp>({ruleOf<allToAll>, evenUses});
  table.add<ReduceScatterOp>({ruleOf<reduceScatter>, evenUses});
}

} // namespace shardwise::rules
