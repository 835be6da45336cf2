// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked of the buffers that a caller hands in.

#pragma once

#include "shardwise/resharding/ReshardSchedule.h"
#include "shardwise/runtime/Reducer.h"

#include <cstddef>
#include <functional>
#include <span>

namespace shardwise::resharding {

/// Whether a device's buffers are in the hands of the caller.
using IsHere = std::function<bool(core::DeviceId)>;

/// Checks the buffers of the first and the last state: one for each position, none missing of
/// devices that are here, none shared by devices that hold different parts, none of the targets
/// over another buffer. A target may be a source that holds the same in the same layout, unless
/// some step combines values. And that `reducer` fits if one does.
Result<void> checkBuffers(const ReshardSchedule &schedule,
                          std::span<const std::byte *const> sources,
                          std::span<std::byte *const> targets, const runtime::Reducer *reducer,
                          const IsHere &isHere);

} // namespace shardwise::resharding
