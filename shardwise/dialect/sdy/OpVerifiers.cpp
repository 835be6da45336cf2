// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of meshes, constraints, reshards, edges and barriers.

#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

/// A value may get another placement if the sharding is valid, and adds only sums as unreduced
/// axes to those that the value has already.
LogicalResult verifyPlacementChange(Operation *op, Value input, TensorShardingAttr sharding,
                                    SymbolTableCollection &tables) {
  MeshFinder finder(op, &tables);
  auto emitError = [&] { return op->emitOpError(); };
  if (failed(verifySharding(sharding, input.getType(), op, finder, emitError)))
    return failure();
  TensorShardingAttr old = getSharding(bypassBarriers(input));
  // A value without sharding may be anything. Unreduced axes of different meshes say nothing
  // about each other.
  if (!old || (toCore(old).unreduced.empty() && toCore(sharding).unreduced.empty()))
    return success();
  MeshAttr mesh = finder.find(sharding);
  if (finder.find(old) != mesh)
    return success();
  FailureOr<core::Sharding> before = resolve(old, mesh, emitError);
  FailureOr<core::Sharding> after = resolve(sharding, mesh, emitError);
  if (failed(before) || failed(after))
    return failure();
  UnreducedRules rules{core::ReductionKind::Sum, std::nullopt};
  return verifyUnreducedTransition(*before, *after, mesh, rules, emitError);
}

LogicalResult verifyEdgeInput(Operation *op, Value input) {
  if (!cast<ShapedType>(input.getType()).hasStaticShape())
    return op->emitOpError() << "expected to have a static-shaped result, but its type is "
                             << input.getType();
  // From a value to its edge one goes by its only use (`getDataFlowEdge`), and what propagates to
  // the edge must hold for all that use the value.
  if (!input.hasOneUse())
    return op->emitOpError() << "expected input to have a single user, but it has "
                             << llvm::range_size(input.getUses())
                             << "; other uses must take the result of this op";
  return success();
}

} // namespace

LogicalResult MeshOp::verify() {
  // Of two ops with one name the symbol table finds the first: a second mesh is MLIR's error, but
  // a mesh behind something else is one that no sharding can refer to.
  Operation *found = findSymbol(cast<ModuleOp>((*this)->getParentOp()), getSymNameAttr());
  if (isa_and_present<MeshOp>(found))
    return success();
  InFlightDiagnostic diagnostic = emitError()
                                  << "mesh @" << getSymName()
                                  << " is not found in the symbol table of its module; rename it";
  if (found)
    diagnostic.attachNote(found->getLoc())
        << "the name belongs to this '" << found->getName() << "'";
  return diagnostic;
}

LogicalResult ShardingConstraintOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyPlacementChange(*this, getInput(), getSharding(), tables);
}

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyInSharding(*this)))
    return failure();
  return verifyPlacementChange(*this, getInput(), getSharding(), tables);
}

LogicalResult DataFlowEdgeOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyEdgeInput(*this, getInput())))
    return failure();
  Operation *source = getInput().getDefiningOp();
  if (source && isa_and_present<SdyDialect>(source->getDialect()) &&
      !isa<ShardableDataFlowOpInterface>(source)) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected input to not be defined by an sdy op, except a manual or named "
                    "computation");
    diagnostic.attachNote(source->getLoc()) << "sdy op defining the input";
    return diagnostic;
  }
  if (!getShardingAttr())
    return success();
  return verifySharding(getShardingAttr(), getType(), *this, MeshFinder(*this, &tables),
                        [&] { return emitOpError(); });
}

LogicalResult FuncDataFlowEdgeOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyEdgeInput(*this, getInput())))
    return failure();
  if (auto argument = dyn_cast<BlockArgument>(getInput())) {
    Block *block = argument.getOwner();
    if (!isa<func::FuncOp>(block->getParentOp()) || !block->isEntryBlock())
      return emitOpError("expected operand to be a block argument of a func.func");
    return success();
  }
  if (!getInput().getDefiningOp<func::CallOp>())
    return emitOpError("expected operand to be a result of call, or an argument of a func.func");
  return success();
}

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() == PropagationDirection::Both)
    return emitOpError("cannot specify `BOTH` as the direction (makes the op redundant); drop the "
                       "op or give NONE, FORWARD or BACKWARD");
  return success();
}

} // namespace shardwise::sdy
