// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the processes of one host share: who they are, what their ranks do, and what they
// send.
//
// It is a file without a name, so nothing is left behind however processes end.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

namespace shardwise::mpi {

/// The part of the segment that belongs to one process.
struct ProcessArea {
  std::byte *data = nullptr;
  int64_t bytes = 0;
};

/// The segment of this host. Processes of other hosts have none in common with this one.
class HostSegment {
public:
  /// Of `all` processes; all of them call it. Each process of this host gets `bytesPerProcess`,
  /// zeros, of which only what is touched takes memory. A host whose system does not let processes
  /// share memory has none.
  HostSegment(MPI_Comm all, int64_t bytesPerProcess);
  HostSegment(const HostSegment &) = delete;
  HostSegment &operator=(const HostSegment &) = delete;
  ~HostSegment();

  /// The area of a process; none if it is on another host.
  std::optional<ProcessArea> areaOf(int64_t process) const;
  /// Whether a process of this host is no longer there, killed or ended.
  bool isGone(int64_t process) const;

private:
  struct Member {
    int64_t process = 0;
    int descriptor = -1; ///< Of the process, to ask whether it is there.
  };

  const Member *memberOf(int64_t process) const;

  std::vector<Member> members; ///< In the order of their areas.
  std::byte *memory = nullptr;
  int64_t areaBytes = 0;
};

} // namespace shardwise::mpi
