// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices are numbered by block and copy under both shardings; equal numbers send and receive.
//
// 1. Under each sharding a device has a block, by its coordinates along the axes in use, and a copy
//    number, by those along all others. Both together number the devices without gaps.
// 2. Block counts are equal, so the same numbers occur under both: the device with a number before
//    sends to the device with it after. The most major digits of a copy number are those of the
//    axes that neither side uses: coordinates along them stay.
//    Where the order of devices changes as well, numbers are of positions in the mesh of each side.
// 3. A device whose block stays is to be its own source. Where it has another one, both sources
//    hold the same block, and the two targets swap them.
// 4. Sub-axes of the two sides may have no common cuts, as {"p":(1)2} and {"p":(3)2} of "p"=6. Then
//    each side numbers its copies by itself, by the axes that it does not use.
//
// Example: <["x"=2, "y"=2]>, [{"x"}] to [{"y"}]. Device (x, y) has block x before and y after, copy
// y before and x after. (0, 1) has the number (0, 1) before; after, that is device (1, 0).

#include "shardwise/planner/model/PermutePairs.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/model/SubAxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

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

/// By device id: the number of its block under one sharding, and that of block and copy together.
struct DeviceNumbers {
  std::vector<int64_t> blocks;
  std::vector<int64_t> slots;
};

DeviceNumbers numberDevices(const core::Mesh &mesh, const core::AxisList &block,
                            const core::AxisList &copy) {
  DeviceNumbers numbers{std::vector<int64_t>(mesh.numDevices()),
                        std::vector<int64_t>(mesh.numDevices())};
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    core::DeviceId device = mesh.deviceAt(position);
    numbers.blocks[device] = core::coordinateAlong(block, mesh, position);
    numbers.slots[device] = numbers.blocks[device] * core::shardedSize(copy) +
                            core::coordinateAlong(copy, mesh, position);
  }
  return numbers;
}

/// The source of each device: that with its slot; where its block stays, itself.
std::vector<core::DeviceId> sourcesOf(const DeviceNumbers &before, const DeviceNumbers &after,
                                      const core::Mesh &afterMesh) {
  size_t numDevices = before.slots.size();
  std::vector<core::DeviceId> sourceOfSlot(numDevices), sourceOf(numDevices), targetOf(numDevices);
  for (size_t device = 0; device < numDevices; ++device)
    sourceOfSlot[before.slots[device]] = static_cast<core::DeviceId>(device);
  // Both directions of the bijection, so that sources can be swapped.
  for (size_t device = 0; device < numDevices; ++device) {
    sourceOf[device] = sourceOfSlot[after.slots[device]];
    targetOf[sourceOf[device]] = static_cast<core::DeviceId>(device);
  }
  for (int64_t position = 0; position < afterMesh.numDevices(); ++position) {
    core::DeviceId device = afterMesh.deviceAt(position);
    if (before.blocks[device] != after.blocks[device] || sourceOf[device] == device)
      continue;
    // Both sources hold the same block: the other target takes this one's.
    core::DeviceId other = targetOf[device];
    sourceOf[other] = sourceOf[device];
    targetOf[sourceOf[other]] = other;
    sourceOf[device] = device;
    targetOf[device] = device;
  }
  return sourceOf;
}

std::optional<SubAxes> subAxesOf(const core::Mesh &mesh,
                                 std::initializer_list<const core::Sharding *> shardings) {
  std::vector<std::span<const core::Axis>> lists;
  for (const core::Sharding *sharding : shardings) {
    lists.emplace_back(sharding->unreduced);
    for (const core::DimSharding &dim : sharding->dims)
      lists.emplace_back(dim.axes);
  }
  return SubAxes::create(mesh, lists);
}

DeviceNumbers numberOf(const core::Mesh &mesh, const SubAxes &subAxes, const SubAxisIndices &used,
                       const SubAxisIndices &otherUsed) {
  return numberDevices(mesh, toAxes(subAxes, used),
                       toAxes(subAxes, copySubAxes(subAxes, used, otherUsed)));
}

struct BothNumbers {
  DeviceNumbers before;
  DeviceNumbers after;
};

Result<BothNumbers> numberBoth(const core::Mesh &beforeMesh, const core::Sharding &before,
                               const core::Mesh &afterMesh, const core::Sharding &after) {
  if (std::optional<SubAxes> common = subAxesOf(beforeMesh, {&before, &after})) {
    SubAxisIndices used = usedSubAxes(*common, before);
    SubAxisIndices usedAfter = usedSubAxes(*common, after);
    return BothNumbers{numberOf(beforeMesh, *common, used, usedAfter),
                       numberOf(afterMesh, *common, usedAfter, used)};
  }
  std::optional<SubAxes> ofBefore = subAxesOf(beforeMesh, {&before});
  std::optional<SubAxes> ofAfter = subAxesOf(afterMesh, {&after});
  if (!ofBefore || !ofAfter)
    return unsupported(fmt::format("sub-axes of {} or {} have no common cuts; reshard through a "
                                   "sharding that uses full axes",
                                   core::toString(before, beforeMesh),
                                   core::toString(after, afterMesh)));
  return BothNumbers{numberOf(beforeMesh, *ofBefore, usedSubAxes(*ofBefore, before), {}),
                     numberOf(afterMesh, *ofAfter, usedSubAxes(*ofAfter, after), {})};
}

} // namespace

Result<std::vector<DevicePair>> permutePairs(const core::Mesh &beforeMesh,
                                             const core::Sharding &before,
                                             const core::Mesh &afterMesh,
                                             const core::Sharding &after) {
  assert(beforeMesh.axes() == afterMesh.axes() && "axes must mean the same before and after");
  if (Result<void> checked = checkCounts(beforeMesh, before, after); !checked)
    return checked.error();
  Result<BothNumbers> numbers = numberBoth(beforeMesh, before, afterMesh, after);
  if (!numbers)
    return numbers.error();
  std::vector<core::DeviceId> sources = sourcesOf(numbers->before, numbers->after, afterMesh);
  std::vector<DevicePair> pairs;
  pairs.reserve(sources.size());
  for (int64_t position = 0; position < afterMesh.numDevices(); ++position) {
    core::DeviceId device = afterMesh.deviceAt(position);
    pairs.push_back({sources[device], device});
  }
  return pairs;
}

Result<std::vector<DevicePair>> permutePairs(const core::Mesh &mesh, const core::Sharding &before,
                                             const core::Sharding &after) {
  return permutePairs(mesh, before, mesh, after);
}

} // namespace shardwise::planner
