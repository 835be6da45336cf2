// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/host/HostHeap.h"

#include <algorithm>
#include <bit>

namespace shardwise::host {

std::byte *HostHeap::allocate(int64_t bytes) {
  if (!area || bytes > SharedArea::kHeapBytes)
    return nullptr;
  int size = std::max(kSmallest, static_cast<int>(std::bit_width(
                                     static_cast<uint64_t>(std::max<int64_t>(bytes, 1) - 1))));
  std::lock_guard lock(mutex);
  std::byte *block = nullptr;
  if (!free[size].empty()) {
    block = free[size].back();
    free[size].pop_back();
  } else if (used + (int64_t{1} << size) <= SharedArea::kHeapBytes) {
    block = area->heap + used;
    used += int64_t{1} << size;
    sizes.resize(static_cast<size_t>(used >> kSmallest), 0);
  } else {
    return nullptr;
  }
  sizes[static_cast<size_t>(offsetOf(block) >> kSmallest)] = static_cast<uint8_t>(size);
  return block;
}

std::shared_ptr<std::byte> HostHeap::share(int64_t bytes) {
  std::byte *block = allocate(bytes);
  if (!block)
    return nullptr;
  return {block, [this](std::byte *unused) { release(unused); }};
}

void HostHeap::release(std::byte *block) {
  if (!contains(block))
    return;
  auto page = static_cast<size_t>(offsetOf(block) >> kSmallest);
  std::lock_guard lock(mutex);
  if (page >= sizes.size() || sizes[page] == 0)
    return;
  free[sizes[page]].push_back(block);
  sizes[page] = 0;
}

} // namespace shardwise::host
