// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where two block splits of one dimension meet, in closed form.
//
// Splitting N into k blocks cuts at the multiples of w = ceil(N/k). The tiles of two splits with
// block sizes S and T lie between the multiples of S and of T; a tile of a tensor is a product of
// one interval per dimension.
//
//   N=12, S=3, T=2:  S |..x|..x|..x|..x|   tiles 2 1 1 2 2 1 1 2
//                    T |.x|.x|.x|.x|.x|.x|

#pragma once

#include <cstdint>
#include <vector>

namespace shardwise::planner {

/// The part that a source and a target block have in common.
struct TileInterval {
  int64_t sourceBlock = 0;
  int64_t targetBlock = 0;
  int64_t begin = 0; ///< Global indices [begin, end).
  int64_t end = 0;
  int64_t sourceOffset = 0; ///< `begin` within the source block.
  int64_t targetOffset = 0;

  int64_t size() const { return end - begin; }
  bool operator==(const TileInterval &) const = default;
};

/// Blocks [first, last]; none if `last < first`.
struct BlockRange {
  int64_t first = 0;
  int64_t last = -1;

  int64_t count() const { return last - first + 1; }
};

/// Returns the non-empty intervals in ascending order. Costs their number.
std::vector<TileInterval> tileIntervals(int64_t size, int64_t sourceBlocks, int64_t targetBlocks);

/// Returns the blocks of a split into `otherBlocks` that meet block `index` of a split into
/// `ownBlocks`.
BlockRange blocksMeeting(int64_t size, int64_t ownBlocks, int64_t index, int64_t otherBlocks);

/// Returns the interval of two blocks; empty (`size() <= 0`) if they do not meet.
TileInterval tileInterval(int64_t size, int64_t sourceBlocks, int64_t sourceIndex,
                          int64_t targetBlocks, int64_t targetIndex);

} // namespace shardwise::planner
