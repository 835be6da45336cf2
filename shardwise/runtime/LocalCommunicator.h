// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks as threads of this process.
//
// Buffers are published as pointers, and peers copy straight from them. Waiting threads sleep, so
// that many more ranks than cores work well.

#pragma once

#include "shardwise/runtime/Communicator.h"

#include <chrono>
#include <functional>

namespace shardwise::runtime {

/// What one rank runs.
using RankFunction = std::function<Result<void>(Communicator &)>;

/// Longest wait for peers unless told otherwise.
inline constexpr std::chrono::milliseconds kDefaultTimeout{60'000};

/// Runs `function` on `numRanks` ranks, one thread each, and returns when all have ended.
///
/// The first rank that fails stops the others at their next (or current) wait. Returned is the
/// error of the lowest rank that failed by itself, not because it was stopped; its message names
/// the rank. A thread that computes without ever meeting others cannot be stopped; `timeout` bounds
/// waits, not work. An exception leaving `function` counts as its failure.
Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                      const RankFunction &function);

} // namespace shardwise::runtime
