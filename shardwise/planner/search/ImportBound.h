// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What groups of devices behind slow links must import: the host-union lower bound in the search.
//
// A *fast group* is the set of devices that differ only along fast sub-axes: the devices of a host,
// where the slow axes lead to other hosts. Inside, data can be handed on over fast links, so a
// bound per device would be wrong. But what the target boxes of a fast group contain, all together,
// and its boxes do not, must come over slow links, once per group.

#pragma once

#include "shardwise/planner/search/SearchSpace.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace shardwise::planner {

/// The import of fast groups, from states of one space. Refers to the space.
class ImportBound {
public:
  /// Requires: `space.isEven()`, and `slow` is not empty.
  ImportBound(const SearchSpace &space, SubAxisSet slow);

  /// Returns a lower bound on the bytes that some fast group still has to import from `state` on,
  /// exact for the fast groups looked at (at most 8). Costs a look-up per dimension; a list met for
  /// the first time costs its tiles. Requires: nothing is unreduced in `state`.
  int64_t importBytes(const SearchState &state);

  /// Devices of a fast group.
  int64_t numDevices() const { return devices; }

private:
  static constexpr size_t kMaxFastGroups = 8;
  /// By fast group.
  using Counts = std::array<int64_t, kMaxFastGroups>;

  /// Elements that each fast group holds and wants of dimension `d` cut by `list`.
  const Counts &commonOf(int d, SubAxisList list);
  Counts countCommon(int d, SubAxisList list) const;

  const SearchSpace &space;
  SubAxisSet slow;
  int64_t devices = 1;
  /// By fast group: the coordinate along each sub-axis; of no meaning for fast ones.
  std::vector<std::vector<int64_t>> groups;
  /// By dimension.
  std::vector<int64_t> wanted;
  std::vector<std::unordered_map<uint64_t, Counts>> known;
};

} // namespace shardwise::planner
