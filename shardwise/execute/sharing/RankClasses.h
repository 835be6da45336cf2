// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ranks hold equal values.
//
// The classes of a value are a partition of the ranks: within one class all hold the same bits. On
// the 4 devices of <["x"=2, "y"=2]>, a tensor that is cut over "y" alone has the classes {0, 2} and
// {1, 3}; a replicated one has one class, one that is cut over both axes has four.

#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace shardwise::execute {

/// By rank: the lowest rank that holds the same value. Example: {0, 1, 0, 1}.
using RankClasses = std::vector<int32_t>;

/// All ranks hold one value.
RankClasses together(int64_t numRanks);
/// Every rank holds a value of its own.
RankClasses apart(int64_t numRanks);

/// Number of a partition in a `RankClassTable`.
using ClassesId = int32_t;

/// The partitions of the ranks that a program has: few, however many values there are. Each is
/// stored once, and what two have in common is worked out once.
class RankClassTable {
public:
  static constexpr ClassesId kTogether = 0; ///< One class. With one rank, `kApart` is as good.
  static constexpr ClassesId kApart = 1;    ///< A class per rank.

  explicit RankClassTable(int64_t numRanks);

  int64_t numRanks() const { return static_cast<int64_t>(all.front().size()); }
  const RankClasses &at(ClassesId id) const { return all[id]; }
  int64_t size() const { return static_cast<int64_t>(all.size()); }

  /// Of `classes`, in which a class may be named by any of its ranks.
  ClassesId idOf(const RankClasses &classes);
  /// Ranks are together that are together in both: the classes of a value computed from two others.
  ClassesId common(ClassesId a, ClassesId b);

private:
  std::vector<RankClasses> all;
  std::map<RankClasses, ClassesId> ids;
  std::map<std::pair<ClassesId, ClassesId>, ClassesId> known;
};

} // namespace shardwise::execute
