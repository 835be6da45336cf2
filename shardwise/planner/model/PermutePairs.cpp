// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices are numbered by block and copy under both shardings; equal numbers send and receive.

#include "shardwise/planner/model/PermutePairs.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/model/AxisAtoms.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::planner {
namespace {

std::vector<AtomIndex> usedAtoms(const AxisAtoms &atoms, const core::Sharding &sharding) {
  std::vector<AtomIndex> used = atoms.expand(sharding.unreduced);
  for (const core::DimSharding &dim : sharding.dims)
    atoms.expand(dim.axes, used);
  return used;
}

/// Returns the atoms that number the copies of a shard: those that neither list uses, then those
/// that only `otherUsed` has.
std::vector<AtomIndex> copyAtoms(const AxisAtoms &atoms, const std::vector<AtomIndex> &used,
                                 const std::vector<AtomIndex> &otherUsed) {
  auto isIn = [](const std::vector<AtomIndex> &list, AtomIndex atom) {
    return std::find(list.begin(), list.end(), atom) != list.end();
  };
  std::vector<AtomIndex> copies;
  for (AtomIndex atom = 0; atom < atoms.numAtoms(); ++atom)
    if (!isIn(used, atom) && !isIn(otherUsed, atom))
      copies.push_back(atom);
  for (AtomIndex atom : otherUsed)
    if (!isIn(used, atom))
      copies.push_back(atom);
  return copies;
}

core::AxisList toAxes(const AxisAtoms &atoms, const std::vector<AtomIndex> &order) {
  core::AxisList axes;
  for (AtomIndex atom : order)
    axes.push_back(atoms[atom]);
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
  std::optional<AxisAtoms> atoms = AxisAtoms::create(mesh, lists);
  if (!atoms) {
    return unsupported(fmt::format("sub-axes of {} and {} have no common cuts; reshard through a "
                                   "sharding that uses full axes",
                                   core::toString(before, mesh), core::toString(after, mesh)));
  }
  std::vector<AtomIndex> beforeUsed = usedAtoms(*atoms, before);
  std::vector<AtomIndex> afterUsed = usedAtoms(*atoms, after);
  core::AxisList beforeBlock = toAxes(*atoms, beforeUsed);
  core::AxisList afterBlock = toAxes(*atoms, afterUsed);
  core::AxisList beforeCopy = toAxes(*atoms, copyAtoms(*atoms, beforeUsed, afterUsed));
  core::AxisList afterCopy = toAxes(*atoms, copyAtoms(*atoms, afterUsed, beforeUsed));
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
