// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replays a plan, independently of how it was made.
//
// Two replays: on blocks for any size, and on elements for small tensors. The second knows only
// what each collective does to buffers, not the table of shardings.

#pragma once

#include "shardwise/planner/ReshardPlan.h"
#include "shardwise/planner/ReshardProblem.h"

namespace shardwise::planner {

/// Checks that each step is allowed on the sharding before it and yields the stated one, that
/// every cut is along block boundaries (by comparing the boundaries), that the last sharding is the
/// target, and that received bytes, buffer sizes and totals are as claimed.
/// Costs the number of blocks per dimension, not of devices or elements.
Result<void> verifyOnBlocks(const ReshardProblem &problem, const ReshardPlan &plan);

/// Fills every device's source shard with values that differ for every element (with unreduced
/// axes: random parts of a sum), runs the steps as buffer operations between simulated devices
/// and compares each device's buffer with its box of the target. Padding holds garbage.
/// Fails if devices times local elements exceed 2^24 at any step.
Result<void> verifyOnElements(const ReshardProblem &problem, const ReshardPlan &plan);

} // namespace shardwise::planner
