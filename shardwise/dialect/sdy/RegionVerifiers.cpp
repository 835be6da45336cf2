// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of manual and named computations.
//
// Of a manual computation, operands with block arguments and results with returned values are two
// sides of one border. On each:
//   1. there is one valid sharding for each value, and as many values inside as outside;
//   2. in every dimension manual axes come before free ones: the body sees the part of one device
//      along the manual axes, and free axes can only cut within that;
//   3. the type inside is the type outside, divided evenly by the manual axes.
// And both are on one mesh, which has all manual axes.
// Example: with manual {"x"} and x=2, 8x4 with `[{"x", "y"}, {}]` is 4x4 inside.

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

/// One side of a manual computation: operands and block arguments, or results and returned values.
struct Side {
  StringRef kind;
  TensorShardingPerValueAttr shardings;
  TypeRange globalTypes;
  TypeRange localTypes;
};

/// One value of a side, with its sharding looked up.
struct SideValue {
  size_t index;
  const core::Sharding &sharding;
  const core::Mesh &mesh;
  Type globalType;
  Type localType;
};

bool isManual(const core::Axis &axis, const core::Mesh &mesh, ManualAxesAttr manualAxes) {
  return manualAxes.contains(mesh.axes()[axis.index].name);
}

/// Manual axes come before free ones in every dimension.
LogicalResult verifyAxisOrder(const SideValue &value, ManualAxesAttr manualAxes,
                              EmitError emitError) {
  for (auto [dim, dimSharding] : llvm::enumerate(value.sharding.dims)) {
    const core::Axis *free = nullptr;
    for (const core::Axis &axis : dimSharding.axes) {
      if (!isManual(axis, value.mesh, manualAxes)) {
        free = &axis;
      } else if (free) {
        return emitError() << "manual axes must come before free axes in its dimension sharding "
                              "at index "
                           << dim << ": manual axis " << core::toString(axis, value.mesh)
                           << " is after free axis " << core::toString(*free, value.mesh);
      }
    }
  }
  return success();
}

/// The body has the global shape divided by the manual axes.
LogicalResult verifyLocalType(const SideValue &value, StringRef kind, ManualAxesAttr manualAxes,
                              EmitError emitError) {
  auto global = dyn_cast<ShapedType>(value.globalType);
  if (!global)
    return success();
  if (value.mesh.isMaximal() && global.getRank() != 0)
    return emitError() << "a value of rank " << global.getRank()
                       << " cannot have a maximal sharding in a manual computation";
  SmallVector<int64_t> shape(global.getShape());
  for (auto [dim, dimSharding] : llvm::enumerate(value.sharding.dims)) {
    int64_t parts = 1;
    for (const core::Axis &axis : dimSharding.axes)
      if (isManual(axis, value.mesh, manualAxes))
        parts *= axis.size;
    if (ShapedType::isDynamic(shape[dim]))
      continue;
    if (shape[dim] % parts != 0)
      return emitError() << "dimension " << dim << " of size " << shape[dim]
                         << " is not divisible by the manual axes size " << parts;
    shape[dim] /= parts;
  }
  Type expected = global.clone(shape);
  if (expected == value.localType)
    return success();
  return emitError() << kind << " shape mismatch between the computation and its body. "
                     << "Expected local shape " << expected << ", actual local shape "
                     << value.localType;
}

LogicalResult verifySide(ManualComputationOp op, const Side &side, const MeshFinder &finder) {
  if (side.globalTypes.empty() && side.localTypes.empty() && side.shardings.empty())
    return success();
  if (failed(verifyShardingsPerValue(side.shardings, side.globalTypes, op, finder, side.kind)))
    return failure();
  if (side.globalTypes.size() != side.localTypes.size())
    return op.emitOpError() << "number of op " << side.kind
                            << "s and region values must match: " << side.globalTypes.size()
                            << " op " << side.kind << "s vs " << side.localTypes.size()
                            << " region values";
  for (size_t i = 0; i < side.globalTypes.size(); ++i) {
    auto emitError = [&] {
      InFlightDiagnostic diagnostic = op.emitOpError() << side.kind << " ";
      if (side.globalTypes.size() != 1)
        diagnostic << i << " ";
      return std::move(diagnostic << "- ");
    };
    MeshAttr mesh = finder.find(side.shardings[i]);
    FailureOr<core::Sharding> sharding = resolve(side.shardings[i], mesh, emitError);
    if (failed(sharding))
      return failure();
    SideValue value{i, *sharding, toCore(mesh), side.globalTypes[i], side.localTypes[i]};
    if (failed(verifyAxisOrder(value, op.getManualAxes(), emitError)) ||
        failed(verifyLocalType(value, side.kind, op.getManualAxes(), emitError)))
      return failure();
  }
  return success();
}

/// All shardings are on one mesh, or on empty ones; it has every manual axis.
LogicalResult verifyCommonMesh(ManualComputationOp op, const MeshFinder &finder) {
  if (op.getManualAxes().empty() || (op.getInShardings().empty() && op.getOutShardings().empty()))
    return success();
  MeshAttr common;
  for (TensorShardingPerValueAttr shardings : {op.getInShardings(), op.getOutShardings()}) {
    for (TensorShardingAttr sharding : shardings.getShardings()) {
      MeshAttr mesh = finder.find(sharding);
      if (mesh.isEmpty() || mesh == common)
        continue;
      if (common)
        return op.emitOpError() << "all in/out shardings must be bound to the same mesh or an "
                                   "empty mesh, got "
                                << common << " and " << mesh;
      common = mesh;
    }
  }
  for (StringAttr axis : op.getManualAxes().getAxes())
    if (!common || !toCore(common).axisIndexOrNull(axis.getValue()))
      return op.emitOpError() << "unknown manual axis: " << axis << " is not in the mesh";
  return success();
}

} // namespace

LogicalResult ManualComputationOp::verify() {
  SmallVector<StringRef> names = llvm::map_to_vector(
      getManualAxes().getAxes(), [](StringAttr axis) { return axis.getValue(); });
  return verifyNotBound(names, *this, [&] { return emitOpError(); });
}

LogicalResult ManualComputationOp::verifySymbolUses(SymbolTableCollection &tables) {
  MeshFinder finder(*this, &tables);
  Side in{"operand", getInShardings(), getOperandTypes(), getBody().getArgumentTypes()};
  Side out{"result", getOutShardings(), getResultTypes(), getReturn().getOperandTypes()};
  return failure(failed(verifySide(*this, in, finder)) || failed(verifySide(*this, out, finder)) ||
                 failed(verifyCommonMesh(*this, finder)));
}

LogicalResult NamedComputationOp::verifyRegions() {
  TypeRange returned = getReturn().getOperandTypes();
  if (returned == getResultTypes())
    return success();
  return emitOpError() << "types of returned values " << returned
                       << " are incompatible with result types " << getResultTypes();
}

LogicalResult NamedComputationOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (getBody().getNumArguments() != getOperands().size())
    return emitError() << "number of block arguments must match number of operands: "
                       << getBody().getNumArguments() << " != " << getOperands().size();
  for (auto [index, argument, type] :
       llvm::enumerate(getBody().getArgumentTypes(), getOperandTypes()))
    if (argument != type)
      return emitError() << "block argument " << index << " has type " << argument
                         << ", expected the operand's type " << type;
  MeshFinder finder(*this, &tables);
  if (getInShardingsAttr() &&
      failed(verifyShardingsPerValue(getInShardingsAttr(), getOperandTypes(), *this, finder,
                                     "in_shardings")))
    return failure();
  if (getOutShardingsAttr() &&
      failed(verifyShardingsPerValue(getOutShardingsAttr(), getResultTypes(), *this, finder,
                                     "out_shardings")))
    return failure();
  return success();
}

} // namespace shardwise::sdy
