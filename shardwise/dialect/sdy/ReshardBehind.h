// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reshard between a value and all that uses it.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace shardwise::sdy {

/// Puts an `sdy.reshard` of `value` to `sharding` at the position of `builder`, lets every other
/// use of `value` take its result, and returns that. Requires: the position is behind the
/// definition of `value` and before its uses.
///
/// With an op that computes `[{"x"}]` where users expect `[{"y"}]`:
/// ```mlir
/// %0 = stablehlo.exponential %a    // <@mesh, [{"x"}]>
/// %1 = sdy.reshard %0 <@mesh, [{"y"}]>
/// %2 = stablehlo.negate %1         // used %0
/// ```
mlir::Value reshardBehind(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                          TensorShardingAttr sharding);

} // namespace shardwise::sdy
