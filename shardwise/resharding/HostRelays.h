// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps whose ranks are on several hosts: what crosses between two hosts crosses once.

#pragma once

#include "shardwise/resharding/ReshardSchedule.h"

namespace shardwise::resharding {

/// Where a step takes place.
struct StepPlace {
  const ShardState &before;
  const ShardState &after;
  /// As in planner/model/Topology.h; 0: there are no hosts.
  int64_t devicesPerHost = 0;
  int64_t elementBytes = 1;
};

/// Has a box that several devices of a host get from another host come to one of them, which
/// hands it on to the others (`Transfer::relay`). Devices of a host take turns; where there are
/// fewer such boxes than devices that want them, boxes are cut, so that each brings in a part.
/// What every device gets stays the same. Steps that combine values stay as they are.
/// Costs as much as sorting the transfers.
///
/// Example: all_gather of [{"x", "y"}] on <["x"=2, "y"=4]> with four devices to a host. Devices 4
/// to 7 all get the four shards of host 0: 16 messages between the hosts. Relayed, device 4 gets
/// that of device 0, 5 that of 1 and so on: 4 messages, and each hands its shard on to three.
void relayWithinHosts(ScheduledStep &step, const StepPlace &place);

} // namespace shardwise::resharding
