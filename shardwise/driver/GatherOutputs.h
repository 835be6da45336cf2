// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices of other processes computed comes to the first process.

#pragma once

#include "shardwise/execute/Program.h"
#include "shardwise/runtime/RemoteRanks.h"

#include <vector>

namespace shardwise::driver {

/// Called by every rank when it has put its output into `perRank`: ranks of other processes than
/// the first send theirs to rank 0, which fills `perRank` with them. All outputs have the same
/// types; where results have been let go, records alone are sent.
Result<void> gatherInFirstProcess(runtime::Communicator &communicator,
                                  const runtime::RankShares &shares,
                                  std::vector<execute::RunOutput> &perRank);

} // namespace shardwise::driver
