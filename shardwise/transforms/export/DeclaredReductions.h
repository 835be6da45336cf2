// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether results that are declared partial are so by the function by which the op's partial
// results combine. A sum over parts that is taken for a maximum gives wrong numbers, and only the
// op shows it.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/rules/OpSheet.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwise::exporter {

/// Shardings of values on one mesh; without axes if a value has none there.
using ShardingLookup = llvm::function_ref<core::Sharding(mlir::Value)>;

/// Returns the axes that cut dimensions over which `op` combines by `kind`: its results are partial
/// along these if every device computes with what it holds.
/// Example: {"x"} of a dot with k on {"x"}, by sum.
core::AxisList combinedAxes(mlir::Operation *op, const rules::OpSheet &sheet,
                            core::ReductionKind kind, ShardingLookup shardingOf);

/// Fails, with a diagnostic at `op`, if result `number`, which is declared as `declared` on `mesh`,
/// is unreduced along axes over which the op combines by another function.
/// Example: a sum over a dimension on {"x"} with the result `[{}], unreduced=max{"x"}`.
mlir::LogicalResult verifyDeclaredReduction(mlir::Operation *op, unsigned number,
                                            const core::Sharding &declared, const core::Mesh &mesh,
                                            const rules::OpSheet &sheet, ShardingLookup shardingOf);

} // namespace shardwise::exporter
