// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reshard of which one process sees all buffers: direct copies from source to target.

#pragma once

#include "shardwise/resharding/ReshardSchedule.h"
#include "shardwise/resharding/Traffic.h"
#include "shardwise/runtime/Reducer.h"
#include "shardwise/runtime/WorkerThreads.h"

#include <cstddef>
#include <span>

namespace shardwise::resharding {

/// Fills `targets` from `sources`, buffers by mesh position as the first and the last state of
/// `schedule` have them.
///
/// - Positions that hold the same may have the same buffer, among the sources and among the
///   targets: it is written once. Where a box is empty, the buffer may be null.
/// - Of sources that hold the same in different buffers, one is read, that of the first position.
/// - A device's source and target may be the same buffer if its box, and the layout, stay the same:
///   nothing is copied then. Else sources and targets must not overlap.
/// - `reducer` combines partial values; null if no step does.
/// - Memory between the steps is that of one buffer for each different box, of at most two states.
///
/// Fails before anything is written, if buffers are missing, overlap or are not alike; with
/// Infeasible, if there is no memory for what is between.
Result<ReshardTraffic>
executeHere(const ReshardSchedule &schedule, std::span<const std::byte *const> sources,
            std::span<std::byte *const> targets, const runtime::Reducer *reducer = nullptr,
            runtime::WorkerThreads &workers = runtime::WorkerThreads::shared());

} // namespace shardwise::resharding
