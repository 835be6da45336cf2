// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Narrow and wide blocks. Block a is [a * w, a * w + w) or [a * W, a * W + W), both only as far as
// the dimension goes. So block a begins a * (W - w) further on when it is wide, and ends (a + 1) *
// (W - w) further on: the drift adds up from block to block.
//
// One program runs on all devices, so that every block takes as many elements from each neighbour
// as the block that needs most, and `firstStart + a * startStep` says where in all that its own
// are. Which block needs most is the last one that is not empty afterwards; what it needs is
// `missing`. When that is more than a neighbour has, it goes on into the next one, and `taken` has
// one number for each.

#include "shardwise/core/BlockShift.h"

#include "shardwise/core/EvenSharding.h"

#include <algorithm>

namespace shardwise::core {
namespace {

int64_t partsOf(const Sharding &sharding, size_t dim) {
  return dim < sharding.dims.size() ? shardedSize(sharding.dims[dim].axes) : 1;
}

int64_t bytesOfShift(const BlockShift &shift, const Shape &local, size_t dim,
                     int64_t elementBytes) {
  int64_t others = 1;
  for (size_t d = 0; d < local.size(); ++d)
    others *= d == dim ? 1 : local[d];
  int64_t elements = 0;
  for (int64_t count : shift.taken)
    elements += count;
  return elements * others * elementBytes;
}

} // namespace

std::optional<BlockShift> blockShift(int64_t size, int64_t blocks, int64_t parts,
                                     BlockShift::Direction direction) {
  if (isAlignedCut(size, blocks, parts))
    return std::nullopt;
  BlockShift shift;
  shift.direction = direction;
  shift.narrow = shardSize(size, blocks);
  shift.wide = parts * shardSize(size, blocks * parts);
  int64_t drift = shift.wide - shift.narrow;
  bool widens = direction == BlockShift::Direction::Widen;
  int64_t own = widens ? shift.narrow : shift.wide;
  int64_t wanted = widens ? shift.wide : shift.narrow;
  // Blocks behind this one are empty afterwards.
  int64_t last = shardSize(size, wanted) - 1;
  int64_t missing = last * drift;
  // Wide block a ends (a + 1) * drift behind the narrow one, the last at the end of the dimension.
  if (widens)
    missing = std::max(missing, size - (last + 1) * shift.narrow);
  for (int64_t left = missing; left > 0; left -= own)
    shift.taken.push_back(std::min(left, own));
  shift.firstStart = widens ? 0 : missing;
  shift.startStep = widens ? drift : -drift;
  shift.reach = widens ? last * drift + wanted : missing + own;
  return shift;
}

int64_t handedOverBytes(const Sharding &before, const Sharding &after, const Shape &shape,
                        int64_t elementBytes) {
  Shape local = localShape(shape, before);
  int64_t bytes = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t blocks = partsOf(before, d), parts = partsOf(after, d) / blocks;
    if (parts <= 1)
      continue;
    if (auto shift = blockShift(shape[d], blocks, parts, BlockShift::Direction::Widen)) {
      bytes += bytesOfShift(*shift, local, d, elementBytes);
      local[d] = shift->wide;
    }
  }
  // Behind the collective: dimensions that need no shift have their size.
  local = localShape(shape, after);
  std::vector<std::optional<BlockShift>> shifts(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t blocks = partsOf(after, d), parts = partsOf(before, d) / blocks;
    if (parts > 1)
      shifts[d] = blockShift(shape[d], blocks, parts, BlockShift::Direction::Narrow);
    if (shifts[d])
      local[d] = shifts[d]->wide;
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (shifts[d]) {
      bytes += bytesOfShift(*shifts[d], local, d, elementBytes);
      local[d] = shifts[d]->narrow;
    }
  return bytes;
}

} // namespace shardwise::core
