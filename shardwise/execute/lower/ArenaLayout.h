// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where buffers lie in one arena, given when they live.

#pragma once

#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// What lies in the arena from its first to its last use, both included.
struct ArenaBlock {
  int64_t bytes = 0; ///< A multiple of 64, above 0.
  int64_t first = 0, last = 0;
  int64_t offset = 0;
};

/// Returns `bytes` rounded up to what places of an arena are multiples of, 64 bytes.
int64_t alignedInArena(int64_t bytes);

/// Sets the offsets of `blocks`, so that two that live at one time do not overlap. Returns the size
/// of the arena in bytes, which is at least the most that lives at one time and mostly equal to it:
/// to find the least is NP-hard. The same for the same blocks. Costs O(n log n), with a constant
/// that grows with the share of gaps.
int64_t layOutArena(std::vector<ArenaBlock> &blocks);

} // namespace shardwise::execute
