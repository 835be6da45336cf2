// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arena of a rank of a shared run.

#pragma once

#include "shardwise/execute/thunks/ArenaPool.h"
#include "shardwise/runtime/Processes.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace shardwise::execute {

/// Memory that other processes of the host can read, if `processes` has some: collectives then send
/// from it as it is, and pack nothing. Else an arena of the pool.
class RankArena {
public:
  /// `processes` may be null; else it outlives this.
  RankArena(ArenaPool &pool, int64_t bytes, runtime::Processes *processes)
      : processes(processes), shared(processes ? processes->allocate(bytes) : nullptr) {
    if (!shared)
      lease.emplace(pool, bytes);
  }
  ~RankArena() {
    if (shared)
      processes->release(shared);
  }
  RankArena(const RankArena &) = delete;
  RankArena &operator=(const RankArena &) = delete;

  /// Null if memory was exhausted.
  std::byte *data() const { return shared ? shared : lease->data(); }

private:
  runtime::Processes *processes;
  std::byte *shared;
  std::optional<ArenaLease> lease;
};

} // namespace shardwise::execute
