// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of this process that the others of its host can read.

#pragma once

#include "shardwise/host/HostAreas.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace shardwise::host {

/// Hands out blocks of the heap in this process' area. Blocks are powers of two; one that is free
/// again is for the next that fits. All members are safe to call from any thread.
class HostHeap {
public:
  /// `area` may be null: then there is nothing to hand out.
  explicit HostHeap(SharedArea *area) : area(area) {}

  /// Null if there is no such block left.
  std::byte *allocate(int64_t bytes);
  void release(std::byte *block);
  /// The same for several who need the block; the last of them releases it. The heap must outlive
  /// them.
  std::shared_ptr<std::byte> share(int64_t bytes);
  /// Whether `data` is in the heap.
  bool contains(const std::byte *data) const {
    return area && data >= area->heap && data < area->heap + SharedArea::kHeapBytes;
  }
  int64_t offsetOf(const std::byte *data) const { return data - area->heap; }

private:
  static constexpr int kSmallest = 12; ///< Blocks of 4 KiB.
  static constexpr int kNumSizes = 48;

  SharedArea *area;
  std::mutex mutex;
  int64_t used = 0;
  std::array<std::vector<std::byte *>, kNumSizes> free;
  /// By page of the smallest size: the size of the block that begins there and is handed out, as a
  /// power of two; 0 if none does.
  std::vector<uint8_t> sizes;
};

} // namespace shardwise::host
