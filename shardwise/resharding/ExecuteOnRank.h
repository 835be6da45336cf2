// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reshard by ranks that each see the buffers of some devices, and send each other messages.

#pragma once

#include "shardwise/resharding/ReshardSchedule.h"
#include "shardwise/resharding/Traffic.h"
#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/Reducer.h"

#include <cstddef>
#include <functional>
#include <span>

namespace shardwise::resharding {

/// Returns the rank that has the buffers of a device.
using RankOfDevice = std::function<runtime::Rank(core::DeviceId)>;

/// Fills the `targets` of this rank's devices from the sources of all, as `executeHere` does; all
/// ranks of `communicator` call it with the same schedule. Buffers are by mesh position, and null
/// for devices of other ranks; a rank may have several devices, or none. No buffer may be shared
/// between devices, as they do not take part in steps together.
///
/// Each message is one box, copied out of the sender's memory into the receiver's, all of a step in
/// flight together; devices of one rank copy directly. An all_reduce is two rounds: each device
/// combines its share of the elements, and sends it to the others. Values are combined in group
/// order, whatever the number of ranks, so that all numbers of ranks give the same bits.
///
/// Fails as `executeHere` does, and with what the communicator reports.
Result<ReshardTraffic> executeOnRank(
    const ReshardSchedule &schedule, runtime::Communicator &communicator,
    std::span<const std::byte *const> sources, std::span<std::byte *const> targets,
    const runtime::Reducer *reducer = nullptr,
    const RankOfDevice &rankOf = [](core::DeviceId id) { return id; });

} // namespace shardwise::resharding
