// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bringing one use of a value to a sharding: the ops that do it, for
// sdy-insert-explicit-reshards.

#pragma once

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwise::exporter {

/// What is made explicit.
enum class ReshardExtent {
  /// Axes that start or stop being unreduced, and what they require.
  Unreduced,
  /// Every change of sharding.
  All,
};

/// Puts ops at the position of `builder` that bring `use` from the sharding of its value to
/// `target`, and lets the use take their result. Either sharding may be null: closed and without
/// axes. In order, each only where needed:
///   1. `sdy.all_reduce` over the axes that are no longer unreduced;
///   2. `sdy.reshard` of the dimensions. Axes at the end of a dimension that become unreduced stay;
///   3. `sdy.replicated_to_unreduced` and `sdy.sharded_to_unreduced` over the new unreduced axes.
/// Example: `[{"x"}], unreduced={"y"}` to `[{}], unreduced={"x"}` is all_reduce over y and then
/// sharded_to_unreduced over x.
void reshardUse(mlir::OpOperand &use, sdy::TensorShardingAttr target, ReshardExtent extent,
                mlir::OpBuilder &builder, const mlir::SymbolTable &symbols);

/// Only step 1: combines the unreduced axes of the value that `target` does not have unreduced.
void allReduceUse(mlir::OpOperand &use, sdy::TensorShardingAttr target, mlir::OpBuilder &builder,
                  const mlir::SymbolTable &symbols);

/// Whether `target` has unreduced axes that `source` lacks, on meshes that can be compared. Values
/// without sharding do not become unreduced.
bool becomesUnreduced(sdy::TensorShardingAttr source, sdy::TensorShardingAttr target,
                      const mlir::SymbolTable &symbols);

/// Puts an `sdy.all_reduce` of `value` over `axes`, in any order, at the position of `builder`.
mlir::Value createAllReduce(mlir::OpBuilder &builder, mlir::Value value, core::AxisList axes,
                            core::ReductionKind kind, sdy::TensorShardingAttr outSharding,
                            const core::Mesh &mesh);

} // namespace shardwise::exporter
