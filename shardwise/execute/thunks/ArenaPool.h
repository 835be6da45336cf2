// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arenas kept between runs: a fresh one costs a page fault per 4 KiB, which for element-wise
// programs is most of the time.

#pragma once

#include "shardwise/support/HugePages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace shardwise::execute {

/// Arenas of one size that no run is using. Any number of threads may take and give back.
class ArenaPool {
public:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  /// Returns an arena, new or used before, with undefined contents; null if memory is exhausted.
  Memory take(int64_t bytes) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!idle.empty()) {
        Memory memory = std::move(idle.back());
        idle.pop_back();
        return memory;
      }
    }
    size_t rounded = (static_cast<size_t>(bytes) + kAlignment) / kAlignment * kAlignment;
    Memory memory(static_cast<std::byte *>(std::aligned_alloc(kAlignment, rounded)));
    adviseHugePages(memory.get(), bytes);
    return memory;
  }

  void giveBack(Memory memory) {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(memory));
  }

private:
  static constexpr size_t kAlignment = 64;
  std::mutex mutex;
  std::vector<Memory> idle;
};

/// An arena for the time of one run.
class ArenaLease {
public:
  ArenaLease(ArenaPool &pool, int64_t bytes) : pool(pool), memory(pool.take(bytes)) {}
  ~ArenaLease() {
    if (memory)
      pool.giveBack(std::move(memory));
  }
  ArenaLease(const ArenaLease &) = delete;
  ArenaLease &operator=(const ArenaLease &) = delete;

  std::byte *data() const { return memory.get(); }

private:
  ArenaPool &pool;
  ArenaPool::Memory memory;
};

} // namespace shardwise::execute
