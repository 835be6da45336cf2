// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tensor becomes unreduced along axes along which it is whole. Nothing is sent for that: a
// device keeps its part of the sum, and where it has none it takes zeros.

#pragma once

#include "shardwise/core/Collective.h"

#include <optional>
#include <vector>

namespace shardwise::core {

/// A reshard that adds unreduced axes, taken apart:
///   1. a reshard of the source to `moved`, which adds none. Where that is the placement that the
///      source has, `moved` has its dimensions as they are, openness and priorities included;
///   2. `collectives`: `replicated_to_unreduced` over the added axes that cut nothing, then
///      `sharded_to_unreduced` over those that are ends of dimensions; either may be missing.
///      `after` of the last one is the target, but for the openness of dimensions if it is the
///      first.
struct StepsToUnreduced {
  Sharding moved;
  std::vector<Collective> collectives;
};

/// Returns the steps from `source` to `target`; none if the target has no unreduced axes that the
/// source lacks. Requires: both are valid on one mesh, with equal numbers of dimensions.
///
/// Example: [{"x"}, {"y"}] to [{}, {"z"}], unreduced={"x", "y"} is moved to [{"x"}, {"z"}], from
/// where replicated_to_unreduced {"y"} and sharded_to_unreduced [{"x"}, {}] lead to the target: "x"
/// waits in its dimension, which a reshard would have to gather.
std::optional<StepsToUnreduced> stepsToUnreduced(const Sharding &source, const Sharding &target);

} // namespace shardwise::core
