// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the processes of MPI on one host share: who they are, what their ranks do, and what
// they send.

#pragma once

#include "shardwise/host/HostProcesses.h"

#include <cstdint>
#include <memory>

#include <mpi.h>

namespace shardwise::mpi {

/// What the processes of this host share; all of them share with all, or none does.
class HostSegment {
public:
  /// Of `all` processes; all of them call it. A host whose system does not let processes share
  /// memory has none.
  explicit HostSegment(MPI_Comm all);

  const host::HostAreas &areas() const { return processes ? processes->areas() : none; }
  /// The area of the first process of this host; null if nothing is shared.
  host::SharedArea *firstArea() const { return areas().areaOf(firstProcess); }
  /// Whether a process of this host is no longer there, killed or ended.
  bool isGone(int64_t process) const { return processes && processes->isGone(process); }

private:
  host::HostAreas none;
  std::unique_ptr<host::HostProcesses> processes;
  int64_t firstProcess = 0;
};

} // namespace shardwise::mpi
