// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter that threads sleep on until it changes or a deadline passes.
//
// std::atomic::wait has no deadline; a condition variable makes every sleeper take its mutex again.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace shardwise::runtime {

/// A number that threads sleep on until it changes. Functions that share threads (TurnTaking.h) do
/// not sleep: others go on.
class WaitWord {
public:
  using Clock = std::chrono::steady_clock;

  uint32_t load() const { return word.load(std::memory_order_acquire); }

  /// Changes the value and wakes all sleepers. What the caller wrote before is visible to them.
  void advanceAndWake();
  /// The same for sleepers that are threads.
  void advanceAndWakeThreads();

  /// Sleeps while the value is `seen`, at most until `deadline`. May return early; the caller
  /// checks its condition again. A change between reading `seen` and the call is not missed.
  void wait(uint32_t seen, Clock::time_point deadline);
  /// The same, but the thread sleeps in any case: for who holds what others on it would ask for.
  void waitWithThread(uint32_t seen, Clock::time_point deadline);

private:
  std::atomic<uint32_t> word{0};
  /// Threads that sleep or are about to: none to wake, no system call.
  std::atomic<uint32_t> sleepers{0};
};

} // namespace shardwise::runtime
