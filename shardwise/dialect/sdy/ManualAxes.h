// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings at the border of a manual computation: outside they have the manual axes, before the
// free ones in every dimension; inside they do not.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/BuiltinTypes.h"

namespace shardwise::sdy {

/// Returns `sharding` without the axes in `manualAxes`.
TensorShardingAttr withoutManualAxes(TensorShardingAttr sharding, ManualAxesAttr manualAxes);

/// Returns `sharding` with the manual axes that `global` has: in every dimension before the free
/// axes, in the replicated and unreduced lists in the order of `mesh` (null if unknown: manual
/// axes first). Example: `[{"y", ?}]` with those of `[{"x", "z"}]` and `{"x"}` is `[{"x", "y",
/// ?}]`.
TensorShardingAttr withManualAxesOf(TensorShardingAttr sharding, TensorShardingAttr global,
                                    ManualAxesAttr manualAxes, MeshAttr mesh);

/// Whether all axes of the mesh are manual where `op` stands: what is written there is written per
/// device, and no value is cut further.
bool isFullyManual(mlir::Operation *op);

} // namespace shardwise::sdy
