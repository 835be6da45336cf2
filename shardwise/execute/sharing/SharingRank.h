// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank's part in a shared run: which thunks it runs, where it reads, and its waits. Not seen
// outside of this folder.

#pragma once

#include "shardwise/execute/CompiledProgram.h"
#include "shardwise/execute/SharedRun.h"
#include "shardwise/execute/sharing/RankArena.h"
#include "shardwise/runtime/WaitWord.h"

#include <atomic>
#include <limits>
#include <optional>
#include <span>

namespace shardwise::execute {

/// How far a rank is. On a cache line of its own: it is written after every thunk.
struct alignas(64) Progress {
  static constexpr int64_t kNobodyWaits = std::numeric_limits<int64_t>::max();

  std::atomic<int64_t> thunks{0};
  /// The least count that others wait for.
  std::atomic<int64_t> awaited{kNobodyWaits};
  runtime::WaitWord word;

  /// Notes that this many thunks have run, and wakes who waits for that.
  void pass(int64_t count);
  /// Notes that the caller waits for this count. Requires: `word` was read before, and is slept on
  /// only after another look at `thunks`.
  void expect(int64_t count);
};

struct SharedRun::State {
  /// The program; it is kept alive.
  Program program;
  const CompiledProgram &compiled;
  std::vector<runtime::Rank> here; ///< Ascending.
  bool areAllHere = false;
  bool areResultsKeptOnce = false;
  /// That of the program; one in which nothing is shared if it was made for another number of
  /// ranks.
  WorkPlan work;
  /// By `ClassesId` and index in `here`: the members of the rank's class that are here, as indices.
  std::vector<std::vector<std::shared_ptr<const std::vector<int32_t>>>> members;
  std::vector<std::unique_ptr<RankArena>> arenas; ///< By index, like `progress`.
  std::vector<Progress> progress;
  /// A rank has ended before its last thunk.
  std::atomic<bool> hasFailed{false};

  State(const Program &program, int64_t numRanks, std::vector<runtime::Rank> here,
        runtime::Processes *processes);
  void fail();
};

/// Runs main for one rank of a shared run.
class SharingRank {
public:
  SharingRank(SharedRun &shared, runtime::Communicator &communicator);
  /// Tells the others if this rank has not come to its end.
  ~SharingRank();

  int64_t numRanksHere() const { return static_cast<int64_t>(state.here.size()); }
  /// Null if memory was exhausted.
  std::byte *arena() const;
  /// Has the buffers of `frame` where their leaders make them.
  void placeBuffers(Frame &frame) const;
  /// The rank that gives result `number`; none if each gives its own.
  std::optional<runtime::Rank> holderOf(size_t number) const;
  /// Runs the thunks of main that are this rank's to run. When it returns, all results can be read.
  Result<void> run(Frame &frame);

private:
  int32_t leaderOf(const Home &home) const;
  Result<void> await(int32_t index, int64_t thunks) const;
  Result<void> awaitLeaders(std::span<const AwaitedLeader> leaders) const;
  Result<void> awaitReaders(int64_t thunks);
  Result<void> stopReason() const;

  SharedRun::State &state;
  const WorkPlan &work;
  runtime::Communicator &communicator;
  int32_t own = 0; ///< Index in `here`.
  /// All ranks have passed this many thunks.
  int64_t allPassed = 0;
  bool hasEnded = false;
};

} // namespace shardwise::execute
