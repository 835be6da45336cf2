// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the processes of one host share: who they are, what their ranks do, and what they
// send.
//
// It is a file without a name, so nothing is left behind however processes end.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

namespace shardwise::mpi {

/// The part of the segment that one process writes.
struct SharedArea {
  static constexpr size_t kMaxRanks = 4096;
  static constexpr size_t kTextBytes = 192;

  /// Virtual; a page takes memory when it is written.
  static constexpr int64_t kHeapBytes = int64_t{16} << 30;
  static constexpr uint32_t kNumSends = 1 << 16;

  /// A message in the heap.
  enum class SendState : uint32_t {
    Open,  ///< Nobody reads.
    Taken, ///< The receiver reads.
    Done,  ///< The memory is the sender's again.
    Withdrawn
  };

  /// Grows as long as the process is alive and not stopped.
  std::atomic<uint64_t> beats;
  /// What its ranks do, by rank from its first one.
  char activities[kMaxRanks][kTextBytes];
  std::atomic<SendState> sends[kNumSends];
  /// What its ranks send, or what they allocated for it.
  alignas(4096) std::byte heap[kHeapBytes];
};

/// The segment of this host. Processes of other hosts have none in common with this one.
class HostSegment {
public:
  /// Of `all` processes; all of them call it. Areas are zeros, and only what is touched takes
  /// memory. A host whose system does not let processes
  /// share memory has none.
  explicit HostSegment(MPI_Comm all);
  HostSegment(const HostSegment &) = delete;
  HostSegment &operator=(const HostSegment &) = delete;
  ~HostSegment();

  /// The area of a process; null if it is on another host.
  SharedArea *areaOf(int64_t process) const;
  /// Whether a process of this host is no longer there, killed or ended.
  bool isGone(int64_t process) const;

private:
  struct Member {
    int64_t process = 0;
    int descriptor = -1; ///< Of the process, to ask whether it is there.
  };

  const Member *memberOf(int64_t process) const;

  std::vector<Member> members; ///< In the order of their areas.
  SharedArea *memory = nullptr;
};

} // namespace shardwise::mpi
