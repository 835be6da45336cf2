// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier counts under a mutex; waiting needs none. The last rank to arrive starts a new
// generation, which is what the others wait for.
//
// Why a waiter sees what its peers wrote: each of them arrived under the mutex, the last one after
// all others, and then stored the generation with release order; the waiter's load with acquire
// order sees that store and so all that came before it, publications and buffers.

#include "shardwise/runtime/LocalMeeting.h"

#include <algorithm>
#include <cassert>

namespace shardwise::runtime {

void LocalMeeting::publish(size_t position, const Publication &own) {
  std::lock_guard lock(mutex);
  publications[position] = own;
  ++numReaders;
}

void LocalMeeting::release() {
  std::lock_guard lock(mutex);
  assert(numReaders > 0 && "release without publish");
  --numReaders;
  if (numReaders == 0 && isStopped)
    events.advanceAndWake();
}

WaitOutcome LocalMeeting::arriveAndWait(size_t position, WaitWord::Clock::time_point deadline) {
  uint32_t arrivedIn = 0;
  {
    std::lock_guard lock(mutex);
    if (isStopped)
      return WaitOutcome::Stopped;
    // Relaxed is enough: the generation changes under this mutex only.
    arrivedIn = generation.load(std::memory_order_relaxed);
    lastArrival[position] = arrivedIn + 1;
    if (++numArrived == ranks.size()) {
      numArrived = 0;
      generation.store(arrivedIn + 1, std::memory_order_release);
      if (ranks.size() > 1)
        events.advanceAndWake();
      return WaitOutcome::Met;
    }
  }
  return wait(arrivedIn, deadline);
}

WaitOutcome LocalMeeting::wait(uint32_t arrivedIn, WaitWord::Clock::time_point deadline) {
  for (;;) {
    // The event counter is read first: whatever changes after the checks below also changes it.
    uint32_t seen = events.load();
    if (generation.load(std::memory_order_acquire) != arrivedIn)
      return WaitOutcome::Met;
    if (isStopped)
      return WaitOutcome::Stopped;
    bool isLate = WaitWord::Clock::now() >= deadline;
    if (isLate || ended.any()) {
      if (std::optional<WaitOutcome> outcome = giveUp(arrivedIn, isLate))
        return *outcome;
    }
    events.wait(seen, deadline);
  }
}

std::optional<WaitOutcome> LocalMeeting::giveUp(uint32_t arrivedIn, bool isLate) {
  // Under the mutex the barrier cannot complete in between.
  std::lock_guard lock(mutex);
  if (generation.load(std::memory_order_relaxed) != arrivedIn)
    return WaitOutcome::Met;
  for (size_t position = 0; position < ranks.size(); ++position) {
    if (lastArrival[position] != arrivedIn + 1 && ended.contains(ranks[position])) {
      // A rank that fails stops all meetings before it ends: then that is the reason.
      return isStopped ? WaitOutcome::Stopped : WaitOutcome::PeerEnded;
    }
  }
  return isLate ? std::optional(WaitOutcome::TimedOut) : std::nullopt;
}

void LocalMeeting::stop() {
  std::lock_guard lock(mutex);
  isStopped = true;
  events.advanceAndWake();
}

void LocalMeeting::wakeWaiters() {
  events.advanceAndWake();
}

void LocalMeeting::awaitReaders() {
  assert(isStopped && "readers only drain after a stop");
  for (;;) {
    uint32_t seen = events.load();
    {
      std::lock_guard lock(mutex);
      if (numReaders == 0)
        return;
    }
    // No deadline of its own: readers only copy. The bound guards against a lost wake-up.
    events.wait(seen, WaitWord::Clock::now() + std::chrono::seconds(1));
  }
}

std::vector<Rank> LocalMeeting::missingRanks() {
  std::lock_guard lock(mutex);
  std::vector<Rank> missing;
  for (size_t position = 0; position < ranks.size(); ++position)
    if (lastArrival[position] != generation.load(std::memory_order_relaxed) + 1)
      missing.push_back(ranks[position]);
  return missing;
}

} // namespace shardwise::runtime
