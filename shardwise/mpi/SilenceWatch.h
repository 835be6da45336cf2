// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the other processes of a host go on.

#pragma once

#include "shardwise/host/HostAreas.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace shardwise::mpi {

/// Looks for processes that are stopped, or hang as a whole.
class SilenceWatch {
public:
  using Clock = std::chrono::steady_clock;

  /// How long a process that is alive may show nothing: its listener only looks and sleeps.
  static constexpr std::chrono::seconds kLimit{20};

  /// Whether `area` has not changed for that long. To be asked again and again: time in which this
  /// process itself did not run does not count.
  bool isSilent(const host::SharedArea &area) {
    constexpr std::chrono::milliseconds kMostForALook{200};
    Clock::time_point now = Clock::now();
    uint64_t beats = area.beats;
    silence = &area == watched && beats == seen
                  ? silence + std::min<Clock::duration>(now - last, kMostForALook)
                  : Clock::duration::zero();
    watched = &area;
    seen = beats;
    last = now;
    return silence > kLimit;
  }

private:
  const host::SharedArea *watched = nullptr;
  uint64_t seen = 0;
  Clock::time_point last;
  Clock::duration silence{};
};

} // namespace shardwise::mpi
