// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of results kept for the next run: a training step gives as many bytes as its weights, and
// to clear fresh pages for them took a third of a step of two cores.

#pragma once

#include "shardwise/support/HugePages.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace shardwise::execute {

/// Memory that was the bytes of tensors. Any number of threads may take and give back.
class ResultPool {
public:
  using Bytes = std::vector<std::byte>;

  /// Returns a copy of the `count` bytes at `data`, in memory that was used before if there is
  /// some.
  Bytes copyOf(const std::byte *data, int64_t count) {
    Bytes bytes = take(count);
    if (bytes.capacity() == 0) {
      bytes.reserve(static_cast<size_t>(count));
      adviseHugePages(bytes.data(), count);
    }
    bytes.assign(data, data + count);
    return bytes;
  }

  /// Keeps `bytes`, if it is worth it and no more than `most` bytes are kept then.
  void giveBack(Bytes bytes, int64_t most) {
    auto count = static_cast<int64_t>(bytes.size());
    std::lock_guard lock(mutex);
    if (count < kLeastBytes || keptBytes + count > most)
      return;
    keptBytes += count;
    bytes.clear();
    kept[count].push_back(std::move(bytes));
  }

private:
  /// Less comes from the allocator's own store.
  static constexpr int64_t kLeastBytes = int64_t{256} << 10;

  /// Returns memory for `count` bytes, or none.
  Bytes take(int64_t count) {
    std::lock_guard lock(mutex);
    auto found = kept.find(count);
    if (found == kept.end() || found->second.empty())
      return {};
    Bytes bytes = std::move(found->second.back());
    found->second.pop_back();
    keptBytes -= count;
    return bytes;
  }

  std::mutex mutex;
  std::map<int64_t, std::vector<Bytes>> kept; ///< By number of bytes.
  int64_t keptBytes = 0;
};

} // namespace shardwise::execute
