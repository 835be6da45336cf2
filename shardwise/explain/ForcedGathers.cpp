// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forced gathers, read off reshards and the sheets of the ops behind them. A dimension d of the
// operand of an op is one if
//   1. it is cut before the reshard and not behind it, and some of its axes cut no other dimension
//      there: they are gathered, and not moved;
//   2. a factor of the op on d is used whole; or nothing is known of the op at all. The op may come
//      later: where a value is gathered before a loop, or before ops that go on with all of it.
// Ops that ask for a sharding, as constraints and returns do, have neither. A product of which a
// weight is gathered because that is cheaper has (1), but could work on a part.
//
//   %1 = sdy.reshard %a <@mesh, [{}, {"x"}]>      // %a: [{"y"}, {"x"}]
//   %2 = stablehlo.sort %1, dim = 0               // forced: dimension 0 over {"y"}

#include "shardwise/explain/ForcedGathers.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/explain/ProgramGroups.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/rules/ShardingRules.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwise::explain {
namespace {

/// The axes of dimension `dim` that are gathered; empty if it stays cut.
core::AxisList gatheredAxes(const core::Sharding &from, const core::Sharding &to, size_t dim) {
  if (!to.dims[dim].axes.empty())
    return {};
  core::AxisList gathered = from.dims[dim].axes;
  for (const core::DimSharding &other : to.dims)
    gathered = core::setDifference(gathered, other.axes);
  return gathered;
}

/// Whether the op of `use` cannot work on a part of dimension `dim`.
bool needsWhole(OpOperand &use, size_t dim) {
  Operation *op = use.getOwner();
  std::optional<rules::OpSheet> sheet = rules::opSheet(op);
  if (!sheet)
    return rules::isUnknownToShardingRules(op);
  return llvm::any_of(sheet->rule.operands[use.getOperandNumber()][dim],
                      [&](core::FactorIndex factor) { return !sheet->uses[factor].mayBeCut(); });
}

/// Whether dimension `dim` of `value` is whole on every device.
bool isWhole(Value value, size_t dim) {
  sdy::TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding)
    return true;
  const core::WrittenSharding &written = sdy::toCore(sharding);
  return dim >= written.dims.size() || written.dims[dim].axes.empty();
}

/// A dimension of a value.
using ValueDim = std::pair<Value, size_t>;

/// Adds what the op of `use` makes of dimension `dim`, as far as it is as whole as that.
void addNext(OpOperand &use, size_t dim, llvm::SmallVectorImpl<ValueDim> &next) {
  Operation *op = use.getOwner();
  auto add = [&](Value value, size_t at) {
    if (isWhole(value, at))
      next.push_back({value, at});
  };
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
    add(loop->getResult(number), dim);
    next.push_back({loop.getBody().getArgument(number), dim});
    return;
  }
  std::optional<rules::OpSheet> sheet = rules::opSheet(op);
  if (!sheet)
    return;
  for (core::FactorIndex factor : sheet->rule.operands[number][dim])
    for (auto [result, mapping] : llvm::zip_equal(op->getResults(), sheet->rule.results))
      if (auto position = core::findFactor(mapping, factor))
        add(result, size_t(position->dim));
}

/// Returns the op that needs all of dimension `dim` of `value`, or of what is computed of it; the
/// first by its number among those that are nearest. Null if none is found within some distance.
Operation *needingWhole(Value value, size_t dim) {
  constexpr size_t kFurthest = 1000;
  llvm::SmallVector<ValueDim> level = {{value, dim}};
  llvm::DenseSet<ValueDim> seen = {{value, dim}};
  while (!level.empty() && seen.size() < kFurthest) {
    Operation *first = nullptr;
    llvm::SmallVector<ValueDim> next;
    for (auto [at, atDim] : level)
      for (OpOperand &use : at.getUses()) {
        Operation *op = use.getOwner();
        if (!needsWhole(use, atDim))
          addNext(use, atDim, next);
        else if (!first || opNumberOf(op->getLoc()) < opNumberOf(first->getLoc()))
          first = op;
      }
    if (first)
      return first;
    llvm::erase_if(next, [&](const ValueDim &found) { return !seen.insert(found).second; });
    level = std::move(next);
  }
  return nullptr;
}

} // namespace

std::optional<ExplainedCause> forcedGather(const ReshardTransfer &reshard, const ValueId &value,
                                           const core::Mesh &mesh) {
  sdy::ReshardOp op = reshard.op;
  for (size_t dim = 0; dim < reshard.source.dims.size(); ++dim) {
    core::AxisList axes = gatheredAxes(reshard.source, reshard.target, dim);
    if (axes.empty())
      continue;
    if (Operation *first = needingWhole(op.getResult(), dim))
      return ExplainedCause{opNumberOf(first->getLoc()), value, static_cast<int64_t>(dim),
                            toRefs(axes, mesh)};
  }
  return std::nullopt;
}

} // namespace shardwise::explain
