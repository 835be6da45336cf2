// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op is to those who decide where its operands and results are.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/IR/Operation.h"

namespace shardwise::reshard {

/// A closed list: what reads it switches over it.
enum class OpRole {
  /// Ends a region or a function: each operand becomes a result of what is around.
  Terminator,
  /// A loop or an optimization barrier: operand i becomes result i.
  Forward,
  /// Its index or condition is wanted whole, its results are those of its regions.
  Branch,
  /// A manual or named computation: its operands go in as it says.
  Computation,
  Call,
  /// Constraint, barrier or edge of propagation: it says where its operand is to be, and goes.
  Constraint,
  /// Says something to propagation only, and goes.
  Obsolete,
  /// A constant, iota, reshard or collective: made in any sharding, or just what the user wants.
  Placed,
  /// All others: they compute, by their sheet or on whole operands.
  Computes,
};

OpRole roleOf(mlir::Operation *op);

/// Where an operand has to be of an op that does not compute.
struct Destination {
  /// The result that it becomes: it has to be where that is.
  mlir::Value result;
  /// Else its sharding, of the type of the operand; null if every device needs all of it.
  sdy::TensorShardingAttr sharding;

  sdy::TensorShardingAttr get() const { return result ? sdy::getSharding(result) : sharding; }
};

/// Returns the destination of an operand of an op that is neither `Computes` nor `Placed`. The
/// condition of a loop becomes nothing and is wanted whole; so is what the bodies of other ops
/// give, as `reduce` and `chlo.scan`, in which no placement is known.
Destination destinationOf(mlir::OpOperand &use);

} // namespace shardwise::reshard
