// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the ranks of one group meet: a reusable barrier with published buffers.
//
// Correctness of failure: a peer may be copying from a rank's buffer when a third rank fails. The
// meeting counts the ranks that have begun to read and not yet released ("readers"); one that has
// published and computes something else is none. Once the meeting is stopped no barrier completes,
// nobody begins to read, every waiter wakes, and each leaves only when the count is zero; a reader
// reaches its release after a finite copy. So memory is never freed under a reader.

#pragma once

#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/WaitWord.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace shardwise::runtime {

/// How a wait ended.
enum class WaitOutcome { Met, Stopped, TimedOut, PeerEnded };

/// Which ranks' functions have returned.
class EndedRanks {
public:
  explicit EndedRanks(int64_t numRanks) : flags(numRanks) {}

  void add(Rank rank) {
    flags[rank] = true;
    some = true;
  }
  bool any() const { return some; }
  bool contains(Rank rank) const { return flags[rank]; }

private:
  std::vector<std::atomic<bool>> flags;
  std::atomic<bool> some{false};
};

/// A meeting place of one group. All members are safe to call from any thread.
class LocalMeeting {
public:
  LocalMeeting(RankGroup group, const EndedRanks &ended)
      : ranks(group.begin(), group.end()), publications(group.size()), lastArrival(group.size(), 0),
        ended(ended) {}

  const std::vector<Rank> &group() const { return ranks; }
  std::span<const Publication> published() const { return publications; }

  /// Arrives at the next barrier. Returns what to wait for; none if the meeting is stopped.
  std::optional<uint32_t> arrive(size_t position);
  /// The same with the publication of the rank at `position`.
  std::optional<uint32_t> publish(size_t position, const Publication &own);
  /// Counts the caller as reader; false if the meeting is stopped.
  bool beginReading();
  /// Takes it off the readers.
  void endReading();
  /// Waits until all have arrived where `arrive` returned `arrivedIn`.
  WaitOutcome wait(uint32_t arrivedIn, WaitWord::Clock::time_point deadline);

  /// Ends all waits, now and later.
  void stop();
  /// Makes waiters look again whether a peer has ended.
  void wakeWaiters();
  /// Waits until no rank reads. Requires: stopped.
  void awaitReaders();

  /// Ranks that have not arrived at the barrier that the others wait in.
  std::vector<Rank> missingRanks();

private:
  std::optional<uint32_t> arriveLocked(size_t position);
  /// Whether to wait no longer: the barrier was met after all, a peer has ended, or time is up.
  std::optional<WaitOutcome> giveUp(uint32_t arrivedIn, bool isLate);

  std::vector<Rank> ranks;
  std::vector<Publication> publications;
  std::mutex mutex;
  size_t numArrived = 0; // Guarded by mutex, as are the next two.
  size_t numReaders = 0;
  /// By position: the barrier last arrived at, counted from 1.
  std::vector<uint32_t> lastArrival;
  /// Completed barriers.
  std::atomic<uint32_t> generation{0};
  std::atomic<bool> isStopped{false};
  WaitWord events;
  const EndedRanks &ended;
};

} // namespace shardwise::runtime
