// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges whose windows tile the new shards.

#pragma once

#include "shardwise/planner/model/ExchangeRounds.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::partition {

/// New shards that are windows one behind the other.
struct ExchangeTiles {
  /// The dimension along which they are, and how many.
  int64_t dim = 0;
  int64_t count = 1;
  /// By window and member of the group: which tile it becomes; -1 for members that have none.
  /// Window 0 is what members keep, i + 1 what they receive in round i. Where two become one tile,
  /// the later one counts.
  std::vector<std::vector<int32_t>> tileOf;
};

/// Returns the tiles of new shards of `shape`; none unless
///   1. the plan needs no room around the shard,
///   2. all windows have one size, that of the shard but for one dimension, and begin at multiples
///      of it there,
///   3. each tile of each member is a window,
///   4. there are 4 windows at most: each element is chosen among all of them.
/// Example: `[{"x"}, {"y"}]` to `[{"y"}, {"x"}]` with x=2, y=4 of 16x16. Shards of 8x4 become 4x8,
/// two tiles of 4x4: a device keeps one or none, and receives the others in two rounds.
std::optional<ExchangeTiles> exchangeTiles(const planner::ExchangeRounds &plan,
                                           llvm::ArrayRef<int64_t> shape);

} // namespace shardwise::partition
