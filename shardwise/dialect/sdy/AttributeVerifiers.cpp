// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of `sdy.*` attributes on operations of any dialect and on functions:
//   sdy.sharding            of arguments and results of functions: the sharding, with the function;
//                           of ops: its kind with the op, the shardings with the symbol tables
//   sdy.sharding_rule       the rules of core/ShardingRule.cpp, on ranks of static shapes
//   sdy.propagation_edges   that they name values of the op, and axes of the mesh of these

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> getStaticRanks(Operation *op, TypeRange types, StringRef kind) {
  SmallVector<int64_t> ranks;
  for (auto [index, type] : llvm::enumerate(types)) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasStaticShape())
      return op->emitOpError() << kind << " " << index
                               << " - expected a ranked tensor with a static shape, got " << type;
    ranks.push_back(shaped.getRank());
  }
  return ranks;
}

LogicalResult verifyRuleAttribute(Operation *op, Attribute attr) {
  auto rule = dyn_cast<OpShardingRuleAttr>(attr);
  if (!rule)
    return op->emitOpError() << "should have a sharding rule attribute of type "
                                "OpShardingRuleAttr for "
                             << kShardingRuleAttr << ", but got " << attr;
  auto operandRanks = getStaticRanks(op, op->getOperandTypes(), "operand");
  auto resultRanks = getStaticRanks(op, op->getResultTypes(), "result");
  if (failed(operandRanks) || failed(resultRanks))
    return failure();
  if (Result<void> checked = core::check(toCore(rule), *operandRanks, *resultRanks); !checked)
    return op->emitOpError() << checked.error().message;
  return success();
}

//===----------------------------------------------------------------------===//
// Propagation edges
//===----------------------------------------------------------------------===//

/// The value that `ref` names; null, with an error, if there is none.
Value getReferencedValue(Operation *op, EdgeValueRef ref) {
  int64_t count = ref.isResult ? op->getNumResults() : op->getNumOperands();
  if (ref.index < 0 || ref.index >= count) {
    op->emitOpError() << kPropagationEdgesAttr << " has the index " << ref.index << " of "
                      << (ref.isResult ? "a result" : "an operand") << ", expected it in [0, "
                      << count << ")";
    return {};
  }
  return ref.isResult ? Value(op->getResult(ref.index)) : op->getOperand(ref.index);
}

/// The one mesh of all shardings that `steps` refer to; empty and maximal meshes do not count.
FailureOr<MeshAttr> getCommonMesh(Operation *op, const PropagationSteps &steps) {
  MeshAttr common;
  bool hasSharding = false;
  auto visit = [&](EdgeValueRef ref) -> LogicalResult {
    Value value = getReferencedValue(op, ref);
    if (!value)
      return failure();
    TensorShardingAttr sharding = getSharding(value);
    MeshAttr mesh = sharding ? getMesh(sharding, op) : MeshAttr();
    hasSharding |= static_cast<bool>(sharding);
    if (!mesh || mesh.isEmpty() || mesh.isMaximal())
      return success();
    if (common && common != mesh)
      return op->emitOpError() << "expected a common mesh of the values in "
                               << kPropagationEdgesAttr << ", got " << common << " and " << mesh;
    common = mesh;
    return success();
  };
  for (const PropagationStep &step : steps)
    for (const AxisPropagation &details : step.axes) {
      if (failed(visit(details.source)))
        return failure();
      for (EdgeValueRef target : details.targets)
        if (failed(visit(target)))
          return failure();
    }
  if (!hasSharding)
    return op->emitOpError() << kPropagationEdgesAttr
                             << " must reference a sharding: none of its values has one";
  return common;
}

LogicalResult verifyEdgesAttribute(Operation *op, Attribute attr) {
  auto edges = dyn_cast<PropagationEdgesAttr>(attr);
  if (!edges)
    return op->emitOpError() << "should have an attribute of type PropagationEdgesAttr for "
                             << kPropagationEdgesAttr << ", but got " << attr;
  // Their sources are elsewhere: operands of calls, of the owner, of terminators.
  if (isa<FuncDataFlowEdgeOp, DataFlowEdgeOp>(op))
    return success();
  FailureOr<MeshAttr> mesh = getCommonMesh(op, edges.getSteps());
  if (failed(mesh))
    return failure();
  for (const PropagationStep &step : edges.getSteps())
    for (const AxisPropagation &details : step.axes)
      if (!*mesh || !toCore(*mesh).axisIndexOrNull(details.axis.name))
        return op->emitOpError() << kPropagationEdgesAttr << " has the axis \"" << details.axis.name
                                 << "\", which is not in the mesh";
  return success();
}

LogicalResult verifyEdgesArray(Operation *op, NamedAttribute attr) {
  auto array = dyn_cast<ArrayAttr>(attr.getValue());
  if (!array || !llvm::all_of(array, llvm::IsaPred<PropagationEdgesAttr>))
    return op->emitOpError() << "should have an array of PropagationEdgesAttr for "
                             << attr.getName().getValue() << ", but got " << attr.getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// Checks `sdy.sharding` of an argument or a result (`kind`) of a function. `place` is where it is
/// written, as far as that is known.
LogicalResult verifyShardingOfValue(Operation *op, NamedAttribute attr, Type type, StringRef kind,
                                    unsigned index, Location place) {
  if (attr.getName() != kShardingAttr || !isa<func::FuncOp>(op))
    return success();
  auto emitError = [&] {
    return mlir::emitError(place) << "'" << op->getName() << "' op " << kind << " " << index
                                  << " - ";
  };
  auto sharding = dyn_cast<TensorShardingAttr>(attr.getValue());
  if (!sharding)
    return emitError() << "should have a sharding attribute of type TensorShardingAttr, but got "
                       << attr.getValue();
  return verifySharding(sharding, type, op, MeshFinder(op), emitError);
}

LogicalResult verifyTypeOfShardings(Operation *op, Attribute attr) {
  if (isa<TensorShardingPerValueAttr>(attr))
    return success();
  return op->emitOpError() << "should have a sharding attribute of type "
                              "TensorShardingPerValueAttr, but got "
                           << attr;
}

/// Checks `sdy.sharding` of any operation, with the symbol tables of the module: a search for the
/// mesh of every operation would cost operations times meshes.
struct ShardingUses final
    : SymbolUserAttrInterface::ExternalModel<ShardingUses, TensorShardingPerValueAttr> {
  LogicalResult verifySymbolUses(Attribute attr, Operation *op,
                                 SymbolTableCollection &tables) const {
    if (op->getAttr(kShardingAttr) != attr)
      return success(); // under another name it means nothing
    return verifyShardingsPerValue(cast<TensorShardingPerValueAttr>(attr), op->getResultTypes(), op,
                                   MeshFinder(op, &tables), "result");
  }
};

} // namespace

void attachShardingUses(MLIRContext *context) {
  TensorShardingPerValueAttr::attachInterface<ShardingUses>(*context);
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kShardingAttr)
    return verifyTypeOfShardings(op, attr.getValue());
  if (name == kShardingRuleAttr)
    return verifyRuleAttribute(op, attr.getValue());
  if (name == kPropagationEdgesAttr)
    return verifyEdgesAttribute(op, attr.getValue());
  if (name == kResultPropagationEdgesAttr || name == kBlockArgPropagationEdgesAttr)
    return verifyEdgesArray(op, attr);
  return success();
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                   NamedAttribute attr) {
  auto func = dyn_cast<func::FuncOp>(op);
  Type type = func ? func.getArgumentTypes()[index] : Type();
  // JAX writes all arguments of a function on one line of thousands of columns: the place of the
  // argument is in it. Printed with locations, an argument has its name alone, which is no place.
  Location place = op->getLoc();
  if (func && !func.isExternal())
    if (Location own = func.getArgument(index).getLoc(); own->findInstanceOf<FileLineColLoc>())
      place = own;
  return verifyShardingOfValue(op, attr, type, "arg", index, place);
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                      NamedAttribute attr) {
  auto func = dyn_cast<func::FuncOp>(op);
  Type type = func ? func.getResultTypes()[index] : Type();
  return verifyShardingOfValue(op, attr, type, "result", index, op->getLoc());
}

} // namespace shardwise::sdy
