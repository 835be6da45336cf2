// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-up of placements. A program has many values and few different shardings, so placements are
// kept per sharding attribute: each is resolved once. They are behind pointers, so that references
// stay valid while others are added.

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

namespace shardwise::reshard {

namespace {

/// Drops what does not say who holds what: openness, priorities, reserved axes, axes of size 1.
/// Sub-axes that become neighbours are joined, so that equal placements compare equal.
core::Sharding placementFrom(const core::Sharding &sharding) {
  core::Sharding placement = core::replicatedSharding(int64_t(sharding.dims.size()));
  for (size_t d = 0; d < sharding.dims.size(); ++d)
    for (const core::Axis &axis : sharding.dims[d].axes)
      if (axis.size != 1)
        core::appendOrMerge(placement.dims[d].axes, axis);
  for (const core::Axis &axis : sharding.unreduced)
    if (axis.size != 1)
      placement.unreduced.push_back(axis);
  if (!placement.unreduced.empty())
    placement.reduction = sharding.reduction;
  return placement;
}

} // namespace

llvm::FailureOr<ShardedProgram> ShardedProgram::create(mlir::ModuleOp module) {
  ShardedProgram program;
  program.context = module.getContext();
  program.symbols = std::make_unique<mlir::SymbolTable>(module);
  sdy::MeshOp first;
  for (auto meshOp : module.getOps<sdy::MeshOp>()) {
    const core::Mesh &mesh = sdy::toCore(meshOp.getMesh());
    if (mesh.isEmpty() || mesh.isMaximal())
      continue;
    if (!first) {
      first = meshOp;
      continue;
    }
    // Meshes that no sharding names may be as they are: the program does not run on them.
    if (meshOp.getMesh() == first.getMesh() ||
        mlir::SymbolTable::symbolKnownUseEmpty(meshOp, module))
      continue;
    if (mlir::SymbolTable::symbolKnownUseEmpty(first, module)) {
      first = meshOp;
      continue;
    }
    auto diagnostic = meshOp->emitError("a program is partitioned over one mesh, but \"")
                      << meshOp.getSymName() << "\" differs from \"" << first.getSymName()
                      << "\"; write all shardings on one mesh";
    diagnostic.attachNote(first->getLoc()) << "the other mesh is here";
    return llvm::failure();
  }
  if (first) {
    program.meshAttr = first.getMesh();
    program.coreMesh = sdy::toCore(program.meshAttr);
    program.symbol = mlir::FlatSymbolRefAttr::get(first.getSymNameAttr());
  }
  return program;
}

const core::Sharding &ShardedProgram::replicated(int64_t rank) {
  std::unique_ptr<core::Sharding> &known = replicatedByRank[rank];
  if (!known)
    known = std::make_unique<core::Sharding>(core::replicatedSharding(rank));
  return *known;
}

const core::Sharding &ShardedProgram::placementOf(sdy::TensorShardingAttr sharding,
                                                  mlir::Type type) {
  int64_t rank = sdy::getShardingRank(type);
  if (!sharding || !meshAttr || sharding.hasNoAxes())
    return replicated(rank);
  std::unique_ptr<core::Sharding> &known = placements[sharding];
  if (known)
    return *known;
  sdy::MeshAttr mesh = sdy::getMesh(sharding, *symbols);
  // On another mesh than that of the program there is only the empty or one of one device.
  if (mesh == meshAttr)
    known = std::make_unique<core::Sharding>(placementFrom(sdy::resolveVerified(sharding, mesh)));
  else
    known = std::make_unique<core::Sharding>(core::replicatedSharding(rank));
  return *known;
}

const core::Sharding &ShardedProgram::placementOf(mlir::Value value) {
  return placementOf(sdy::getSharding(value), value.getType());
}

sdy::TensorShardingAttr ShardedProgram::attributeFor(const core::Sharding &placement) const {
  return sdy::toAttr(symbol, placement, coreMesh);
}

core::Shape shapeOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  if (!type || !type.hasRank())
    return {};
  return type.getShape().vec();
}

int64_t elementBytesOf(mlir::Value value) {
  mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
  int64_t parts = 1;
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    element = complex.getElementType();
    parts = 2;
  }
  // An element type without a width of its own; only costs depend on it.
  if (!element.isIntOrFloat())
    return 4 * parts;
  return parts * std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

} // namespace shardwise::reshard
