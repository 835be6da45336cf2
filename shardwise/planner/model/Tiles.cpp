// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic on multiples of two block sizes.

#include "shardwise/planner/model/Tiles.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

int64_t ceilDiv(int64_t number, int64_t divisor) {
  return (number + divisor - 1) / divisor;
}

} // namespace

TileInterval tileInterval(int64_t size, int64_t sourceBlocks, int64_t sourceIndex,
                          int64_t targetBlocks, int64_t targetIndex) {
  int64_t sourceSize = ceilDiv(size, sourceBlocks);
  int64_t targetSize = ceilDiv(size, targetBlocks);
  TileInterval tile{sourceIndex, targetIndex};
  tile.begin = std::max(sourceIndex * sourceSize, targetIndex * targetSize);
  tile.end = std::min({(sourceIndex + 1) * sourceSize, (targetIndex + 1) * targetSize, size});
  tile.sourceOffset = tile.begin - sourceIndex * sourceSize;
  tile.targetOffset = tile.begin - targetIndex * targetSize;
  return tile;
}

std::vector<TileInterval> tileIntervals(int64_t size, int64_t sourceBlocks, int64_t targetBlocks) {
  std::vector<TileInterval> tiles;
  if (size == 0)
    return tiles;
  int64_t sourceSize = ceilDiv(size, sourceBlocks);
  int64_t targetSize = ceilDiv(size, targetBlocks);
  // From border to border: the tile that begins here ends at the nearer end of its two blocks. At
  // most one tile more than there are borders, where all pairs of blocks would be a product.
  for (int64_t begin = 0; begin < size;) {
    tiles.push_back(
        tileInterval(size, sourceBlocks, begin / sourceSize, targetBlocks, begin / targetSize));
    begin = tiles.back().end;
  }
  return tiles;
}

BlockRange blocksMeeting(int64_t size, int64_t ownBlocks, int64_t index, int64_t otherBlocks) {
  int64_t ownSize = ceilDiv(size, ownBlocks);
  int64_t begin = index * ownSize;
  if (begin >= size)
    return {};
  // The blocks that have the first and the last element of this one.
  int64_t otherSize = ceilDiv(size, otherBlocks);
  return {begin / otherSize, (std::min(begin + ownSize, size) - 1) / otherSize};
}

} // namespace shardwise::planner
