// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices hand over where an uneven dimension is cut across block boundaries.
//
// A dimension of N elements in `blocks` blocks has narrow blocks of w = ceil(N / blocks). Cut into
// `parts` each, the parts have v = ceil(N / (blocks * parts)), and `parts` of them make a wide
// block of W = parts * v >= w. A collective within a block goes between parts and *wide* blocks,
// but a device with `blocks` blocks has a narrow one. Where W > w, wide block a starts a * (W - w)
// elements behind narrow block a. Example: N = 10, blocks = 2, parts = 3; w = 5, v = 2, W = 6:
//
//     element        0 1 2 3 4 5 6 7 8 9
//     narrow         [0 0 0 0 0][1 1 1 1 1]
//     wide           [0 0 0 0 0 0][1 1 1 1 . .]
//     parts          [0 0][1 1][2 2][3 3][4 4]    part 5 is empty
//
// To widen, block 0 takes one element from block 1; to narrow, block 1 takes one from block 0. What
// is taken comes from neighbours along the blocks, most often from the next one alone, and is few
// elements: drift grows by less than `parts` per block.

#pragma once

#include "shardwise/core/Collective.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::core {

/// How every device gets a wide block from a narrow one, or back. It puts what it takes together
/// with its own block, in the order of the dimension, and has its new block in there: at
/// `firstStart + a * startStep` for block number a.
struct BlockShift {
  enum class Direction { Widen, Narrow };
  Direction direction = Direction::Widen;
  /// Sizes of the blocks.
  int64_t narrow = 0;
  int64_t wide = 0;
  /// Elements taken from each neighbour, nearest first: of Widen the first ones of the blocks
  /// behind the own, of Narrow the last ones of the blocks before it.
  std::vector<int64_t> taken;
  int64_t firstStart = 0;
  int64_t startStep = 0;
  /// How much of what is put together the new blocks reach over; more than there is if the last of
  /// them end in padding.
  int64_t reach = 0;
};

/// Returns the shift between `blocks` blocks of a dimension of `size` and those that their `parts`
/// make; none if the blocks are equal or there is one.
std::optional<BlockShift> blockShift(int64_t size, int64_t blocks, int64_t parts,
                                     BlockShift::Direction direction);

/// Returns the bytes that a device takes from neighbours around a collective from `before` to
/// `after`: in dimensions that are cut further before it, in others behind it, in their order.
int64_t handedOverBytes(const Sharding &before, const Sharding &after, const Shape &shape,
                        int64_t elementBytes);

} // namespace shardwise::core
