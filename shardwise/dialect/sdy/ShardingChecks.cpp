// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics about shardings. What is checked of one, in this order:
//   1. its mesh exists;
//   2. of an op without results, it has rank 0 and no axes, or its mesh is maximal;
//   3. the type of the value can have a sharding, and of which rank;
//   4. axes and priorities obey the core's rules (core/Sharding.cpp);
//   5. where asked for, the axes cut every dimension of known size evenly;
//   6. no axis is manual in a computation around the op: there the op works on one part of it.

#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

SmallVector<StringRef> axisNames(const core::WrittenSharding &sharding) {
  SmallVector<StringRef> names;
  auto addAll = [&](const AxisRefs &axes) {
    for (const core::AxisRef &axis : axes)
      names.push_back(axis.name);
  };
  for (const core::WrittenDimSharding &dim : sharding.dims)
    addAll(dim.axes);
  addAll(sharding.replicated);
  addAll(sharding.unreduced);
  return names;
}

/// Whether the sharding is the empty one, which also values without dimensions can have.
bool hasPlaceFor(TensorShardingAttr sharding) {
  return sharding.getRank() == 0 && sharding.hasNoAxes();
}

/// Checks the type, and returns the rank that the sharding needs; none if any will do.
FailureOr<std::optional<int64_t>> requiredRank(TensorShardingAttr sharding, Type type,
                                               EmitError emitError) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    if (tuple.size() != 1)
      return emitError() << "can only have a sharding for a tuple of size 1, but its type is "
                         << type;
    type = tuple.getType(0);
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    if (!hasPlaceFor(sharding))
      return emitError() << "non-shaped tensors can only have a sharding with rank 0 and no "
                            "replicated or unreduced axes. type: "
                         << type << ", sharding: " << sharding;
    return std::optional<int64_t>(0);
  }
  if (!shaped.hasRank())
    return emitError() << "only ranked tensors with a static shape or dynamic dimensions can have "
                          "a sharding, but its type is "
                       << type;
  return std::optional<int64_t>(shaped.getRank());
}

/// Checks that the parts of every dimension of static size are of one size.
LogicalResult verifyEven(const core::Sharding &sharding, Type type, EmitError emitError) {
  if (auto tuple = dyn_cast_or_null<TupleType>(type); tuple && tuple.size() == 1)
    type = tuple.getType(0);
  auto shaped = dyn_cast_or_null<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return success();
  ArrayRef<int64_t> shape = shaped.getShape();
  std::optional<core::UnevenDim> uneven = core::unevenDim(shape, sharding);
  while (uneven && shaped.isDynamicDim(uneven->dim))
    uneven = core::unevenDim(shape, sharding, uneven->dim + 1);
  if (!uneven)
    return success();
  // The sentence is Shardy's.
  return emitError() << "dim " << uneven->dim << " with size " << uneven->size
                     << " is not divisible by its sharded size " << uneven->numParts;
}

} // namespace

Operation *findSymbol(ModuleOp module, StringAttr name) {
  // Meshes and functions are what modules are full of: their names are read without a search among
  // attributes.
  auto nameOf = [](Operation &op) {
    if (auto mesh = dyn_cast<MeshOp>(op))
      return mesh.getSymNameAttr();
    if (auto function = dyn_cast<func::FuncOp>(op))
      return function.getSymNameAttr();
    return op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  };
  auto &ops = module.getBody()->getOperations();
  auto found = llvm::find_if(ops, [&](Operation &op) { return nameOf(op) == name; });
  return found == ops.end() ? nullptr : &*found;
}

MeshAttr MeshFinder::find(Attribute meshOrRef) const {
  if (!tables)
    return getMesh(meshOrRef, from);
  if (auto mesh = dyn_cast<MeshAttr>(meshOrRef))
    return mesh;
  auto module = from->getParentOfType<ModuleOp>();
  if (!module)
    return {};
  auto op = tables->lookupSymbolIn<MeshOp>(module, cast<FlatSymbolRefAttr>(meshOrRef));
  return op ? op.getMesh() : MeshAttr();
}

FailureOr<MeshAttr> findMesh(TensorShardingAttr sharding, const MeshFinder &finder,
                             EmitError emitError) {
  if (MeshAttr mesh = finder.find(sharding))
    return mesh;
  return emitError() << "unknown mesh: " << sharding.getMeshOrRef()
                     << "; the nearest module has no sdy.mesh of this name";
}

LogicalResult verifySharding(TensorShardingAttr sharding, Type type, Operation *op,
                             const MeshFinder &finder, EmitError emitError,
                             Divisibility divisibility) {
  FailureOr<MeshAttr> mesh = findMesh(sharding, finder, emitError);
  if (failed(mesh))
    return failure();
  if (!mesh->isMaximal() && !type && sharding.isFullyReplicated()) {
    if (!hasPlaceFor(sharding))
      return emitError() << "a sharding for no value must be rank 0 without replicated or "
                            "unreduced axes, like a maximal sharding, but it is "
                         << sharding;
    return success();
  }
  // On a maximal mesh a sharding says only which device has the value; it has no dimensions,
  // whatever the rank of the value.
  std::optional<int64_t> rank;
  if (type && !mesh->isMaximal()) {
    FailureOr<std::optional<int64_t>> required = requiredRank(sharding, type, emitError);
    if (failed(required))
      return failure();
    rank = *required;
  }
  FailureOr<core::Sharding> resolved = resolve(sharding, *mesh, emitError, rank);
  if (failed(resolved) ||
      (divisibility == Divisibility::Even && failed(verifyEven(*resolved, type, emitError))))
    return failure();
  return verifyNotBound(axisNames(toCore(sharding)), op, emitError);
}

LogicalResult verifyShardingsPerValue(TensorShardingPerValueAttr shardings, TypeRange types,
                                      Operation *op, const MeshFinder &finder, StringRef kind) {
  auto emitAt = [&](size_t index) {
    InFlightDiagnostic diagnostic = op->emitOpError() << kind << " ";
    if (types.size() != 1)
      diagnostic << index << " ";
    return std::move(diagnostic << "- ");
  };
  // The sharding of an op without results says where it runs.
  if (types.empty() && shardings.size() == 1) {
    auto emitError = [&] { return emitAt(0); };
    FailureOr<MeshAttr> mesh = findMesh(shardings[0], finder, emitError);
    if (failed(mesh))
      return failure();
    if (mesh->isMaximal() || shardings[0].isFullyReplicated())
      return verifySharding(shardings[0], Type(), op, finder, emitError);
  }
  if (shardings.size() != types.size())
    return op->emitOpError() << kind
                             << " shardings don't match number of values: " << shardings.size()
                             << " shardings vs " << types.size() << " values";
  for (auto [index, sharding, type] : llvm::enumerate(shardings.getShardings(), types)) {
    auto emitError = [&, i = index] { return emitAt(i); };
    if (failed(verifySharding(sharding, type, op, finder, emitError)))
      return failure();
  }
  return success();
}

LogicalResult verifyNotBound(ArrayRef<StringRef> axes, Operation *op, EmitError emitError) {
  if (axes.empty())
    return success();
  for (auto parent = op->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>()) {
    for (StringRef axis : axes) {
      if (!parent.getManualAxes().contains(axis))
        continue;
      InFlightDiagnostic diagnostic = emitError();
      diagnostic << "operates on axis \"" << axis
                 << "\", which is already bound by a parent sdy.manual_computation";
      diagnostic.attachNote(parent.getLoc()) << "the parent that has this axis as manual";
      return diagnostic;
    }
  }
  return success();
}

core::AxisList lookUp(const std::vector<core::AxisRef> &refs, const core::Mesh &mesh) {
  core::AxisList axes;
  for (const core::AxisRef &ref : refs)
    axes.push_back(*core::resolve(ref, mesh));
  return axes;
}

LogicalResult verifyUnreducedTransition(const core::Sharding &operand, const core::Sharding &result,
                                        MeshAttr mesh, UnreducedRules rules, EmitError emitError) {
  // Axes of the result alone are added, axes of the operand alone are removed; those of both stay
  // partial, so their values must go on being combined by the same function.
  core::AxisList introduced = core::setDifference(result.unreduced, operand.unreduced);
  if (!introduced.empty()) {
    if (!rules.introducedKind)
      return emitError() << "cannot add new unreduced axis: "
                         << core::toString(introduced.front(), toCore(mesh));
    if (result.reduction != *rules.introducedKind)
      return emitError() << "cannot introduce " << core::toString(result.reduction)
                         << " unreduced axes, expected " << core::toString(*rules.introducedKind);
  }
  core::AxisList removed = core::setDifference(operand.unreduced, result.unreduced);
  if (!removed.empty() && !rules.mayRemove)
    return emitError() << "dropped unreduced axis " << core::toString(removed.front(), toCore(mesh))
                       << " without a reshard; insert an sdy.reshard or an sdy.all_reduce before";
  if (!removed.empty() && rules.removedKind && operand.reduction != *rules.removedKind)
    return emitError() << "cannot reduce " << core::toString(operand.reduction)
                       << " unreduced axes, expected " << core::toString(*rules.removedKind);
  if (operand.reduction != result.reduction && core::overlaps(operand.unreduced, result.unreduced))
    return emitError() << "cannot change the reduction operator of unreduced axes from "
                       << core::toString(operand.reduction) << " to "
                       << core::toString(result.reduction);
  return success();
}

} // namespace shardwise::sdy
