// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problem the planner solves: one tensor, one mesh, from one sharding to another.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/support/Result.h"

#include <cstdint>

namespace shardwise::planner {

/// A reshard changes how a tensor is split over a mesh without changing the tensor.
///
/// The devices hold `source`; afterwards each must hold its box of `target` (flattened ceil-div
/// rule, see core/ShardMap.h). Axes unreduced in the source and not in the target are reduced on
/// the way, with the source's reduction kind. Whether dimensions are open, their priorities and
/// axes reserved as replicated do not matter.
/// Example: shape {6, 6} on <["x"=2, "y"=3]> from [{"x"}, {"y"}] to [{"y"}, {"x"}].
struct ReshardProblem {
  core::Mesh mesh;
  core::Shape shape;
  int64_t elementBytes = 4;
  core::Sharding source;
  core::Sharding target;
};

/// Checks that both shardings are valid on the mesh and fit the shape, that no axis is unreduced
/// in the target only, and that the padded tensor has fewer than 2^60 bytes.
Result<void> check(const ReshardProblem &problem);

/// Returns the bytes of one device's shard under `sharding`, padding included.
int64_t localBytes(const ReshardProblem &problem, const core::Sharding &sharding);

} // namespace shardwise::planner
