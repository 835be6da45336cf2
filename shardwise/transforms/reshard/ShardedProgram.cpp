// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-up of placements. A program has many values and few different shardings, so placements are
// kept per sharding attribute: each is resolved once. They are behind pointers, so that references
// stay valid while others are added.
//
// Meshes are compared by value, and those that no sharding names do not count. One program runs on
// several if
//   1. those with axes have the same, so that an axis means the same everywhere; they differ in the
//      order of devices;
//   2. every mesh of a single device is one of these devices. Without axes there is but one device.
// Example: <["x"=2]>, <["x"=2], device_ids=[1, 0]> and <[], device_ids=[1]>.

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "shardwise/dialect/sdy/ShardingPlaces.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

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

/// The meshes on which values of `module` are, as written. An op without results has a sharding to
/// say on which device it runs: no axes are meant there.
llvm::DenseSet<mlir::Attribute> writtenMeshes(mlir::ModuleOp module,
                                              const mlir::SymbolTable &symbols) {
  llvm::DenseSet<mlir::Attribute> written;
  sdy::forEachSharding(module, [&](const sdy::ShardingPlace &place) {
    sdy::MeshAttr mesh;
    if (!place.type)
      mesh = sdy::getMesh(place.sharding, symbols);
    if (place.type || (mesh && mesh.isMaximal()))
      written.insert(place.sharding.getMeshOrRef());
  });
  return written;
}

/// Refuses a mesh that differs from `first`, which has the axes of the program.
llvm::LogicalResult refuseMesh(sdy::MeshOp op, sdy::MeshOp first) {
  auto diagnostic = op->emitError();
  if (op.getMesh().isMaximal())
    diagnostic << "\"" << op.getSymName() << "\" is not a device of \"" << first.getSymName()
               << "\"; name one of its devices";
  else
    diagnostic << "a program is partitioned over meshes of the same axes, but \"" << op.getSymName()
               << "\" differs from \"" << first.getSymName()
               << "\"; write all shardings with the axes of one mesh";
  diagnostic.attachNote(first->getLoc()) << "the other mesh is here";
  return llvm::failure();
}

} // namespace

ShardedProgram::ShardedProgram(mlir::ModuleOp module)
    : context(module.getContext()), symbols(std::make_unique<mlir::SymbolTable>(module)) {
  llvm::SmallVector<sdy::MeshOp> declared;
  for (auto op : module.getOps<sdy::MeshOp>())
    if (!sdy::toCore(op.getMesh()).isEmpty())
      declared.push_back(op);
  llvm::DenseSet<mlir::Attribute> written = writtenMeshes(module, *symbols);
  llvm::DenseSet<mlir::Attribute> isKnown;
  bool isFirstUsed = false;
  sdy::MeshOp first;
  for (sdy::MeshOp op : declared) {
    bool isUsed = written.contains(mlir::FlatSymbolRefAttr::get(op.getSymNameAttr())) ||
                  written.contains(op.getMesh());
    if (isUsed && isKnown.insert(op.getMesh()).second)
      used.push_back(op);
    if (op.getMesh().isMaximal() || (first && (isFirstUsed || !isUsed)))
      continue;
    first = op;
    isFirstUsed = isUsed;
  }
  // Meshes have their first name from here on; so has what is written in place.
  for (sdy::MeshOp op : llvm::reverse(declared))
    references[op.getMesh()] = mlir::FlatSymbolRefAttr::get(op.getSymNameAttr());
  if (first) {
    meshAttr = first.getMesh();
    coreMesh = sdy::toCore(meshAttr);
    symbol = mlir::FlatSymbolRefAttr::get(first.getSymNameAttr());
  }
  for (mlir::Attribute mesh : written)
    if (auto attr = mlir::dyn_cast<sdy::MeshAttr>(mesh); attr && !attr.isEmpty())
      if (!references.contains(attr))
        meshInPlace = attr;
  int64_t numSingle = llvm::count_if(used, [](sdy::MeshOp op) { return op.getMesh().isMaximal(); });
  bool hasOneDevice = coreMesh.numDevices() == 1 && numSingle <= 1;
  hasOneMesh = !meshInPlace && (hasOneDevice || (used.size() <= 1 && numSingle == 0));
}

llvm::FailureOr<ShardedProgram> ShardedProgram::create(mlir::ModuleOp module) {
  ShardedProgram program(module);
  if (program.meshInPlace)
    return module->emitError("shardings have meshes written in place, as ")
           << program.meshInPlace << "; run sdy-lift-inlined-meshes first";
  if (program.used.empty())
    return program;
  // Where nothing has axes, the first single device is the only one.
  sdy::MeshOp first = program.used.front();
  if (program.meshAttr)
    first = mlir::cast<sdy::MeshOp>(program.symbols->lookup(program.symbol.getValue()));
  const core::Mesh &mesh = sdy::toCore(first.getMesh());
  for (sdy::MeshOp op : program.used) {
    const core::Mesh &other = sdy::toCore(op.getMesh());
    bool isDevice = other.isMaximal() && other.deviceAt(0) < mesh.numDevices();
    if (other != mesh && other.axes() != mesh.axes() && !isDevice)
      return refuseMesh(op, first);
    if (mesh.isMaximal() && other != mesh)
      return refuseMesh(op, first);
  }
  return program;
}

mlir::Attribute ShardedProgram::referenceTo(mlir::Attribute meshOrRef) {
  auto [entry, isNew] = references.try_emplace(meshOrRef, meshOrRef);
  if (isNew && !mlir::isa<sdy::MeshAttr>(meshOrRef))
    if (sdy::MeshAttr mesh = sdy::getMesh(meshOrRef, *symbols)) {
      mlir::Attribute found = references.lookup(mesh);
      references[meshOrRef] = found;
      return found;
    }
  return entry->second;
}

mlir::Attribute ShardedProgram::writtenMeshOf(sdy::TensorShardingAttr sharding) {
  if (!sharding)
    return {};
  sdy::MeshAttr mesh = sdy::getMesh(sharding, *symbols);
  return mesh && !sdy::toCore(mesh).isEmpty() ? referenceTo(sharding.getMeshOrRef())
                                              : mlir::Attribute();
}

mlir::Attribute ShardedProgram::meshOf(sdy::TensorShardingAttr sharding, mlir::Type type) {
  if (hasOneMesh)
    return {};
  mlir::Attribute mesh = writtenMeshOf(sharding);
  if (!mesh)
    return {};
  if (meshAt(mesh).isMaximal())
    return mesh;
  if (!type)
    return {};
  const core::Sharding &placement = placementOf(sharding, type);
  bool isWhole = core::isFullyReplicated(placement) && placement.unreduced.empty();
  return isWhole ? mlir::Attribute() : mesh;
}

mlir::Attribute ShardedProgram::meshOf(mlir::Value value) {
  // Asked of every value: a sharding is looked up by name, which costs more than all else here.
  return hasOneMesh ? mlir::Attribute() : meshOf(sdy::getSharding(value), value.getType());
}

bool ShardedProgram::isAt(mlir::Value value, const core::Sharding &placement,
                          mlir::Attribute meshOrRef) {
  mlir::Attribute own = meshOf(value);
  bool isOnDevice = isOneDevice(meshOrRef) && !own;
  return core::isSamePlacement(placementOf(value), placement) && (own == meshOrRef || isOnDevice);
}

const core::Mesh &ShardedProgram::meshAt(mlir::Attribute meshOrRef) const {
  sdy::MeshAttr mesh = meshOrRef ? sdy::getMesh(meshOrRef, *symbols) : sdy::MeshAttr();
  return mesh ? sdy::toCore(mesh) : coreMesh;
}

const core::Sharding &ShardedProgram::replicated(int64_t rank) {
  std::unique_ptr<core::Sharding> &known = replicatedByRank[rank];
  if (!known)
    known = std::make_unique<core::Sharding>(core::replicatedSharding(rank));
  return *known;
}

const core::Sharding &ShardedProgram::placementOf(sdy::TensorShardingAttr sharding,
                                                  mlir::Type type) {
  if (!sharding || sharding.hasNoAxes())
    return replicated(sdy::getShardingRank(type));
  std::unique_ptr<core::Sharding> &known = placements[sharding];
  if (known)
    return *known;
  sdy::MeshAttr mesh = sdy::getMesh(sharding, *symbols);
  // Without axes there is only the empty mesh or one of one device.
  if (mesh && mesh.getMesh().numAxes() > 0)
    known = std::make_unique<core::Sharding>(placementFrom(sdy::resolveVerified(sharding, mesh)));
  else
    known = std::make_unique<core::Sharding>(core::replicatedSharding(sdy::getShardingRank(type)));
  return *known;
}

const core::Sharding &ShardedProgram::placementOf(mlir::Value value) {
  return placementOf(sdy::getSharding(value), value.getType());
}

sdy::TensorShardingAttr ShardedProgram::attributeFor(const core::Sharding &placement,
                                                     mlir::Attribute meshOrRef) const {
  if (!meshOrRef)
    return sdy::toAttr(symbol, placement, coreMesh);
  const core::Mesh &mesh = meshAt(meshOrRef);
  // A value on one device is whole there: its sharding has no dimensions.
  return sdy::toAttr(meshOrRef, mesh.isMaximal() ? core::Sharding() : placement, mesh);
}

core::Shape shapeOf(mlir::Value value) {
  // Nearly all: a look at the class of a type is faster than one at its interfaces.
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
    return tensor.getShape().vec();
  auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  if (!type || !type.hasRank())
    return {};
  return type.getShape().vec();
}

int64_t elementBytesOf(mlir::Value value) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  mlir::Type element =
      tensor ? tensor.getElementType() : mlir::getElementTypeOrSelf(value.getType());
  int64_t parts = 1;
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    element = complex.getElementType();
    parts = 2;
  }
  // The most frequent by their classes: to ask for an interface takes longer.
  if (mlir::isa<mlir::Float32Type>(element))
    return 4 * parts;
  if (mlir::isa<mlir::BFloat16Type>(element))
    return 2 * parts;
  // An element type without a width of its own; only costs depend on it.
  if (!element.isIntOrFloat())
    return 4 * parts;
  return parts * std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

} // namespace shardwise::reshard
