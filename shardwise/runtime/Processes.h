// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processes that share the ranks of a run.

#pragma once

#include "shardwise/runtime/LocalCommunicator.h"
#include "shardwise/runtime/RemoteRanks.h"

namespace shardwise::runtime {

/// This process and those that it runs ranks with.
class Processes {
public:
  virtual ~Processes() = default;

  /// Number of this process, 0..count()-1.
  virtual int64_t index() const = 0;
  virtual int64_t count() const = 0;

  /// Memory that ranks of other processes on this host can read: what is sent from it is not
  /// packed. Null if there is none, or none left; any other memory will do too.
  virtual std::byte *allocate(int64_t bytes) { return nullptr; }
  /// Gives back what `allocate` returned.
  virtual void release(std::byte *block) {}

  /// Whether this process speaks for all, as the first of those that are there. That is the first
  /// process, unless it was killed.
  virtual bool speaks() const { return index() == 0; }

  /// Which process runs which of `numRanks` ranks.
  RankShares shares(int64_t numRanks) const { return {numRanks, count()}; }

  /// Runs `function` on the ranks that are this process' share, one thread each, as `runRanks`
  /// does. All processes call it, as often and with the same number of ranks. Returns the same in
  /// all: success, or the error of the lowest rank that failed by itself.
  virtual Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                                const RankFunction &function) = 0;
};

/// This process by itself: all ranks are its threads.
class OneProcess final : public Processes {
public:
  int64_t index() const override { return 0; }
  int64_t count() const override { return 1; }
  Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                        const RankFunction &function) override {
    return runtime::runRanks(numRanks, timeout, function);
  }
};

} // namespace shardwise::runtime
