// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time for reports: by the clock on the wall, and of the processors.

#pragma once

#include <chrono>

#include <time.h>

namespace shardwise::driver {

/// Runs from its construction.
class Stopwatch {
public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start = Clock::now();
};

/// The same in seconds that this process has had of all processors together, in all its threads:
/// other work on the machine changes them little.
class ProcessorStopwatch {
public:
  double seconds() const { return now() - start; }

private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double start = now();
};

} // namespace shardwise::driver
