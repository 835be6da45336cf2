// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that sleep on a word until it changes: a futex on Linux, elsewhere short sleeps between
// looks. WaitWord.h is for the threads of a process.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace shardwise::runtime {

/// Whose threads sleep on a word.
enum class FutexReach {
  Process,
  Host ///< Also of other processes, which map the word.
};

/// Sleeps while `word` is `seen`, at most until `deadline`; may return early. The kernel compares
/// and goes to sleep in one step: a change between the caller's look and the sleep is not missed.
void sleepWhile(std::atomic<uint32_t> &word, uint32_t seen,
                std::chrono::steady_clock::time_point deadline, FutexReach reach);
/// Wakes all that sleep on `word`.
void wakeSleepers(std::atomic<uint32_t> &word, FutexReach reach);

} // namespace shardwise::runtime
