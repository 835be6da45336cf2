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
  } else {
    return nullptr;
  }
  sizes.emplace(block, size);
  return block;
}

std::shared_ptr<std::byte> HostHeap::share(int64_t bytes) {
  std::byte *block = allocate(bytes);
  if (!block)
    return nullptr;
  return {block, [this](std::byte *unused) { release(unused); }};
}

void HostHeap::release(std::byte *block) {
  std::lock_guard lock(mutex);
  auto found = sizes.find(block);
  if (found == sizes.end())
    return;
  free[found->second].push_back(block);
  sizes.erase(found);
}

} // namespace shardwise::host
