// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the result of each ragged_dot the uses are followed, through ops that compute row by row
// (the rows are one local factor), to ragged_dots with the same sizes. Where all uses end there,
// the tensors on the way are read by groups. A value that is returned, goes into a loop or has a
// constraint is read whole.

#include "shardwise/transforms/reshard/RowsOfGroups.h"

#include "shardwise/dialect/chlo/RaggedDim.h"
#include "shardwise/transforms/reshard/OpRoles.h"

namespace shardwise::reshard {

namespace {

/// Ops between two ragged_dots: far more than any expert has.
constexpr int64_t kMaxDepth = 200;

/// Whether the groups of a ragged_dot are a factor that can be cut: one list of sizes for all
/// batches, and rows that are free or contracted.
bool hasGroups(chlo::RaggedDotOp op, const chlo::RaggedDim &ragged) {
  bool isOneList = op.getGroupSizes().getType().getRank() == 1;
  bool isByGroup = !op.getRaggedDotDimensionNumbers().getRhsGroupDimensions().empty();
  return isOneList && (ragged.rhs || (ragged.result && isByGroup));
}

/// The dimension of operand number `operand` that has the rows of the groups.
std::optional<int64_t> rowsOfOperand(const chlo::RaggedDim &ragged, unsigned operand) {
  if (operand == 0)
    return ragged.lhs;
  return operand == 1 ? ragged.rhs : std::nullopt;
}

/// The only dimension of `mapping` that is `factor`, and no product with others.
std::optional<int64_t> dimThatIs(const core::TensorMapping &mapping, core::FactorIndex factor) {
  std::optional<core::FactorPosition> place = core::findFactor(mapping, factor);
  return place && mapping[place->dim].size() == 1 ? std::optional(place->dim) : std::nullopt;
}

} // namespace

FindRowsOfGroups::FindRowsOfGroups(mlir::ModuleOp module) {
  module.walk([&](chlo::RaggedDotOp op) {
    chlo::RaggedDim ragged(op);
    if (!ragged.result || !hasGroups(op, ragged))
      return;
    Rows rows{op.getGroupSizes(), *ragged.result};
    if (isReadByGroups(op.getResult(), rows, 0))
      add(op.getResult(), rows);
  });
}

/// The results that `use.getOwner()` computes row by row from the rows of an operand along `dim`;
/// none if it does not, or not all of them.
std::optional<FindRowsOfGroups::RowsOfResults>
FindRowsOfGroups::computedByRows(mlir::OpOperand &use, int64_t dim) {
  mlir::Operation *op = use.getOwner();
  if (roleOf(op) != OpRole::Computes)
    return std::nullopt;
  auto [entry, isNew] = sheets.try_emplace(op);
  if (isNew)
    entry->second = rules::opSheet(op);
  if (!entry->second)
    return std::nullopt;
  const rules::OpSheet &sheet = *entry->second;
  const core::DimMapping &factors = sheet.rule.operands[use.getOperandNumber()][dim];
  if (factors.size() != 1 || sheet.uses[factors.front()].kind() != core::FactorUse::Kind::Local)
    return std::nullopt;
  RowsOfResults results;
  for (mlir::OpResult result : op->getResults()) {
    std::optional<int64_t> place =
        dimThatIs(sheet.rule.results[result.getResultNumber()], factors.front());
    if (!place)
      return std::nullopt;
    results.push_back({result, *place});
  }
  return results;
}

bool FindRowsOfGroups::readsByGroups(mlir::OpOperand &use, const Rows &rows, int64_t depth) {
  if (auto op = mlir::dyn_cast<chlo::RaggedDotOp>(use.getOwner())) {
    chlo::RaggedDim ragged(op);
    return op.getGroupSizes() == rows.sizes && hasGroups(op, ragged) &&
           rowsOfOperand(ragged, use.getOperandNumber()) == rows.dim;
  }
  std::optional<RowsOfResults> results = computedByRows(use, rows.dim);
  return results && llvm::all_of(*results, [&](const auto &result) {
           return isReadByGroups(result.first, {rows.sizes, result.second}, depth + 1);
         });
}

bool FindRowsOfGroups::isReadByGroups(mlir::Value value, const Rows &rows, int64_t depth) {
  if (depth > kMaxDepth)
    return false;
  std::tuple key(value.getAsOpaquePointer(), rows.sizes.getAsOpaquePointer(), rows.dim);
  if (auto answer = answers.find(key); answer != answers.end())
    return answer->second;
  bool isRead = llvm::all_of(value.getUses(),
                             [&](mlir::OpOperand &use) { return readsByGroups(use, rows, depth); });
  return answers[key] = isRead;
}

/// Adds `value`, which is read by groups, and what is computed from it row by row.
void FindRowsOfGroups::add(mlir::Value value, const Rows &rows) {
  if (!known.try_emplace(value, rows).second)
    return;
  for (mlir::OpOperand &use : value.getUses()) {
    if (mlir::isa<chlo::RaggedDotOp>(use.getOwner()))
      continue;
    const RowsOfResults results = *computedByRows(use, rows.dim);
    for (auto [result, dim] : results)
      add(result, {rows.sizes, dim});
  }
}

RowsOfGroups FindRowsOfGroups::of(mlir::Operation *op, const rules::OpSheet &sheet) const {
  RowsOfGroups found;
  if (known.empty())
    return found;
  auto rowsOf = [&](mlir::Value value) {
    auto entry = known.find(value);
    return entry == known.end() ? Rows() : entry->second;
  };
  if (auto ragged = mlir::dyn_cast<chlo::RaggedDotOp>(op)) {
    chlo::RaggedDim dim(ragged);
    if (!hasGroups(ragged, dim))
      return found;
    for (unsigned number : {0, 1})
      if (std::optional<int64_t> rows = rowsOfOperand(dim, number);
          rows && rowsOf(op->getOperand(number)) == Rows{ragged.getGroupSizes(), *rows})
        found.operands.push_back(number);
    found.ofResults = known.contains(op->getResult(0));
    found.groups =
        dim.rhs ? sheet.rule.results[0][0].front()
                : sheet.rule
                      .operands[1][ragged.getRaggedDotDimensionNumbers().getRhsGroupDimensions()[0]]
                      .front();
    return found;
  }
  if (op->getNumResults() == 0 || !known.contains(op->getResult(0)))
    return found;
  Rows rows = rowsOf(op->getResult(0));
  core::FactorIndex factor = sheet.rule.results[0][rows.dim].front();
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (Rows own = rowsOf(operand); own.sizes == rows.sizes && known.contains(operand) &&
                                    dimThatIs(sheet.rule.operands[number], factor) == own.dim)
      found.operands.push_back(unsigned(number));
  found.ofResults = !found.operands.empty();
  return found;
}

} // namespace shardwise::reshard
