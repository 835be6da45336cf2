// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replays a plan, independently of how it was made.
//
// Three replays: on blocks for any size, on elements for small tensors, and on the boxes of
// physical devices, also between two meshes. The second knows only what each collective does to
// buffers, not the table of shardings.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

namespace shardwise::planner {

/// Checks that each step is allowed on the sharding before it and yields the stated one, that
/// every cut is along block boundaries (by comparing the boundaries), that the last sharding is the
/// target, and that received bytes, buffer sizes and totals are as claimed. With
/// `UnevenCuts::Any` cuts may cross block boundaries.
/// Costs the number of blocks per dimension, not of devices or elements.
Result<void> verifyOnBlocks(const ReshardProblem &problem, const ReshardPlan &plan,
                            UnevenCuts unevenCuts = UnevenCuts::Aligned);

/// Fills every device's source shard with values that differ for every element (with unreduced
/// axes: random parts of a sum), runs the steps as buffer operations between simulated devices,
/// the exchange message by message, and compares each device's buffer with its box after every
/// step. Padding holds garbage. Also between two meshes.
/// Fails if devices times local elements exceed 2^24 at any step.
Result<void> verifyOnElements(const ReshardProblem &problem, const ReshardPlan &plan);

/// Replays on the boxes of physical devices, whatever the size of the tensor and on two meshes:
/// after each step every device's box must be covered by boxes that the devices it hears from in
/// such a step hold before it (its group; one device in a permute; the senders of the messages in
/// an exchange), and at the end be its target box. Knows shard boxes and groups, not the planners
/// and not the table of shardings.
/// Costs devices times group size.
Result<void> verifyOnBoxes(const ReshardProblem &problem, const ReshardPlan &plan);

/// Verifies in every way that applies: on boxes up to 4,096 devices; on one mesh also on blocks;
/// if small enough, on elements.
Result<void> verifyPlan(const ReshardProblem &problem, const ReshardPlan &plan);

} // namespace shardwise::planner
