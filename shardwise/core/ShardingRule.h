// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding rule of an op: its loop dimensions ("factors") and where operands and results have
// them. Propagation, reshard insertion and partition all read the same rule.

#pragma once

#include "shardwise/support/Result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardwise::core {

/// Index into `ShardingRule::factorSizes`.
using FactorIndex = int64_t;

/// Factors of one tensor dimension, most major first: `[ij]` is {0, 1}.
using DimMapping = std::vector<FactorIndex>;
/// One mapping per dimension; empty for rank 0.
using TensorMapping = std::vector<DimMapping>;

/// What sharding a factor means to the partitioner.
enum class FactorKind {
  PassThrough,     ///< Devices work on their own part, no communication.
  Reduction,       ///< Sharding it leaves partial results to combine.
  NeedReplication, ///< Must be gathered before the op.
  Permutation,     ///< Needs neighbours' elements (halo) when sharded.
};

/// Example: a matmul is `([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}`.
///
/// Invariant (see `check`): every dimension has a factor, no factor twice in one tensor, no size-1
/// factor in a dimension with several, every factor used, kind groups sorted and disjoint, no
/// reduction factor in a result.
struct ShardingRule {
  std::vector<int64_t> factorSizes;
  std::vector<TensorMapping> operands;
  std::vector<TensorMapping> results;
  /// Factors of the three special kinds; all others pass through. Sorted.
  std::vector<FactorIndex> reduction;
  std::vector<FactorIndex> needReplication;
  std::vector<FactorIndex> permutation;
  /// Factors along which shardings do not propagate; independent of the kind. Sorted.
  std::vector<FactorIndex> blockedPropagation;
  /// Written by a user: kept when rules are dropped after propagation.
  bool isCustom = false;

  int64_t numFactors() const { return static_cast<int64_t>(factorSizes.size()); }
  FactorKind kind(FactorIndex factor) const;
  bool isBlocked(FactorIndex factor) const;
  bool operator==(const ShardingRule &) const = default;
};

/// Checks the invariant against the ranks of operands and results; reports the first rule broken,
/// in the order of the sdy verifier.
Result<void> check(const ShardingRule &rule, std::span<const int64_t> operandRanks,
                   std::span<const int64_t> resultRanks);

/// Where a factor appears in a tensor mapping.
struct FactorPosition {
  int64_t dim = 0;
  int64_t indexInDim = 0;
};
/// Returns the place of `factor` in `mapping`, if it has one.
std::optional<FactorPosition> findFactor(const TensorMapping &mapping, FactorIndex factor);

/// Returns the rule in which every operand and result of shape `shape` is mapped alike, one
/// factor a dimension; rank-0 tensors are not mapped.
ShardingRule pointwiseRule(std::span<const int64_t> shape, int64_t numOperands, int64_t numResults);

} // namespace shardwise::core
