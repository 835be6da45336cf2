// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule takes, message by message: on a network, and on a host whose ranks copy from each
// other's memory.

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

/// Returns the modelled seconds of ranks of one host that read each other's memory, one device
/// each. A device writes all that it has after a step, also what it keeps; each message, and each
/// round of them, costs a little besides. A step takes what its busiest device does.
///
/// Example: 16 MiB of [{"x"}, {}] -> [{}, {"x"}] on <["x"=8]> is 2 MiB and 7 messages for each.
double scheduleSecondsInMemory(const ReshardSchedule &schedule);

} // namespace shardwise::resharding
