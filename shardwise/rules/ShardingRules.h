// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding rules of ops: which loop dimensions ("factors") an op has and where its operands and
// results have them. It is the part of an op's sheet (OpSheet.h) that propagation needs.

#pragma once

#include "shardwise/core/ShardingRule.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace shardwise::rules {

/// What rules may allow.
struct RuleOptions {
  /// Blocks factors whose sharding would need a halo exchange: concatenated dimensions, spatial
  /// dimensions of convolutions, changed dimensions of pads, slices and windows.
  bool conservative = false;
  /// Devices may share factors that propagation keeps apart, as Shardy does: the windows and the
  /// elements of a select_and_scatter.
  bool forPartition = false;
};

/// Returns the rule of `op`; none if shardings do not pass through it. A rule attached as
/// `sdy.sharding_rule` wins, then the op's own (`ShardingRuleOpInterface`), then the built-in one.
/// Example: `stablehlo.transpose %a, dims = [1, 0]` of 8x4 is `([j, i])->([i, j]) {i=4, j=8}`.
std::optional<core::ShardingRule> shardingRule(mlir::Operation *op, RuleOptions options = {});

/// Whether nothing is known about `op`: it has no rule, and is not known to need none. Worth a
/// warning, because shardings stop at it.
bool isUnknownToShardingRules(mlir::Operation *op);
/// The same of every op named `name`, attached rules aside.
bool isUnknownToShardingRules(mlir::OperationName name);

/// Whether the rule of `op` is that of element-wise ops, which follows from the types of its
/// operands and results, whatever its name. Nobody attached another.
bool hasPointwiseRule(mlir::Operation *op);

/// Whether `op` computes every element of its results from the elements at the same place of its
/// operands and takes part in the first round of the op-priority schedule. Collectives have
/// point-wise rules but are not element-wise in this sense.
bool isElementwise(mlir::Operation *op);

} // namespace shardwise::rules
