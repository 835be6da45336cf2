// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: batch, free and contracting dimensions. Products over parts of a contracted
// dimension add up.
//
// Results of dot_general have the batch dimensions first, then the free ones of lhs, then those of
// rhs, so factors are added in this order: with batching_dims = [0] x [0], contracting_dims = [2] x
// [1], it is `([i, j, l], [i, l, k])->([i, j, k]) reduction={l}`.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

namespace shardwise::rules {

namespace {

core::ShardingRule dotGeneral(stablehlo::DotGeneralOp op) {
  auto dims = op.getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs());
  llvm::ArrayRef<int64_t> rhsShape = shapeOf(op.getRhs());
  RuleBuilder builder(op);
  int64_t resultDim = 0;
  for (auto [lhs, rhs] :
       llvm::zip_equal(dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions()))
    builder.addFactor({lhs, rhs}, {resultDim++}, lhsShape[lhs]);
  for (int64_t dim = 0; dim < static_cast<int64_t>(lhsShape.size()); ++dim)
    if (!llvm::is_contained(dims.getLhsBatchingDimensions(), dim) &&
        !llvm::is_contained(dims.getLhsContractingDimensions(), dim))
      builder.addFactor({dim, kNoDim}, {resultDim++}, lhsShape[dim]);
  for (int64_t dim = 0; dim < static_cast<int64_t>(rhsShape.size()); ++dim)
    if (!llvm::is_contained(dims.getRhsBatchingDimensions(), dim) &&
        !llvm::is_contained(dims.getRhsContractingDimensions(), dim))
      builder.addFactor({kNoDim, dim}, {resultDim++}, rhsShape[dim]);
  for (auto [lhs, rhs] :
       llvm::zip_equal(dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions()))
    builder.addFactor({lhs, rhs}, {kNoDim}, lhsShape[lhs], kReduction);
  return builder.build();
}

core::ShardingRule dot(stablehlo::DotOp op) {
  llvm::ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs());
  llvm::ArrayRef<int64_t> rhsShape = shapeOf(op.getRhs());
  int64_t lastResultDim = rankOf(op->getResult(0)) - 1;
  int64_t lhsContracting = static_cast<int64_t>(lhsShape.size()) - 1;
  RuleBuilder builder(op);
  if (lhsShape.size() == 2)
    builder.addFactor({0, kNoDim}, {0}, lhsShape[0]);
  if (rhsShape.size() == 2)
    builder.addFactor({kNoDim, 1}, {lastResultDim}, rhsShape[1]);
  builder.addFactor({lhsContracting, 0}, {kNoDim}, rhsShape[0], kReduction);
  return builder.build();
}

/// On booleans the sum is an "or", which would combine by maximum: such dots stay whole.
void contractionUses(mlir::Operation *op, FactorUses &uses) {
  if (!isBoolean(op->getResult(0)))
    uses.combineReductions(core::ReductionKind::Sum);
}

} // namespace

void addDotSheets(SheetTable &table) {
  table.add<stablehlo::DotGeneralOp>({ruleOf<dotGeneral>, contractionUses});
  table.add<stablehlo::DotOp>({ruleOf<dot>, contractionUses});
}

} // namespace shardwise::rules
