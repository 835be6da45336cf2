// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks that one process runs, threads of it, of a run that may span several.

#pragma once

#include "shardwise/runtime/LocalCommunicator.h"
#include "shardwise/runtime/RemoteRanks.h"

#include <optional>

namespace shardwise::runtime {

/// Runs `function` on the ranks of process number `process`, one thread each, and returns when
/// these have ended: with the failure of this process that counts. Without `remote` there is one
/// process.
std::optional<RankFailure> runOwnRanks(const RankShares &shares, int64_t process,
                                       std::chrono::milliseconds timeout, RemoteRanks *remote,
                                       const RankFunction &function);

/// Checks that `count` ranks can run in this process.
Result<void> checkNumRanks(int64_t numRanks, int64_t count);

/// The failure as the error of a run: its message names the rank.
Error errorOf(const RankFailure &failure);

} // namespace shardwise::runtime
