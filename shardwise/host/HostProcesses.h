// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that processes of one host share, and whether they are still there.
//
// The memory of a process is a file without a name, so nothing is left behind however processes
// end. Others open it by way of that process' descriptors in /proc.

#pragma once

#include "shardwise/host/HostAreas.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace shardwise::host {

/// Where other processes find the area of one.
struct HostAddress {
  int64_t pid = 0;
  /// One of its descriptors.
  int64_t file = -1;
};

/// What one process knows of the others of its host. All members are safe to call from any thread.
class HostProcesses {
public:
  /// Of process `own` of `numProcesses`; its area is made.
  HostProcesses(int64_t numProcesses, int64_t own);
  HostProcesses(const HostProcesses &) = delete;
  HostProcesses &operator=(const HostProcesses &) = delete;
  ~HostProcesses();

  /// Where the others find the area of this process; none if the system lets it share none.
  std::optional<HostAddress> address() const;
  /// Maps the area of another process, which has said that it is at `address`. Once for each.
  Result<void> connect(int64_t process, const HostAddress &address);

  int64_t own() const { return ownProcess; }
  /// Those of this process and of all that it is connected with.
  const HostAreas &areas() const { return knownAreas; }
  /// Whether a process that this one is connected with is no longer there, killed or ended.
  bool isGone(int64_t process) const;

private:
  int64_t ownProcess;
  int ownFile = -1;
  HostAreas knownAreas;
  mutable std::mutex mutex;
  std::map<int64_t, SharedArea *> mapped;
  /// Of other processes, to ask whether they are there.
  std::map<int64_t, int> descriptors;
};

} // namespace shardwise::host
