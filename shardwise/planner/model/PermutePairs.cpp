// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices are numbered by block and copy under both shardings; equal numbers send and receive.
//
// 1. Under each sharding a device has a block, by its coordinates along the axes in use, and a copy
//    number, by those along all others. Both together number the devices without gaps.
// 2. Block counts are equal, so the same numbers occur under both: the device with a number before
//    sends to the device with it after. The most major digits of a copy number are those of the
//    axes that neither side uses: coordinates along them stay.
// 3. A device whose block stays is to be its own source. Where it has another one, both sources
//    hold the same block, and the two targets swap them.
//
// Example: <["x"=2, "y"=2]>, [{"x"}] to [{"y"}]. Device (x, y) has block x before and y after, copy
// y before and x after. (0, 1) has the number (0, 1) before; after, that is device (1, 0).

#include "shardwise/planner/model/PermutePairs.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/model/SubAxes.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::planner {
namespace {

SubAxisIndices usedSubAxes(const SubAxes &subAxes, const core::Sharding &sharding) {
  SubAxisIndices used = subAxes.expand(sharding.unreduced);
  for (const core::DimSharding &dim : sharding.dims)
    subAxes.expand(dim.axes, used);
  return used;
}

/// Returns the sub-axes that number the copies of a shard: those that neither list uses, then those
/// that only `otherUsed` has.
SubAxisIndices copySubAxes(const SubAxes &subAxes, const SubAxisIndices &used,
                           const SubAxisIndices &otherUsed) {
  auto isIn = [](const SubAxisIndices &list, SubAxisIndex subAxis) {
    return std::find(list.begin(), list.end(), subAxis) != list.end();
  };
  SubAxisIndices copies;
  for (SubAxisIndex subAxis = 0; subAxis < subAxes.numSubAxes(); ++subAxis)
    if (!isIn(used, subAxis) && !isIn(otherUsed, subAxis))
      copies.push_back(subAxis);
  for (SubAxisIndex subAxis : otherUsed)
    if (!isIn(used, subAxis))
      copies.push_back(subAxis);
  return copies;
}

core::AxisList toAxes(const SubAxes &subAxes, const SubAxisIndices &order) {
  core::AxisList axes;
  for (SubAxisIndex subAxis : order)
    axes.push_back(subAxes[subAxis]);
  return axes;
}

Result<void> checkCounts(const core::Mesh &mesh, const core::Sharding &before,
                         const core::Sharding &after) {
  bool sameRank = before.dims.size() == after.dims.size();
  bool sameCounts = sameRank;
  for (size_t dim = 0; sameCounts && dim < before.dims.size(); ++dim) {
    sameCounts =
        core::shardedSize(before.dims[dim].axes) == core::shardedSize(after.dims[dim].axes);
  }
  if (!sameCounts || before.unreduced != after.unreduced) {
    return invalid(fmt::format("no permute leads from {} to {}: block counts and unreduced axes "
                               "must be the same",
                               core::toString(before, mesh), core::toString(after, mesh)));
  }
  return {};
}

} // namespace

Result<std::vector<DevicePair>> permutePairs(const core::Mesh &mesh, const core::Sharding &before,
                                             const core::Sharding &after) {
  if (Result<void> checked = checkCounts(mesh, before, after); !checked)
    return checked.error();
  std::vector<std::span<const core::Axis>> lists = {before.unreduced};
  for (const core::Sharding *sharding : {&before, &after})
    for (const core::DimSharding &dim : sharding->dims)
      lists.emplace_back(dim.axes);
  std::optional<SubAxes> subAxes = SubAxes::create(mesh, lists);
  if (!subAxes) {
    return unsupported(fmt::format("sub-axes of {} and {} have no common cuts; reshard through a "
                                   "sharding that uses full axes",
                                   core::toString(before, mesh), core::toString(after, mesh)));
  }
  SubAxisIndices beforeUsed = usedSubAxes(*subAxes, before);
  SubAxisIndices afterUsed = usedSubAxes(*subAxes, after);
  core::AxisList beforeBlock = toAxes(*subAxes, beforeUsed);
  core::AxisList afterBlock = toAxes(*subAxes, afterUsed);
  core::AxisList beforeCopy = toAxes(*subAxes, copySubAxes(*subAxes, beforeUsed, afterUsed));
  core::AxisList afterCopy = toAxes(*subAxes, copySubAxes(*subAxes, afterUsed, beforeUsed));
  int64_t numCopies = core::shardedSize(beforeCopy);
  auto slot = [&](const core::AxisList &block, const core::AxisList &copy, int64_t position) {
    return core::coordinateAlong(block, mesh, position) * numCopies +
           core::coordinateAlong(copy, mesh, position);
  };
  std::vector<int64_t> sourceOfSlot(mesh.numDevices());
  for (int64_t position = 0; position < mesh.numDevices(); ++position)
    sourceOfSlot[slot(beforeBlock, beforeCopy, position)] = position;
  // Both directions of the bijection, so that sources can be swapped.
  std::vector<int64_t> sourceOf(mesh.numDevices());
  std::vector<int64_t> targetOf(mesh.numDevices());
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    sourceOf[position] = sourceOfSlot[slot(afterBlock, afterCopy, position)];
    targetOf[sourceOf[position]] = position;
  }
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    bool keepsBlock = core::coordinateAlong(beforeBlock, mesh, position) ==
                      core::coordinateAlong(afterBlock, mesh, position);
    if (keepsBlock && sourceOf[position] != position) {
      // Both sources hold the same block: the other target takes this one's.
      int64_t other = targetOf[position];
      sourceOf[other] = sourceOf[position];
      targetOf[sourceOf[other]] = other;
      sourceOf[position] = position;
      targetOf[position] = position;
    }
  }
  std::vector<DevicePair> pairs;
  pairs.reserve(mesh.numDevices());
  for (int64_t position = 0; position < mesh.numDevices(); ++position)
    pairs.push_back({mesh.deviceAt(sourceOf[position]), mesh.deviceAt(position)});
  return pairs;
}

} // namespace shardwise::planner
