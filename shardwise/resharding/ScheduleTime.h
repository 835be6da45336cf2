// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule takes on a network, message by message.

#pragma once

#include "shardwise/planner/model/Topology.h"
#include "shardwise/resharding/ReshardSchedule.h"

namespace shardwise::resharding {

/// Returns the modelled seconds of ranks that carry `schedule` out, one device each. A message of b
/// bytes takes the latency and b over the bandwidth of the link between its two devices; a device
/// receives one after the other and sends meanwhile, and a round takes what its slowest device
/// does. Links that devices of a host share count with the part that each has, as in
/// planner/model/Topology.h; links by mesh axis are not looked at.
///
/// This is the time of the schedule as it is; that of the plan (planner/model/CostModel.h) is of
/// steps that know the hosts, so the two are equal, but for latencies, where `schedule` was made
/// with this topology and all devices move alike.
double scheduleSeconds(const ReshardSchedule &schedule, const planner::Topology &topology);

} // namespace shardwise::resharding
