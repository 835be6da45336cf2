// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each device of an exchange sends to whom, in the terms of their buffers: what runs it needs.

#pragma once

#include "shardwise/planner/model/ReshardProblem.h"

#include <vector>

namespace shardwise::planner {

/// A box of `size` elements that `source` has at `from` of its shard, and that comes to lie at `to`
/// of the shard of `target`.
struct ExchangePart {
  core::DeviceId source = 0;
  core::DeviceId target = 0;
  std::vector<int64_t> from, to, size;

  bool operator==(const ExchangePart &) const = default;
};

/// Returns all parts of the exchange from source to target of `problem`, by target: what a device
/// has itself, and what it lacks, each element once. On one mesh devices send only to those that
/// differ from them along the moved axes (core/MovedAxes.h) alone, so that values may differ along
/// the others: partial sums, and what is different on each device of a manual computation.
/// Requires: nothing is to be reduced; across meshes, nothing is unreduced.
/// Costs devices plus parts.
std::vector<ExchangePart> exchangeParts(const ReshardProblem &problem);

/// Returns a bound on how many messages a device receives in an exchange from `before` to `after`.
/// Costs the number of dimensions.
int64_t maxReceivedMessages(const core::Shape &shape, const core::Sharding &before,
                            const core::Sharding &after);

} // namespace shardwise::planner
