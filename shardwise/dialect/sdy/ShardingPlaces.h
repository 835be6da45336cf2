// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one walk over every place of a module that holds a sharding. All code that checks, replaces
// or lists shardings uses it and skips the kinds that do not concern it, so that a new place is
// visited by all. ShardingAccess.h answers the other question: the sharding of one value.
//
// Ops that hold none of their own: `sdy.sharding_group`, `sdy.propagation_barrier` and
// `sdy.func_data_flow_edge`. Like any op, they may have a discardable `sdy.sharding`.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"

#include <string>

namespace shardwise::sdy {

/// Which attribute of an op a sharding is in.
enum class ShardingPlaceKind {
  FunctionArgument, ///< `sdy.sharding` of an argument of a `func.func`
  FunctionResult,   ///< the same of a result
  OpResult,         ///< an element of `sdy.sharding` of an op, one per result
  Constraint,       ///< of an `sdy.sharding_constraint`
  Reshard,          ///< of an `sdy.reshard`
  DataFlowEdge,     ///< of an `sdy.data_flow_edge`
  CollectiveResult, ///< `out_sharding` of a collective of this dialect
  LocalOperand,     ///< `in_sharding` of a collective that works on shards
  ManualOperand,    ///< an element of `in_shardings` of an `sdy.manual_computation`
  ManualResult,     ///< an element of its `out_shardings`
  NamedOperand,     ///< an element of `in_shardings` of an `sdy.named_computation`
  NamedResult,      ///< an element of its `out_shardings`
};

/// One place that holds a sharding.
struct ShardingPlace {
  ShardingPlaceKind kind;
  /// The op that has the attribute.
  mlir::Operation *op;
  /// Number of the argument, operand or result among those of `op`.
  unsigned index;
  /// Global type of the value, that of its shard at a local collective; null at an op without
  /// results, whose `sdy.sharding` says where it runs.
  mlir::Type type;
  TensorShardingAttr sharding;

  /// Where the value is written: of an argument with a body its own location, else that of `op`.
  mlir::Location location() const;
};

/// Calls `visit` for every sharding that `op` itself holds; ops in its regions are not visited.
void forEachShardingOf(mlir::Operation *op, llvm::function_ref<void(const ShardingPlace &)> visit);

/// Calls `visit` for every sharding in `module`, in program order: those of an op come before those
/// of its body.
void forEachSharding(mlir::ModuleOp module, llvm::function_ref<void(const ShardingPlace &)> visit);

/// Sets every sharding in `module`, in the same order, to `update(place)`, which is not null.
/// Returns whether anything changed.
bool updateShardings(mlir::ModuleOp module,
                     llvm::function_ref<TensorShardingAttr(const ShardingPlace &)> update);

/// The same for a change that is equal in all places: `replace` is called once for each distinct
/// sharding.
bool replaceShardings(mlir::ModuleOp module,
                      llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> replace);

/// What holds the sharding, for messages: "argument 0", "operand 1", "result 0",
/// "the constrained value", "the resharded value".
std::string toString(const ShardingPlace &place);

} // namespace shardwise::sdy
