// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes cut each loop dimension ("factor") of one op: the decision behind every reshard that
// shardwise-insert-partition-reshards places. A pure function of values; knows nothing of the IR.
//
// Method. An op runs on every device on its own part iff each factor has *one* axis list, the
// lists of different factors do not overlap, and every operand and result is cut as these lists
// say. Where operands and results already agree on a factor its list is fixed. For the others the
// lists that occur (and their common prefixes, and none) are candidates; all combinations are
// priced if they are few, else a coordinate descent is run from several starts. Price: modelled
// cost of the reshards that the choice causes, plus a small term for the work done per device, so
// that a free choice is the one that computes less. The result is never dearer than replicating
// the factors that are not agreed on; it is the cheapest of the candidates only where all
// combinations were priced.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"

#include <functional>
#include <optional>
#include <vector>

namespace shardwise::transforms {

/// What the partitioner can do with a factor of an op.
struct FactorUse {
  /// Every device can work on its own part of the factor.
  bool canShard = true;
  /// Set iff sharding the factor leaves partial results that combine this way.
  std::optional<core::ReductionKind> reduction;
};

/// An operand or result of the op: what it is, and how it lies (operands) or shall lie (results).
struct TensorOnFactors {
  core::Shape shape;
  int64_t elementBytes = 4;
  core::TensorMapping mapping;
  core::Sharding placement;
  /// The tensor can be made in any sharding: a constant.
  bool isFree = false;
};

/// Returns the cost of moving a tensor of `shape` from one placement to another, in bytes received
/// by a device or what corresponds to it.
using ReshardCost = std::function<double(const core::Shape &shape, int64_t elementBytes,
                                         const core::Sharding &from, const core::Sharding &to)>;

/// One op, seen through its sharding rule.
struct FactorProblem {
  std::vector<int64_t> factorSizes;
  std::vector<FactorUse> uses;
  std::vector<TensorOnFactors> operands;
  std::vector<TensorOnFactors> results;
  ReshardCost cost;
};

/// Axes per factor.
using FactorAxes = std::vector<core::AxisList>;

/// Returns the axes that each factor of `tensor` carries, none for factors it does not have. Axes
/// that no factor can carry evenly are left out.
/// Example: `[{"x"}]` with x=8 on `[ij]` {i=4, j=6} gives i: "x":(1)4, j: "x":(4)2.
std::vector<std::optional<core::AxisList>> axesOfFactors(const TensorOnFactors &tensor,
                                                         const std::vector<int64_t> &factorSizes);

/// Returns the sharding that `axes` imply for a tensor with `mapping`: closed, nothing unreduced.
core::Sharding shardingOfFactors(const core::TensorMapping &mapping, const FactorAxes &axes);

/// Returns the sharding of a result: as above, with the axes of the reduction factors unreduced.
core::Sharding resultShardingOfFactors(const core::TensorMapping &mapping, const FactorAxes &axes,
                                       const std::vector<FactorUse> &uses);

/// Returns one axis list per factor, such that no axis is used twice, every list divides its
/// factor evenly, factors that cannot be sharded have none, and a minor factor of a dimension is
/// only cut if the more major ones are cut completely.
FactorAxes chooseFactorAxes(const FactorProblem &problem);

/// Returns the longest prefix of `axes`, splitting the last one if that helps, whose total size
/// divides `size`. Example: {"x"} with x=4 for size 6 is {"x":(1)2}.
core::AxisList evenPrefix(const core::AxisList &axes, int64_t size);

} // namespace shardwise::transforms
