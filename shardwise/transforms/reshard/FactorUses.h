// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loop dimensions of an op the partitioner can cut. The sharding rule says what propagates;
// this says what every device can then compute on its own part, and how partial results combine.

#pragma once

#include "shardwise/core/FactorUse.h"
#include "shardwise/core/ShardingRule.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace shardwise::reshard {

/// Returns what can be done with every factor of `rule`, the rule of `op`.
///
/// Factors that need replication or a permutation cannot be cut. A reduction factor can be cut if
/// the partial results of the devices combine by sum, maximum or minimum and the op's initial
/// value does not count more than once. A pass-through factor can be cut unless the op shifts
/// elements along it.
/// Example: `dot_general` on `([i, k], [k, j])->([i, j])`: all, with k combining by sum.
std::vector<core::FactorUse> factorUses(mlir::Operation *op, const core::ShardingRule &rule);

/// Whether every element of `value` is known to be zero, looking through broadcasts and moves.
bool isZero(mlir::Value value);

} // namespace shardwise::reshard
