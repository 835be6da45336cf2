// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/partition/ExchangeTiles.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwise::partition {
namespace {

using planner::ExchangeMove;
using planner::ExchangeRound;

constexpr size_t kMostWindows = 4;

/// The only dimension in which a window of `size` is smaller than a shard of `shape`, which is a
/// multiple of it there; none if there is no such dimension.
std::optional<int64_t> dimOfTiles(llvm::ArrayRef<int64_t> size, llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> found;
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim) {
    if (size[dim] == shape[dim])
      continue;
    if (found || size[dim] == 0 || shape[dim] % size[dim] != 0)
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// Whether every member has a window for every tile.
bool areFull(const ExchangeTiles &tiles, int64_t numMembers) {
  std::vector<std::vector<bool>> isThere(numMembers, std::vector<bool>(tiles.count));
  for (const std::vector<int32_t> &tileOf : tiles.tileOf)
    for (auto [member, tile] : llvm::enumerate(tileOf))
      if (tile >= 0)
        isThere[member][tile] = true;
  return llvm::all_of(isThere, [](const std::vector<bool> &ofMember) {
    return llvm::all_of(ofMember, [](bool is) { return is; });
  });
}

} // namespace

std::optional<ExchangeTiles> exchangeTiles(const planner::ExchangeRounds &plan,
                                           llvm::ArrayRef<int64_t> shape) {
  auto isZero = [](int64_t room) { return room == 0; };
  if (!llvm::all_of(plan.low, isZero) || !llvm::all_of(plan.high, isZero))
    return std::nullopt;
  // Where nothing moves, as between devices that have it all, there is nothing to put together.
  if (plan.rounds.empty())
    return std::nullopt;
  const std::vector<int64_t> &size = plan.rounds.front().size;
  std::optional<int64_t> dim = dimOfTiles(size, shape);
  if (!dim || plan.rounds.size() + 1 > kMostWindows)
    return std::nullopt;
  ExchangeTiles tiles{*dim, shape[*dim] / size[*dim], {}};
  auto add = [&](const ExchangeRound &round) {
    std::vector<int32_t> &tileOf = tiles.tileOf.emplace_back(plan.numMembers, -1);
    for (const ExchangeMove &move : round.moves) {
      // In the other dimensions a window can begin nowhere but at 0.
      if (round.size != size || move.to[*dim] % size[*dim] != 0)
        return false;
      tileOf[move.target] = static_cast<int32_t>(move.to[*dim] / size[*dim]);
    }
    return true;
  };
  if (!add(plan.own) || !llvm::all_of(plan.rounds, add) || !areFull(tiles, plan.numMembers))
    return std::nullopt;
  return tiles;
}

} // namespace shardwise::partition
