// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of a per-device program: operand and result have the shapes of shards, and the op
// says itself how its operand lies, since the op that made it says no more:
//
//   // "x"=2
//   %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@m, [{}, {}]>
//       {sdy.in_sharding = #sdy.sharding<@m, [{"x"}, {}]>} : (tensor<4x4xf32>) -> tensor<8x4xf32>
//
// With the attribute a collective or a reshard is local; without, its types are global, and equal.
// It is a discardable one: properties of the dialect's ops have the encoding that others read.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace shardwise::sdy {

/// How the operand of a local op lies.
inline constexpr llvm::StringLiteral kInShardingAttr = "sdy.in_sharding";
/// The type that the shards are of, where that cannot be read off them: a dimension does not
/// divide.
inline constexpr llvm::StringLiteral kGlobalTypeAttr = "shardwise.global_type";

/// Whether `op` is of the dialect and works on shards: a local collective or reshard, or a fetch.
bool isLocalCollective(mlir::Operation *op);

/// Returns how the operand of `op`, a collective, reshard or fetch, lies: what a local one says,
/// else the sharding of the operand. Null if there is none.
TensorShardingAttr getInSharding(mlir::Operation *op);

/// Returns the type that operand and result of `op`, which is local, are shards of: as written, or
/// `blocks` times the operand's sizes. Null if what is written is no ranked tensor type.
mlir::RankedTensorType getGlobalType(mlir::Operation *op, llvm::ArrayRef<int64_t> blocks);

/// What a local collective says of how its operand and its result lie.
struct LocalTransition {
  core::Shape shape; ///< Of which both are shards.
  core::Mesh mesh, meshAfter;
  core::Sharding before, after;
};

/// Returns that of `op`, a local collective that was verified.
LocalTransition localTransition(mlir::Operation *op);

/// Checks `sdy.in_sharding` of `op`, if it has it: a valid sharding of the operand.
mlir::LogicalResult verifyInSharding(mlir::Operation *op);

} // namespace shardwise::sdy
