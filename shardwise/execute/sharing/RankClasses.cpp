// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions of the ranks, and their common refinement.

#include "shardwise/execute/sharing/RankClasses.h"

#include <numeric>

namespace shardwise::execute {

RankClasses together(int64_t numRanks) {
  return RankClasses(static_cast<size_t>(numRanks), 0);
}

RankClasses apart(int64_t numRanks) {
  RankClasses classes(static_cast<size_t>(numRanks));
  std::iota(classes.begin(), classes.end(), 0);
  return classes;
}

RankClassTable::RankClassTable(int64_t numRanks) {
  // In this order: the ids of both are constants. Of one rank both are the same partition.
  all = {together(numRanks), apart(numRanks)};
  ids.emplace(all[kTogether], kTogether);
  ids.insert_or_assign(all[kApart], kApart);
}

// Partitions are compared as lists, so a class is named by its lowest rank whoever named it before.
ClassesId RankClassTable::idOf(const RankClasses &classes) {
  RankClasses named(classes.size());
  std::map<int32_t, int32_t> lowest;
  for (size_t rank = 0; rank < classes.size(); ++rank)
    named[rank] = lowest.emplace(classes[rank], static_cast<int32_t>(rank)).first->second;
  auto [place, isNew] = ids.emplace(std::move(named), static_cast<ClassesId>(all.size()));
  if (isNew)
    all.push_back(place->first);
  return place->second;
}

ClassesId RankClassTable::common(ClassesId a, ClassesId b) {
  if (a == b || a == kApart || b == kTogether)
    return a;
  if (b == kApart || a == kTogether)
    return b;
  auto [place, isNew] = known.emplace(std::minmax(a, b), kApart);
  if (isNew) {
    RankClasses result(all[a].size());
    std::map<std::pair<int32_t, int32_t>, int32_t> firstOf;
    for (size_t rank = 0; rank < result.size(); ++rank)
      result[rank] =
          firstOf.emplace(std::pair(all[a][rank], all[b][rank]), static_cast<int32_t>(rank))
              .first->second;
    place->second = idOf(result);
  }
  return place->second;
}

} // namespace shardwise::execute
