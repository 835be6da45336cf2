// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of one process sleep on, and those of any process of the host wake them by.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace shardwise::host {

/// Lies in memory that processes share; zeros are a bell that has not rung. Like
/// runtime::WaitWord, between processes.
class HostBell {
public:
  using Clock = std::chrono::steady_clock;

  uint32_t load() const { return rings.load(); }
  /// Wakes all that sleep. What the caller wrote before is visible to them.
  void ring();
  /// Sleeps while the value is `seen`, at most until `deadline`; may return early. A ring between
  /// reading `seen` and the call is not missed.
  void wait(uint32_t seen, Clock::time_point deadline);

private:
  std::atomic<uint32_t> rings;
  /// Threads that sleep or are about to. One that is killed stays counted, which costs whoever
  /// rings a system call.
  std::atomic<uint32_t> sleepers;
};

} // namespace shardwise::host
