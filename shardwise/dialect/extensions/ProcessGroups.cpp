// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replica groups to ranks.

#include "shardwise/dialect/extensions/ProcessGroups.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/MeshBridge.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"

#include <fmt/format.h>

namespace shardwise::extensions {
namespace {

/// The mesh that `mesh` is or names; none if the symbol leads nowhere.
std::optional<Result<core::Mesh>> findMesh(mlir::Operation &op, mlir::Attribute mesh) {
  if (auto symbol = llvm::dyn_cast<mlir::SymbolRefAttr>(mesh)) {
    mlir::Operation *holder = mlir::SymbolTable::lookupNearestSymbolFrom(&op, symbol);
    if (!holder)
      return std::nullopt;
    if (auto meshOp = llvm::dyn_cast<sdy::MeshOp>(holder))
      return Result<core::Mesh>(meshOp.getMesh().getMesh());
    for (llvm::StringRef name : {"mesh", "stablehlo.mesh"})
      if (auto attr = holder->getAttrOfType<stablehlo::MeshAttr>(name))
        mesh = attr;
  }
  auto attr = llvm::dyn_cast<stablehlo::MeshAttr>(mesh);
  if (!attr)
    return std::nullopt;
  return stablehlo::toCore(attr);
}

} // namespace

ProcessGrid ProcessGrid::of(mlir::ModuleOp module) {
  ProcessGrid grid;
  if (auto attr = module->getAttrOfType<mlir::IntegerAttr>("mhlo.num_replicas"))
    grid.replicas = attr.getInt();
  if (auto attr = module->getAttrOfType<mlir::IntegerAttr>("mhlo.num_partitions"))
    grid.partitions = attr.getInt();
  return grid;
}

Result<int64_t> ProcessGrid::numPartitions(int64_t numRanks) const {
  if (!isDeclared())
    return numRanks;
  int64_t numReplicas = replicas.value_or(1);
  int64_t numParts = partitions.value_or(1);
  if (numReplicas * numParts != numRanks)
    return invalid(fmt::format("the module is for {} replicas x {} partitions, but {} ranks run it",
                               numReplicas, numParts, numRanks));
  return numParts;
}

GroupStrategy groupStrategy(mlir::ModuleOp module, int64_t channel, bool isReducing,
                            bool useGlobalIds) {
  if (!ProcessGrid::of(module).isDeclared())
    return GroupStrategy::FlattenedIds;
  if (channel <= 0)
    return GroupStrategy::CrossReplica;
  if (!isReducing)
    return GroupStrategy::CrossPartition;
  return useGlobalIds ? GroupStrategy::FlattenedIds : GroupStrategy::CrossReplicaAndPartition;
}

mlir::FailureOr<ProcessGroups> ProcessGroups::of(mlir::Operation &op, mlir::Attribute attr,
                                                 GroupStrategy strategy) {
  ProcessGroups groups;
  groups.grid = ProcessGrid::of(op.getParentOfType<mlir::ModuleOp>());
  groups.strategy = strategy;
  if (auto meshAxes = llvm::dyn_cast<stablehlo::ReplicaGroupMeshAxesAttr>(attr)) {
    if (mlir::failed(groups.readMeshAxes(op, meshAxes)))
      return mlir::failure();
    return groups;
  }
  auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attr);
  if (!dense || dense.getType().getRank() != 2)
    return op.emitOpError() << "has replica groups " << attr
                            << "; expected a rank-2 list of ids or mesh axes";
  int64_t width = dense.getType().getDimSize(1);
  groups.text = "groups of " + std::to_string(width);
  int64_t position = 0;
  for (int64_t id : dense.getValues<int64_t>()) {
    if (position++ % width == 0)
      groups.rows.emplace_back();
    if (id < 0) // Pads rows that are shorter than others.
      continue;
    groups.rows.back().push_back(id);
    if (!groups.rowOfId.insert({id, static_cast<int64_t>(groups.rows.size()) - 1}).second)
      return op.emitOpError() << "names id " << id << " twice in its replica groups";
  }
  return groups;
}

mlir::LogicalResult ProcessGroups::readMeshAxes(mlir::Operation &op,
                                                stablehlo::ReplicaGroupMeshAxesAttr groups) {
  isMesh = true;
  std::optional<Result<core::Mesh>> found = findMesh(op, groups.getMesh());
  if (!found)
    return op.emitOpError() << "has replica groups over mesh " << groups.getMesh()
                            << ", which is not the name of a mesh";
  if (!*found)
    return op.emitOpError() << "has replica groups over a malformed mesh: "
                            << found->error().message;
  mesh = **found;
  std::vector<core::AxisRef> written;
  for (stablehlo::AxisRefAttr ref : groups.getAxes()) {
    core::AxisRef axis = {ref.getName().str(), std::nullopt};
    if (auto part = ref.getSubAxisInfo())
      axis.subAxis = core::SubAxis{part.getPreSize(), part.getSize()};
    Result<core::Axis> resolved = core::resolve(axis, mesh);
    if (!resolved)
      return op.emitOpError() << "has replica groups over an axis that is not one of its mesh: "
                              << resolved.error().message;
    for (const core::Axis &other : axes)
      if (core::overlaps(other, *resolved) || !core::canCoexist(other, *resolved))
        return op.emitOpError() << "has replica groups over axes that overlap";
    written.push_back(std::move(axis));
    axes.push_back(*resolved);
  }
  text = core::toString(written);
  if (!mesh.deviceIds().empty()) {
    positionOfDevice.resize(mesh.deviceIds().size());
    for (size_t position = 0; position < mesh.deviceIds().size(); ++position)
      positionOfDevice[mesh.deviceIds()[position]] = static_cast<int64_t>(position);
  }
  return mlir::success();
}

Result<std::vector<int64_t>> ProcessGroups::meshGroupOf(int64_t rank, int64_t numRanks) const {
  if (mesh.numDevices() != numRanks)
    return invalid(fmt::format("replica groups are over a mesh of {} devices, but {} ranks run",
                               mesh.numDevices(), numRanks));
  int64_t position = positionOfDevice.empty() ? rank : positionOfDevice[rank];
  return core::replicaGroupOf(mesh, axes, position);
}

/// What the rows of groups call the rank.
int64_t ProcessGroups::idOf(int64_t rank, int64_t numPartitions) const {
  if (strategy == GroupStrategy::FlattenedIds)
    return rank;
  return strategy == GroupStrategy::CrossPartition ? rank % numPartitions : rank / numPartitions;
}

bool ProcessGroups::hasGroup(int64_t rank, int64_t numRanks) const {
  Result<int64_t> partitions = grid.numPartitions(numRanks);
  return isMesh || rows.empty() || !partitions || rowOfId.count(idOf(rank, *partitions)) != 0;
}

Result<std::vector<int64_t>> ProcessGroups::groupOf(int64_t rank, int64_t numRanks) const {
  if (isMesh)
    return meshGroupOf(rank, numRanks);
  Result<int64_t> partitions = grid.numPartitions(numRanks);
  if (!partitions)
    return partitions.error();
  int64_t replica = rank / *partitions;
  int64_t partition = rank % *partitions;
  int64_t own = idOf(rank, *partitions);
  std::vector<int64_t> row;
  if (rows.empty()) {
    // No groups at all: one of everything.
    int64_t count = strategy == GroupStrategy::FlattenedIds     ? numRanks
                    : strategy == GroupStrategy::CrossPartition ? *partitions
                                                                : numRanks / *partitions;
    for (int64_t id = 0; id < count; ++id)
      row.push_back(id);
  } else {
    auto found = rowOfId.find(own);
    if (found == rowOfId.end())
      return invalid(fmt::format("rank {} (id {}) is in no replica group", rank, own));
    row = rows[found->second];
  }
  std::vector<int64_t> group;
  if (strategy == GroupStrategy::CrossReplicaAndPartition) {
    for (int64_t part = 0; part < *partitions; ++part)
      for (int64_t id : row)
        group.push_back(id * *partitions + part);
  } else {
    for (int64_t id : row)
      group.push_back(strategy == GroupStrategy::FlattenedIds     ? id
                      : strategy == GroupStrategy::CrossPartition ? replica * *partitions + id
                                                                  : id * *partitions + partition);
  }
  for (int64_t member : group)
    if (member >= numRanks)
      return invalid(
          fmt::format("a replica group names rank {}, but {} ranks run", member, numRanks));
  return group;
}

} // namespace shardwise::extensions
