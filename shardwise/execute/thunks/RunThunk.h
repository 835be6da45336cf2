// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thunk of a run, with a note of it if the run is traced.

#pragma once

#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// Runs `thunk`; fails if the run has been stopped (`RunLimits`). If the run is traced, notes when,
/// and what was received from other ranks.
Result<void> runThunk(const Thunk &thunk, Frame &frame);

/// Has a trace know the group of the collective that runs, by its first rank.
void noteGroup(int64_t firstRank);
/// Has it know that the thunk that runs only starts a collective. Returns the time if the run is
/// traced, for `noteUnderWay` of the thunk that waits.
int64_t noteStart();
void noteUnderWay(int64_t since);

} // namespace shardwise::execute
