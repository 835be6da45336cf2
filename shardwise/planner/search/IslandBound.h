// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What groups of devices behind slow links must import: the host-union lower bound in the search.
//
// An *island* is the set of devices that differ only along fast atoms. Inside, data can be handed
// on over fast links, so a bound per device would be wrong. But what the target boxes of an island
// contain, all together, and its boxes do not must come over slow links, once per island.

#pragma once

#include "shardwise/planner/search/SearchSpace.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace shardwise::planner {

/// The import of islands, from states of one space. Refers to the space.
class IslandBound {
public:
  /// Requires: `space.isEven()`, and `slow` is not empty.
  IslandBound(const SearchSpace &space, AtomSet slow);

  /// Returns a lower bound on the bytes that some island still has to import from `state` on,
  /// exact for the islands looked at (at most 8). Costs a look-up per dimension; a list met for
  /// the first time costs its tiles. Requires: nothing is unreduced in `state`.
  int64_t importBytes(const SearchState &state);

  /// Devices of an island.
  int64_t numDevices() const { return devices; }

private:
  static constexpr size_t kMaxIslands = 8;
  /// By island.
  using Counts = std::array<int64_t, kMaxIslands>;

  /// Elements that each island holds and wants of dimension `d` cut by `list`.
  const Counts &commonOf(int d, AtomList list);
  Counts countCommon(int d, AtomList list) const;

  const SearchSpace &space;
  AtomSet slow;
  int64_t devices = 1;
  /// By island: the coordinate along each atom; of no meaning for fast ones.
  std::vector<std::vector<int64_t>> islands;
  /// By dimension.
  std::vector<int64_t> wanted;
  std::vector<std::unordered_map<uint64_t, Counts>> known;
};

} // namespace shardwise::planner
