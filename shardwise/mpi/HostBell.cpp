// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A futex on Linux; elsewhere short sleeps. Who sleeps counts itself first, who rings looks for
// sleepers behind the ring; both are sequentially consistent, so one of them sees the other.

#include "shardwise/mpi/HostBell.h"

#ifdef __linux__
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <thread>
#endif

namespace shardwise::mpi {

#ifdef __linux__

namespace {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "futexes are 32-bit words");

long futex(std::atomic<uint32_t> &word, int operation, uint32_t value, const timespec *timeout) {
  return syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), operation, value, timeout, nullptr,
                 0);
}

} // namespace

void HostBell::ring() {
  rings.fetch_add(1);
  if (sleepers.load() > 0)
    futex(rings, FUTEX_WAKE, INT_MAX, nullptr);
}

void HostBell::wait(uint32_t seen, Clock::time_point deadline) {
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
  if (left.count() <= 0)
    return;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = (left - seconds).count();
  ++sleepers;
  futex(rings, FUTEX_WAIT, seen, &timeout);
  --sleepers;
}

#else

void HostBell::ring() {
  rings.fetch_add(1);
}

void HostBell::wait(uint32_t seen, Clock::time_point deadline) {
  constexpr std::chrono::microseconds kSleep{100};
  if (load() == seen && Clock::now() < deadline)
    std::this_thread::sleep_for(kSleep);
}

#endif

} // namespace shardwise::mpi
