// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forced gathers, read off reshards and the sheets of the ops behind them. A dimension d of the
// operand of an op is one if
//   1. it is cut before the reshard and not behind it, and some of its axes cut no other dimension
//      there: they are gathered, and not moved;
//   2. a factor of the op on d is used whole; or nothing is known of the op at all.
// Ops that ask for a sharding, as constraints and returns do, have neither. A product of which a
// weight is gathered because that is cheaper has (1), but could work on a part.
//
//   %1 = sdy.reshard %a <@mesh, [{}, {"x"}]>      // %a: [{"y"}, {"x"}]
//   %2 = stablehlo.sort %1, dim = 0               // forced: dimension 0 over {"y"}

#include "shardwise/explain/ForcedGathers.h"

#include "shardwise/explain/OpMarks.h"
#include "shardwise/explain/ProgramGroups.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/rules/ShardingRules.h"

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

} // namespace

std::optional<ExplainedCause> forcedGather(const ReshardTransfer &reshard, const ValueId &value,
                                           const core::Mesh &mesh) {
  sdy::ReshardOp op = reshard.op;
  for (size_t dim = 0; dim < reshard.source.dims.size(); ++dim) {
    core::AxisList axes = gatheredAxes(reshard.source, reshard.target, dim);
    if (axes.empty())
      continue;
    Operation *first = nullptr;
    for (OpOperand &use : op->getUses())
      if (needsWhole(use, dim) &&
          (!first || opNumberOf(use.getOwner()->getLoc()) < opNumberOf(first->getLoc())))
        first = use.getOwner();
    if (first)
      return ExplainedCause{opNumberOf(first->getLoc()), value, static_cast<int64_t>(dim),
                            toRefs(axes, mesh)};
  }
  return std::nullopt;
}

} // namespace shardwise::explain
