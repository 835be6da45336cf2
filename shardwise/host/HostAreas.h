// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in the memory that processes of one host share, and whose it is. Nothing here needs
// MPI, so that tests of mail can have threads in place of processes: the thread sanitizer sees no
// others.

#pragma once

#include "shardwise/host/HostBell.h"
#include "shardwise/host/WireName.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::host {

/// A message from a rank of one process to a rank of another one of the host. Written by the sender
/// but for its state; lies in the sender's area.
struct Envelope {
  /// Boxes of more dimensions are packed.
  static constexpr size_t kMaxDims = 8;

  enum class State : uint32_t {
    Open,      ///< Nobody reads.
    Taken,     ///< The receiver reads.
    Done,      ///< It is the sender's again.
    Withdrawn, ///< Not to be read: the run has failed.
  };

  std::atomic<State> state;
  /// In the list of its receiver (HostMail.cpp).
  uint64_t next;
  int64_t run;
  int64_t from;
  int64_t to;
  WireName name;
  /// Where the elements lie in the sender's heap, and how.
  int64_t offset;
  bool isPacked;
  /// Whether the sender waits until it is done.
  bool isAwaited;
  std::array<int64_t, kMaxDims> strides;
};

/// The memory of one process that the others of its host see. Zeros at first.
struct SharedArea {
  static constexpr size_t kMaxRanks = 4096;
  static constexpr size_t kTextBytes = 192;

  /// Virtual; a page takes memory when it is written.
  static constexpr int64_t kHeapBytes = int64_t{16} << 30;
  static constexpr uint32_t kNumEnvelopes = 1 << 16;

  /// Grows as long as the process is alive and not stopped.
  std::atomic<uint64_t> beats;
  /// Others have given it up, and speak for it.
  std::atomic<bool> isGivenUp;
  /// In that of the host's first process: the run of which somebody has told how it failed, and who
  /// (MpiProcesses.cpp).
  std::atomic<uint64_t> told;
  /// What its ranks do, by rank from its first one.
  char activities[kMaxRanks][kTextBytes];
  /// Rings when something has happened that its ranks may wait for.
  alignas(64) HostBell bell;
  /// The envelope that others posted to it last.
  alignas(64) std::atomic<uint64_t> inbox;
  alignas(64) Envelope envelopes[kNumEnvelopes];
  /// What its ranks send, or what they allocated for it.
  alignas(4096) std::byte heap[kHeapBytes];
};

/// Which processes share memory on this host, and the area of each. Areas may be asked for while
/// others are added.
class HostAreas {
public:
  /// Of so many processes, none of which shares any yet.
  explicit HostAreas(int64_t numProcesses) : areas(static_cast<size_t>(numProcesses)) {}

  int64_t numProcesses() const { return std::ssize(areas); }
  /// `area` must stay where it is.
  void add(int64_t process, SharedArea *area) { areas[static_cast<size_t>(process)] = area; }
  /// Null if the process is on another host, or has shared nothing.
  SharedArea *areaOf(int64_t process) const { return areas[static_cast<size_t>(process)]; }

private:
  std::vector<std::atomic<SharedArea *>> areas;
};

} // namespace shardwise::host
