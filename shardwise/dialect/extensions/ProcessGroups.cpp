// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts, and replica groups as lists of ids or as axes of a mesh.

#include "shardwise/dialect/extensions/ProcessGroups.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/MeshBridge.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"

#include <unordered_set>

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

mlir::FailureOr<core::ProcessGroups> groupsOverMesh(mlir::Operation &op,
                                                    stablehlo::ReplicaGroupMeshAxesAttr groups) {
  std::optional<Result<core::Mesh>> mesh = findMesh(op, groups.getMesh());
  if (!mesh)
    return op.emitOpError() << "has replica groups over mesh " << groups.getMesh()
                            << ", which is not the name of a mesh";
  if (!*mesh)
    return op.emitOpError() << "has replica groups over a malformed mesh: "
                            << mesh->error().message;
  std::vector<core::AxisRef> written;
  core::AxisList axes;
  for (stablehlo::AxisRefAttr ref : groups.getAxes()) {
    core::AxisRef axis = {ref.getName().str(), std::nullopt};
    if (auto part = ref.getSubAxisInfo())
      axis.subAxis = core::SubAxis{part.getPreSize(), part.getSize()};
    Result<core::Axis> resolved = core::resolve(axis, **mesh);
    if (!resolved)
      return op.emitOpError() << "has replica groups over an axis that is not one of its mesh: "
                              << resolved.error().message;
    // Along both, groups would have some devices twice or not be groups at all.
    for (const core::Axis &other : axes)
      if (core::overlaps(other, *resolved) || !core::canCoexist(other, *resolved))
        return op.emitOpError() << "has replica groups over axes that overlap";
    written.push_back(std::move(axis));
    axes.push_back(*resolved);
  }
  return core::ProcessGroups(std::move(**mesh), std::move(axes), core::toString(written));
}

} // namespace

core::ProcessGrid processGridOf(mlir::ModuleOp module) {
  core::ProcessGrid grid;
  if (auto attr = module->getAttrOfType<mlir::IntegerAttr>("mhlo.num_replicas"))
    grid.replicas = attr.getInt();
  if (auto attr = module->getAttrOfType<mlir::IntegerAttr>("mhlo.num_partitions"))
    grid.partitions = attr.getInt();
  return grid;
}

core::GroupStrategy groupStrategy(mlir::ModuleOp module, int64_t channel, bool isReducing,
                                  bool useGlobalIds) {
  // Without counts, ids are device numbers.
  if (!processGridOf(module).isDeclared())
    return core::GroupStrategy::FlattenedIds;
  return declaredGroupStrategy(channel, isReducing, useGlobalIds);
}

core::GroupStrategy declaredGroupStrategy(int64_t channel, bool isReducing, bool useGlobalIds) {
  // As the StableHLO specification has it for each op.
  if (channel <= 0)
    return core::GroupStrategy::CrossReplica;
  if (!isReducing)
    return core::GroupStrategy::CrossPartition;
  return useGlobalIds ? core::GroupStrategy::FlattenedIds
                      : core::GroupStrategy::CrossReplicaAndPartition;
}

mlir::FailureOr<core::ProcessGroups> processGroupsOf(mlir::Operation &op, mlir::Attribute attr,
                                                     core::GroupStrategy strategy) {
  return processGroupsOf(op, attr, strategy, processGridOf(op.getParentOfType<mlir::ModuleOp>()));
}

mlir::FailureOr<core::ProcessGroups> processGroupsOf(mlir::Operation &op, mlir::Attribute attr,
                                                     core::GroupStrategy strategy,
                                                     const core::ProcessGrid &grid) {
  if (auto meshAxes = llvm::dyn_cast<stablehlo::ReplicaGroupMeshAxesAttr>(attr))
    return groupsOverMesh(op, meshAxes);
  auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attr);
  if (!dense || dense.getType().getRank() != 2)
    return op.emitOpError() << "has replica groups " << attr
                            << "; expected a rank-2 list of ids or mesh axes";
  int64_t width = dense.getType().getDimSize(1);
  std::vector<std::vector<int64_t>> rows;
  std::unordered_set<int64_t> known;
  int64_t position = 0;
  for (int64_t id : dense.getValues<int64_t>()) {
    if (position++ % width == 0)
      rows.emplace_back();
    if (id < 0) // Pads rows that are shorter than others.
      continue;
    rows.back().push_back(id);
    if (!known.insert(id).second)
      return op.emitOpError() << "names id " << id << " twice in its replica groups";
  }
  return core::ProcessGroups(grid, strategy, std::move(rows), "groups of " + std::to_string(width));
}

} // namespace shardwise::extensions
