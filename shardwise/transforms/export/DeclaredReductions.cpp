// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes per kind, off the sheet of the op:
//   %0 = stablehlo.reduce(%a ...) applies stablehlo.add across dimensions = [0]   // %a: [{"x"},
//   {}]
// has the factor of dimension 0 as partial(sum), so {"x"} combines by sum.

#include "shardwise/transforms/export/DeclaredReductions.h"

#include "shardwise/core/Text.h"

namespace shardwise::exporter {

using core::ReductionKind;

core::AxisList combinedAxes(mlir::Operation *op, const rules::OpSheet &sheet, ReductionKind kind,
                            ShardingLookup shardingOf) {
  core::AxisList axes;
  auto isCombined = [&](core::FactorIndex factor) {
    return sheet.uses[factor].isPartial() && sheet.uses[factor].combination() == kind;
  };
  for (auto [operand, mapping] : llvm::zip_equal(op->getOperands(), sheet.rule.operands)) {
    if (llvm::none_of(mapping,
                      [&](const core::DimMapping &dim) { return llvm::all_of(dim, isCombined); }))
      continue;
    core::Sharding sharding = shardingOf(operand);
    for (size_t dim = 0; dim < std::min(mapping.size(), sharding.dims.size()); ++dim)
      if (llvm::all_of(mapping[dim], isCombined))
        llvm::append_range(axes, sharding.dims[dim].axes);
  }
  return axes;
}

mlir::LogicalResult verifyDeclaredReduction(mlir::Operation *op, unsigned number,
                                            const core::Sharding &declared, const core::Mesh &mesh,
                                            const rules::OpSheet &sheet,
                                            ShardingLookup shardingOf) {
  for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min}) {
    if (kind == declared.reduction)
      continue;
    core::AxisList combined = combinedAxes(op, sheet, kind, shardingOf);
    for (const core::Axis &axis : declared.unreduced)
      if (core::overlaps(combined, {&axis, 1}))
        return op->emitOpError("result ")
               << number << " is declared unreduced by " << core::toString(declared.reduction)
               << " along " << core::toString(axis, mesh)
               << ", but what the devices compute there combines by " << core::toString(kind)
               << "; declare that, or reduce over a dimension that is not cut";
  }
  return mlir::success();
}

} // namespace shardwise::exporter
