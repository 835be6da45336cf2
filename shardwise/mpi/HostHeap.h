// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of this process that the others of its host can read.

#pragma once

#include "shardwise/mpi/HostSegment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace shardwise::mpi {

/// Hands out blocks of the heap in this process' area, and the numbers of messages that lie in it.
/// Blocks are powers of two; one that is free again is for the next that fits. All members are safe
/// to call from any thread.
class HostHeap {
public:
  /// `area` may be null: then there is nothing to hand out.
  explicit HostHeap(SharedArea *area) : area(area) {}

  /// Null if there is no such block left.
  std::byte *allocate(int64_t bytes);
  void release(std::byte *block);
  /// Whether `data` is in the heap.
  bool contains(const std::byte *data) const {
    return area && data >= area->heap && data < area->heap + SharedArea::kHeapBytes;
  }
  int64_t offsetOf(const std::byte *data) const { return data - area->heap; }

  /// The number of an open message; none if there are too many.
  std::optional<uint32_t> beginSend();
  std::atomic<SharedArea::SendState> &send(uint32_t number) { return area->sends[number]; }
  void endSend(uint32_t number);

private:
  static constexpr int kSmallest = 12; ///< Blocks of 4 KiB.
  static constexpr int kNumSizes = 48;

  SharedArea *area;
  std::mutex mutex;
  int64_t used = 0;
  std::array<std::vector<std::byte *>, kNumSizes> free;
  std::map<const std::byte *, int> sizes; ///< Of blocks that are handed out.
  uint32_t usedSends = 0;
  std::vector<uint32_t> freeSends;
};

} // namespace shardwise::mpi
