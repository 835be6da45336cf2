// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futex on Linux; elsewhere a bounded sleep between looks. The kernel compares the word with `seen`
// and goes to sleep in one step, so a change between the caller's look and the sleep is not missed:
// the call returns at once. Who sleeps counts itself first; who changes the word looks for sleepers
// behind that. Both are sequentially consistent: one of them sees the other.

#include "shardwise/runtime/WaitWord.h"

#include "shardwise/runtime/TurnTaking.h"

#include <algorithm>
#include <thread>

#ifdef __linux__
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace shardwise::runtime {

void WaitWord::advanceAndWake() {
  advanceAndWakeThreads();
  wakeTurns();
}

void WaitWord::wait(uint32_t seen, Clock::time_point deadline) {
  if (!waitInTurn(word, seen, deadline))
    waitWithThread(seen, deadline);
}

#ifdef __linux__

namespace {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "futexes are 32-bit words");

long futex(std::atomic<uint32_t> &word, int operation, uint32_t value, const timespec *timeout) {
  return syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), operation, value, timeout, nullptr,
                 0);
}

} // namespace

void WaitWord::advanceAndWakeThreads() {
  word.fetch_add(1);
  if (sleepers.load() > 0)
    futex(word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr);
}

void WaitWord::waitWithThread(uint32_t seen, Clock::time_point deadline) {
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
  if (left.count() <= 0)
    return;
  constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
  timespec timeout{};
  timeout.tv_sec = left.count() / kNanosecondsPerSecond;
  timeout.tv_nsec = left.count() % kNanosecondsPerSecond;
  ++sleepers;
  futex(word, FUTEX_WAIT_PRIVATE, seen, &timeout);
  --sleepers;
}

#else

void WaitWord::advanceAndWakeThreads() {
  word.fetch_add(1);
}

void WaitWord::waitWithThread(uint32_t seen, Clock::time_point deadline) {
  constexpr std::chrono::microseconds kLongestSleep{200};
  auto left = deadline - Clock::now();
  if (load() == seen && left.count() > 0)
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kLongestSleep));
}

#endif

} // namespace shardwise::runtime
