// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the processes of one host share: who they are, what their ranks do, and what they
// send.
//
// It is a file without a name, so nothing is left behind however processes end.

#pragma once

#include "shardwise/mpi/HostAreas.h"

#include <cstdint>
#include <map>

#include <mpi.h>

namespace shardwise::mpi {

/// The segment of this host. Processes of other hosts have none in common with this one.
class HostSegment {
public:
  /// Of `all` processes; all of them call it. Areas are zeros, and only what is touched takes
  /// memory. A host whose system does not let processes share memory has none.
  explicit HostSegment(MPI_Comm all);
  HostSegment(const HostSegment &) = delete;
  HostSegment &operator=(const HostSegment &) = delete;
  ~HostSegment();

  const HostAreas &areas() const { return ownAreas; }
  /// Whether a process of this host is no longer there, killed or ended.
  bool isGone(int64_t process) const;

private:
  HostAreas ownAreas;
  /// Of the other processes of this host, to ask whether they are there.
  std::map<int64_t, int> descriptors;
};

} // namespace shardwise::mpi
