// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier counts under a mutex; waiting needs none. The last rank to arrive starts a new
// generation, which is what the others wait for.
//
// Who wakes whom. Sleepers wait for `events` to change, and look at everything again when it does:
//
//     what changes                    who changes it                       who is woken
//     generation (barrier complete)   the last rank that arrives           who arrived before
//     isStopped                       any rank that fails, in any group    all of this group
//     ended                           a rank whose function has returned   all of its groups
//     numReaders is 0, after a stop   the last reader that ends            who failed and drains
//
// Before a stop nobody waits for numReaders, so that a reader that ends in an ordinary collective
// wakes nobody.
//
// One barrier may not overtake the next: a rank that has left barrier n arrives at n + 1 while
// others still sleep in n, or have yet to come and look. They compare the generation with the one
// that they arrived in, which has changed, and barrier n + 1 cannot complete before they arrive
// there themselves, so it changes once at most.
//
// Why a waiter sees what its peers wrote: each of them arrived under the mutex, the last one after
// all others, and then stored the generation with release order; the waiter's load with acquire
// order sees that store and so all that came before it, publications and buffers.

#include "shardwise/runtime/LocalMeeting.h"

#include <algorithm>
#include <cassert>

namespace shardwise::runtime {

std::optional<uint32_t> LocalMeeting::arriveLocked(size_t position) {
  if (isStopped)
    return std::nullopt;
  // Relaxed is enough: the generation changes under this mutex only.
  uint32_t arrivedIn = generation.load(std::memory_order_relaxed);
  lastArrival[position] = arrivedIn + 1;
  if (++numArrived == ranks.size()) {
    numArrived = 0;
    generation.store(arrivedIn + 1, std::memory_order_release);
    if (ranks.size() > 1)
      events.advanceAndWake();
  }
  return arrivedIn;
}

std::optional<uint32_t> LocalMeeting::arrive(size_t position) {
  std::lock_guard lock(mutex);
  return arriveLocked(position);
}

std::optional<uint32_t> LocalMeeting::publish(size_t position, const Publication &own) {
  std::lock_guard lock(mutex);
  publications[position] = own;
  return arriveLocked(position);
}

bool LocalMeeting::beginReading() {
  std::lock_guard lock(mutex);
  if (isStopped)
    return false;
  ++numReaders;
  return true;
}

void LocalMeeting::endReading() {
  std::lock_guard lock(mutex);
  assert(numReaders > 0 && "a reader that has not begun");
  --numReaders;
  if (numReaders == 0 && isStopped)
    events.advanceAndWake();
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
  // A rank that has ended after it arrived here is not missing: it counts below only if it did not.
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
