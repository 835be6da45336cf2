// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of this process.
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

/// What ranks run on.
enum class RankThreads {
  /// A thread each.
  Own,
  /// As many threads as there are cores: where a rank waits for others, its thread goes on with
  /// another rank (TurnTaking.h says what a rank must not do). Much faster if ranks meet often. A
  /// thread each where that cannot be done.
  Shared
};

/// Runs `function` on `numRanks` ranks and returns when all have ended.
///
/// The first rank that fails stops the others at their next (or current) wait. Returned is the
/// error of the lowest rank that failed by itself, not because it was stopped; its message names
/// the rank. A thread that computes without ever meeting others cannot be stopped; `timeout` bounds
/// waits, not work. An exception leaving `function` counts as its failure.
Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                      const RankFunction &function, RankThreads on = RankThreads::Own);

} // namespace shardwise::runtime
