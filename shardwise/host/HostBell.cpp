// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who sleeps counts itself first, who rings looks for sleepers behind the ring; both are
// sequentially consistent, so one of them sees the other.

#include "shardwise/host/HostBell.h"

#include "shardwise/runtime/Futex.h"

namespace shardwise::host {

using runtime::FutexReach;

void HostBell::ring() {
  rings.fetch_add(1);
  if (sleepers.load() > 0)
    runtime::wakeSleepers(rings, FutexReach::Host);
}

void HostBell::wait(uint32_t seen, Clock::time_point deadline) {
  ++sleepers;
  runtime::sleepWhile(rings, seen, deadline, FutexReach::Host);
  --sleepers;
}

} // namespace shardwise::host
