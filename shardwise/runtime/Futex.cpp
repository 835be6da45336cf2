// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/runtime/Futex.h"

#ifdef __linux__
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <algorithm>
#include <thread>
#endif

namespace shardwise::runtime {

using Clock = std::chrono::steady_clock;

#ifdef __linux__

namespace {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "futexes are 32-bit words");

long futex(std::atomic<uint32_t> &word, int operation, uint32_t value, const timespec *timeout,
           FutexReach reach) {
  int isPrivate = reach == FutexReach::Process ? FUTEX_PRIVATE_FLAG : 0;
  return syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), operation | isPrivate, value,
                 timeout, nullptr, 0);
}

} // namespace

void sleepWhile(std::atomic<uint32_t> &word, uint32_t seen, Clock::time_point deadline,
                FutexReach reach) {
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
  if (left.count() <= 0)
    return;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = (left - seconds).count();
  futex(word, FUTEX_WAIT, seen, &timeout, reach);
}

void wakeSleepers(std::atomic<uint32_t> &word, FutexReach reach) {
  futex(word, FUTEX_WAKE, INT_MAX, nullptr, reach);
}

#else

void sleepWhile(std::atomic<uint32_t> &word, uint32_t seen, Clock::time_point deadline,
                FutexReach) {
  constexpr std::chrono::microseconds kLongestSleep{200};
  auto left = deadline - Clock::now();
  if (word.load() == seen && left.count() > 0)
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kLongestSleep));
}

void wakeSleepers(std::atomic<uint32_t> &, FutexReach) {}

#endif

} // namespace shardwise::runtime
