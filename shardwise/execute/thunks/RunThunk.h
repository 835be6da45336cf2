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

} // namespace shardwise::execute
