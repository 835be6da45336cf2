// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of one op seen through its factors, and back: the axes that each loop dimension
// ("factor") carries, and the shardings that a choice of them implies. Pure functions of values.

#pragma once

#include "shardwise/core/FactorUse.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"

#include <optional>
#include <vector>

namespace shardwise::reshard {

/// An operand or result of the op: what it is, and how it lies (operands) or shall lie (results).
struct TensorOnFactors {
  core::Shape shape;
  int64_t elementBytes = 4;
  core::TensorMapping mapping;
  core::Sharding placement;
  /// The tensor can be made in any sharding: a constant.
  bool isFree = false;
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

/// Returns the sharding of a result: as above, with the axes of the partial factors unreduced.
core::Sharding resultShardingOfFactors(const core::TensorMapping &mapping, const FactorAxes &axes,
                                       const std::vector<core::FactorUse> &uses);

/// Returns the longest prefix of `axes`, splitting the last one if that helps, whose total size
/// divides `size`. Example: {"x"} with x=4 for size 6 is {"x":(1)2}.
core::AxisList evenPrefix(const core::AxisList &axes, int64_t size);

} // namespace shardwise::reshard
