// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices with one box of a tensor hold the same elements. Of partial sums every device has its
// own.

#include "shardwise/driver/ArgumentClasses.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/driver/RunOnDevices.h"

#include <map>
#include <utility>

namespace shardwise::driver {

std::vector<execute::RankClasses> argumentClasses(const ProgramBorder &border) {
  int64_t numRanks = border.mesh.numDevices();
  std::vector<execute::RankClasses> all;
  if (numRanks == 1)
    return all;
  for (const ShardedValue &value : border.arguments) {
    execute::RankClasses &classes = all.emplace_back(execute::apart(numRanks));
    if (!value.sharding.unreduced.empty())
      continue;
    // Devices that are not in the mesh of the value have zeros.
    using Part = std::pair<std::vector<int64_t>, std::vector<int64_t>>;
    std::vector<Part> parts(numRanks);
    std::vector<int64_t> ranks = ranksOf(value, numRanks);
    for (size_t position = 0; position < ranks.size(); ++position) {
      core::Box box = core::shardBox(value.globalShape, value.sharding, value.mesh,
                                     static_cast<int64_t>(position));
      // Of a scalar all devices of the mesh have the one element.
      box.size.push_back(1);
      parts[ranks[position]] = {std::move(box.start), std::move(box.size)};
    }
    std::map<Part, int32_t> firstOf;
    for (int32_t rank = 0; rank < numRanks; ++rank)
      classes[rank] = firstOf.emplace(std::move(parts[rank]), rank).first->second;
  }
  return all;
}

} // namespace shardwise::driver
