// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading collectives: groups by the rules of StableHLO, pairs by the coordinates of the devices.
//
// Pairs and groups are told by the axes along which they move, if ids of processes are those of
// devices, and groups if they are all that differ along these. On
// mesh <["x"=2, "y"=2]>, whose devices 0 to 3 are at (0, 0), (0, 1), (1, 0), (1, 1), the pairs
// [[0, 2], [1, 3]] change the first coordinate only: {"x"}.

#include "shardwise/explain/WrittenCollectives.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/extensions/ProcessGroups.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

using namespace mlir;

namespace shardwise::explain {
namespace {

using core::CollectiveKind;

/// Positions of devices on the mesh by their ids.
class DevicePositions {
public:
  explicit DevicePositions(const core::Mesh &mesh) : mesh(mesh) {
    for (size_t position = 0; position < mesh.deviceIds().size(); ++position)
      positionOf[mesh.deviceIds()[position]] = static_cast<int64_t>(position);
  }

  /// Adds the axes on which two devices differ; false if one is none.
  bool addChanged(int64_t a, int64_t b, std::set<int64_t> &changed) const {
    if (std::min(a, b) < 0 || std::max(a, b) >= mesh.numDevices())
      return false;
    std::vector<int64_t> source = mesh.coordinates(at(a));
    std::vector<int64_t> target = mesh.coordinates(at(b));
    for (size_t axis = 0; axis < source.size(); ++axis)
      if (source[axis] != target[axis])
        changed.insert(static_cast<int64_t>(axis));
    return true;
  }

private:
  int64_t at(int64_t id) const { return positionOf.empty() ? id : positionOf.at(id); }

  const core::Mesh &mesh;
  /// Empty if devices are numbered in the order of the mesh.
  std::map<int64_t, int64_t> positionOf;
};

/// Whether ids in the program are those of devices: not in a program of several replicas.
bool hasDeviceIds(Operation *op, const core::Mesh &mesh) {
  auto grid = extensions::processGridOf(op->getParentOfType<ModuleOp>());
  return !mesh.isMaximal() && grid.replicas.value_or(1) == 1;
}

/// The axes whose coordinates some pair changes; none if an id is not that of a device.
std::optional<std::set<int64_t>> axesOfPairs(Operation *op, ArrayRef<int64_t> ids,
                                             const core::Mesh &mesh) {
  if (!hasDeviceIds(op, mesh))
    return std::nullopt;
  DevicePositions positions(mesh);
  std::set<int64_t> changed;
  for (size_t i = 0; i + 1 < ids.size(); i += 2)
    if (!positions.addChanged(ids[i], ids[i + 1], changed))
      return std::nullopt;
  return changed;
}

/// `{"x", "y"}`.
std::string axesText(const std::set<int64_t> &axes, const core::Mesh &mesh) {
  core::AxisList list;
  for (int64_t axis : axes)
    list.push_back(core::fullAxis(mesh, axis));
  return core::toString(list, mesh);
}

/// The axes along which the pairs move: `{"x"}`. The number of pairs, `8 pairs`, if the ids are not
/// those of the devices of `mesh`.
std::string pairsText(const std::optional<std::set<int64_t>> &changed, size_t numPairs,
                      const core::Mesh &mesh) {
  if (!changed)
    return fmt::format("{} pair{}", numPairs, numPairs == 1 ? "" : "s");
  return axesText(*changed, mesh);
}

/// Whether groups of `groupSize`, which have all devices together, are all devices that differ
/// along `axes`.
bool areAllAlong(const std::set<int64_t> &axes, int64_t groupSize, const core::Mesh &mesh) {
  int64_t size = 1;
  for (int64_t axis : axes)
    size *= mesh.axes()[axis].size;
  return size == groupSize && !axes.empty();
}

std::optional<std::vector<int64_t>> idsOf(stablehlo::CollectivePermuteOp op) {
  auto pairs = dyn_cast<DenseIntElementsAttr>(op.getSourceTargetPairs());
  if (!pairs || pairs.getNumElements() % 2 != 0)
    return std::nullopt;
  auto values = pairs.getValues<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

std::optional<WrittenCollective> permuteOf(stablehlo::CollectivePermuteOp op,
                                           const core::Mesh &mesh) {
  auto ids = idsOf(op);
  if (!ids)
    return std::nullopt;
  // A pair of a device with itself moves nothing.
  auto changed = axesOfPairs(op, *ids, mesh);
  WrittenCollective collective{CollectiveKind::CollectivePermute,
                               pairsText(changed, ids->size() / 2, mesh), 1};
  if (changed)
    collective.meshAxes.assign(changed->begin(), changed->end());
  for (size_t i = 0; i < ids->size(); i += 2)
    if ((*ids)[i] != (*ids)[i + 1])
      collective.groupSize = 2;
  return collective;
}

/// One of the ops that run in groups. `execute` says what is wrong with groups, not this.
std::optional<WrittenCollective> inGroups(Operation *op, CollectiveKind kind, bool isReducing,
                                          bool useGlobalIds, const core::Mesh &mesh) {
  ScopedDiagnosticHandler silence(op->getContext(), [](Diagnostic &) { return success(); });
  auto strategy = extensions::groupStrategy(op->getParentOfType<ModuleOp>(),
                                            stablehlo::channelOf(op), isReducing, useGlobalIds);
  Attribute written = stablehlo::replicaGroupsOf(op);
  if (!written)
    return std::nullopt;
  auto groups = extensions::processGroupsOf(*op, written, strategy);
  if (failed(groups))
    return std::nullopt;
  // Groups over axes are all of one size, listed ones need not be.
  bool areEqual = isa<stablehlo::ReplicaGroupMeshAxesAttr>(written);
  WrittenCollective collective{kind, groups->axesText(), 1};
  std::vector<bool> isSeen(mesh.numDevices());
  DevicePositions positions(mesh);
  std::set<int64_t> differing;
  bool areDevices = hasDeviceIds(op, mesh);
  int64_t numMembers = 0, numGroups = 0;
  for (int64_t rank = 0; rank < mesh.numDevices(); ++rank) {
    if (isSeen[rank] || !groups->hasGroup(rank, mesh.numDevices()))
      continue;
    auto group = groups->groupOf(rank, mesh.numDevices());
    if (!group)
      return std::nullopt;
    collective.groupSize = std::max(collective.groupSize, static_cast<int64_t>(group->size()));
    numMembers += static_cast<int64_t>(group->size());
    ++numGroups;
    for (int64_t member : *group)
      areDevices = areDevices && positions.addChanged(group->front(), member, differing);
    if (areEqual)
      break;
    // A group is looked at once, not once for each of its members.
    for (int64_t member : *group)
      if (member < mesh.numDevices())
        isSeen[member] = true;
  }
  if (areDevices)
    collective.meshAxes.assign(differing.begin(), differing.end());
  // Of one size, and with all devices in them.
  bool haveAll = numMembers == mesh.numDevices() && numGroups * collective.groupSize == numMembers;
  if (areDevices && haveAll && areAllAlong(differing, collective.groupSize, mesh))
    collective.groups = axesText(differing, mesh);
  return collective;
}

} // namespace

int64_t WrittenCollective::receivedBytes(int64_t localBytes, int64_t resultBytes) const {
  if (groupSize == 1)
    return 0;
  if (isBound())
    return std::min(resultBytes, (groupSize - 1) * localBytes);
  return core::receivedBytes(kind, localBytes, groupSize);
}

std::optional<WrittenCollective> writtenCollective(Operation *op, const core::Mesh &mesh) {
  std::optional<CollectiveKind> kind = stablehlo::collectiveKind(op);
  if (!kind)
    return std::nullopt;
  auto combining = [&](auto typed) {
    return inGroups(typed, *kind, true, typed.getUseGlobalDeviceIds(), mesh);
  };
  auto moving = [&](Operation *typed) { return inGroups(typed, *kind, false, false, mesh); };
  switch (*kind) {
  case CollectiveKind::AllGather:
    return combining(cast<stablehlo::AllGatherOp>(op));
  case CollectiveKind::AllReduce:
    return combining(cast<stablehlo::AllReduceOp>(op));
  case CollectiveKind::ReduceScatter:
    return combining(cast<stablehlo::ReduceScatterOp>(op));
  case CollectiveKind::AllToAll:
  case CollectiveKind::CollectiveBroadcast:
  case CollectiveKind::RaggedAllToAll:
    return moving(op);
  case CollectiveKind::CollectivePermute:
    return permuteOf(cast<stablehlo::CollectivePermuteOp>(op), mesh);
  case CollectiveKind::AllSlice:
  case CollectiveKind::Exchange:
  case CollectiveKind::ShardedToUnreduced:
  case CollectiveKind::ReplicatedToUnreduced:
    break; // StableHLO has no ops of these kinds.
  }
  return std::nullopt;
}

std::string permuteAxes(ModuleOp module, const core::Mesh &mesh) {
  std::set<std::string> texts;
  module.walk([&](stablehlo::CollectivePermuteOp op) {
    if (auto ids = idsOf(op))
      texts.insert(pairsText(axesOfPairs(op, *ids, mesh), ids->size() / 2, mesh));
  });
  std::string list;
  for (const std::string &text : texts)
    list += (list.empty() ? "" : ", ") + text;
  return list;
}

} // namespace shardwise::explain
