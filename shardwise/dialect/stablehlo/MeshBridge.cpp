// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of meshes, and rewriting of those in replica groups.

#include "shardwise/dialect/stablehlo/MeshBridge.h"

#include "mlir/IR/Builders.h"

namespace shardwise::stablehlo {

Result<core::Mesh> toCore(MeshAttr attr) {
  std::vector<core::MeshAxis> axes;
  for (MeshAxisAttr axis : attr.getAxes())
    axes.push_back({axis.getName().str(), axis.getSize()});
  std::vector<core::DeviceId> ids;
  // A list of one id can have more elements than memory has; two say as much.
  if (attr.getDeviceIds() && attr.getDeviceIds().isSplat() &&
      attr.getDeviceIds().getNumElements() > 2)
    ids.assign(2, attr.getDeviceIds().getSplatValue<mlir::APInt>().getSExtValue());
  else if (attr.getDeviceIds())
    llvm::append_range(ids, attr.getDeviceIds().getValues<int64_t>());
  return core::Mesh::create(std::move(axes), std::move(ids));
}

MeshAttr toAttr(mlir::MLIRContext *context, const core::Mesh &mesh) {
  llvm::SmallVector<MeshAxisAttr> axes;
  for (const core::MeshAxis &axis : mesh.axes())
    axes.push_back(MeshAxisAttr::get(context, axis.name, axis.size));
  mlir::DenseIntElementsAttr ids;
  if (!mesh.deviceIds().empty())
    ids = mlir::Builder(context).getI64TensorAttr(mesh.deviceIds());
  return MeshAttr::get(context, axes, ids);
}

bool replaceReplicaGroupMeshes(mlir::Operation *root,
                               llvm::function_ref<mlir::Attribute(mlir::Attribute)> replace) {
  constexpr llvm::StringLiteral kName = "replica_groups";
  bool changed = false;
  root->walk([&](mlir::Operation *op) {
    std::optional<mlir::Attribute> groups = op->getInherentAttr(kName);
    auto axes = mlir::dyn_cast_if_present<ReplicaGroupMeshAxesAttr>(groups.value_or(nullptr));
    if (!axes)
      return;
    mlir::Attribute mesh = replace(axes.getMesh());
    if (mesh == axes.getMesh())
      return;
    changed = true;
    op->setInherentAttr(mlir::StringAttr::get(op->getContext(), kName),
                        ReplicaGroupMeshAxesAttr::get(op->getContext(), mesh, axes.getAxes()));
  });
  return changed;
}

} // namespace shardwise::stablehlo
