// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: batch, free and contracting dimensions. Products over parts of a contracted
// dimension add up.
//
// A ragged_dot is a product per group of consecutive slices of lhs, as many as `group_sizes` says.
// Example: 12 rows of 8 that meet the matrices of 3 experts, `chlo.ragged_dot` of 12x8, 3x8x4 and 3
// to 12x4, is `([i, k], [l, k, j], [m])->([i, j]) {i=12, j=4, k=8, l=3, m=3} reduction={k, l}
// need_replication={m}`:
//   i  rows. Which expert a row meets depends on how many rows are before it: a device counts from
//      the sizes of all groups and from where its rows start.
//   l  experts. A device gives the rows of its experts, zeros elsewhere; the sum is the result.
//   m  the sizes, of no use apart.
// Where the ragged dimension is contracted, every group gives a product of its own: the groups are
// a dimension of the result, and a device computes those that it has.
//
// Results of dot_general have the batch dimensions first, then the free ones of lhs, then those of
// rhs, so factors are added in this order: with batching_dims = [0] x [0], contracting_dims = [2] x
// [1], it is `([i, j, l], [i, l, k])->([i, j, k]) reduction={l}`.

#include "shardwise/dialect/chlo/ChloOps.h"
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

/// The dimension of the group sizes that runs along batching dimension number `number`: they are
/// one list for all batches, or one for each.
int64_t sizesDimOfBatch(chlo::RaggedDotOp op, size_t number) {
  llvm::ArrayRef<int64_t> sizes = shapeOf(op.getGroupSizes());
  auto numbers = op.getRaggedDotDimensionNumbers();
  llvm::ArrayRef<int64_t> batching = numbers.getLhsBatchingDimensions();
  if (sizes.size() != batching.size() + 1 ||
      llvm::is_contained(batching, numbers.getLhsRaggedDimensions().front()))
    return kNoDim;
  return static_cast<int64_t>(number);
}

core::ShardingRule raggedDot(chlo::RaggedDotOp op) {
  auto dims = op.getRaggedDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs());
  llvm::ArrayRef<int64_t> rhsShape = shapeOf(op.getRhs());
  llvm::ArrayRef<int64_t> sizesShape = shapeOf(op.getGroupSizes());
  RuleBuilder builder(op);
  int64_t resultDim = 0;
  if (llvm::is_contained(dims.getLhsContractingDimensions(), dims.getLhsRaggedDimensions().front()))
    builder.addFactor({kNoDim, kNoDim, kNoDim}, {resultDim++}, sizesShape.back());
  for (auto [number, lhs] : llvm::enumerate(dims.getLhsBatchingDimensions()))
    builder.addFactor({lhs, dims.getRhsBatchingDimensions()[number], sizesDimOfBatch(op, number)},
                      {resultDim++}, lhsShape[lhs]);
  for (int64_t dim = 0; dim < static_cast<int64_t>(lhsShape.size()); ++dim)
    if (!llvm::is_contained(dims.getLhsBatchingDimensions(), dim) &&
        !llvm::is_contained(dims.getLhsContractingDimensions(), dim))
      builder.addFactor({dim, kNoDim, kNoDim}, {resultDim++}, lhsShape[dim]);
  for (int64_t dim = 0; dim < static_cast<int64_t>(rhsShape.size()); ++dim)
    if (!llvm::is_contained(dims.getRhsBatchingDimensions(), dim) &&
        !llvm::is_contained(dims.getRhsContractingDimensions(), dim) &&
        !llvm::is_contained(dims.getRhsGroupDimensions(), dim))
      builder.addFactor({kNoDim, dim, kNoDim}, {resultDim++}, rhsShape[dim]);
  for (auto [lhs, rhs] :
       llvm::zip_equal(dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions()))
    builder.addFactor({lhs, rhs, kNoDim}, {kNoDim}, lhsShape[lhs], kReduction);
  for (int64_t dim : dims.getRhsGroupDimensions())
    builder.addFactor({kNoDim, dim, kNoDim}, {kNoDim}, rhsShape[dim], kReduction);
  // What is left of the sizes, which are of no use apart.
  for (int64_t dim = 0; dim < static_cast<int64_t>(sizesShape.size()); ++dim)
    if (dim + 1 == static_cast<int64_t>(sizesShape.size()) || sizesDimOfBatch(op, dim) == kNoDim)
      builder.addFactor({kNoDim, kNoDim, dim}, {kNoDim}, sizesShape[dim], kNeedReplication);
  return builder.build();
}

/// On booleans the sum is an "or", which would combine by maximum: such dots stay whole.
void contractionUses(mlir::Operation *op, FactorUses &uses) {
  if (!isBoolean(op->getResult(0)))
    uses.combineReductions(core::ReductionKind::Sum);
}

/// Groups that each batch has of its own start at another place in every batch, so a device could
/// not take the slices of its groups as one piece.
void raggedDotUses(mlir::Operation *operation, FactorUses &uses) {
  contractionUses(operation, uses);
  // The local form counts groups and slices in equal parts.
  uses.keepEven();
  auto op = mlir::cast<chlo::RaggedDotOp>(operation);
  auto numbers = op.getRaggedDotDimensionNumbers();
  if (rankOf(op.getGroupSizes()) == 1)
    return;
  bool isContracting = llvm::is_contained(numbers.getLhsContractingDimensions(),
                                          numbers.getLhsRaggedDimensions().front());
  uses.keepOnly([&](core::FactorIndex factor) {
    if (isContracting)
      return dimOf(uses.rule().results[0], factor) != 0;
    int64_t dim = dimOf(uses.rule().operands[1], factor);
    return dim == kNoDim || !llvm::is_contained(numbers.getRhsGroupDimensions(), dim);
  });
}

} // namespace

void addDotSheets(SheetTable &table) {
  table.add<stablehlo::DotGeneralOp>(ofKind({ruleOf<dotGeneral>, contractionUses, linearInEither}));
  table.add<stablehlo::DotOp>({ruleOf<dot>, contractionUses, linearInEither});
  table.add<chlo::RaggedDotOp>({ruleOf<raggedDot>, raggedDotUses});
}

} // namespace shardwise::rules
