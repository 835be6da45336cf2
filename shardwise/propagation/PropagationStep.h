// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One propagation step: the shardings around one op, and its rule, in; the shardings that grew,
// out. A pure function on core values. Which op comes next, which mesh is the common one and
// where shardings are stored is the caller's.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"
#include "shardwise/propagation/FactorPropagation.h"
#include "shardwise/propagation/PropagationDirection.h"
#include "shardwise/propagation/ShardingProjection.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::propagation {

/// How conflicts are settled: see `propagateBasic` and `propagateAggressive`.
enum class FactorStrategy { Basic, Aggressive };

/// The sharding of one operand or result before a step; null if it has none.
struct TensorSharding {
  const core::Sharding *sharding = nullptr;
  /// False if the sharding refers to another mesh than the common one by name, though it can be
  /// read in it: an equal mesh under another symbol, or the empty mesh. If such a tensor grows and
  /// ends up with the same axes, the change of mesh is still an update.
  bool isOnCommonMesh = true;
};

/// Everything a step looks at. Nothing is copied; all of it must live as long as the call.
/// Requires: `rule` satisfies `core::check`, shardings are valid in `mesh` and have the rank of
/// their mapping.
struct StepInput {
  const core::Mesh &mesh;
  const core::ShardingRule &rule;
  /// One per operand and result of the rule.
  std::span<const TensorSharding> operands;
  std::span<const TensorSharding> results;
  /// Where shardings may flow; blocked factors of the rule never take part.
  PropagationDirection direction = PropagationDirection::Both;
  /// If not empty: a direction for each factor, in place of `direction`.
  std::span<const PropagationDirection> factorDirections = {};
  FactorStrategy strategy = FactorStrategy::Aggressive;
  /// The op is element-wise: an operand gets no axes that a result does not have, and with sources
  /// of equal size the factor with more devices goes first. (Aggressive strategy only.)
  bool isElementwise = false;
  /// Never split an axis into sub-axes.
  bool isConservative = false;
};

/// A sharding that grew: that of operand `tensor`, or of result `tensor - numOperands`.
struct TensorUpdate {
  int64_t tensor = 0;
  core::Sharding sharding;

  bool operator==(const TensorUpdate &) const = default;
};

/// Memory that steps use, kept between them. One per thread.
struct StepBuffers {
  ShardingProjection projection;
  FactorPropagationBuffers factors;
  std::vector<const core::Sharding *> shardings;
  std::vector<PropagationDirection> directions;
};

/// Returns the tensors whose sharding changed with their new one, operands first. Empty if the step
/// has no effect; such a step does not allocate once `buffers` have grown.
///
/// New shardings keep closed dimensions, replicated and unreduced axes of the old one, and drop
/// its priorities; a tensor without sharding gets open dimensions. Repeating the step with the
/// updated shardings comes to an end, since axes are only ever added.
///
/// Example: `([i, k], [k, j])->([i, j])`, operand 0 `[{"data"}, {"model"}]`, nothing else: operand
/// 1 becomes `[{"model", ?}, {?}]` and result 0 `[{"data", ?}, {?}]`.
std::vector<TensorUpdate> propagate(const StepInput &step, StepBuffers &buffers);
std::vector<TensorUpdate> propagate(const StepInput &step);

} // namespace shardwise::propagation
