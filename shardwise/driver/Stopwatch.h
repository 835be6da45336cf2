// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wall-clock time for reports.

#pragma once

#include <chrono>

namespace shardwise::driver {

/// Runs from its construction.
class Stopwatch {
public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start = Clock::now();
};

} // namespace shardwise::driver
