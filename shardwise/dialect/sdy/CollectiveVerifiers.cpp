// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the collectives: what the axes do to the operand's sharding must give
// `out_sharding`. What they do is core/Collective's; this checks what only the text of an op can
// get wrong, compares, and words the errors.

#include "shardwise/core/AxisChecks.h"
#include "shardwise/core/Collective.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shardwise::sdy {

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

/// Operand and result of a local collective are the shards of one type.
static LogicalResult verifyLocalTypes(Operation *op, TensorShardingAttr operand,
                                      MeshAttr operandMesh, MeshAttr resultMesh) {
  auto before = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto after = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto emitError = [&] { return op->emitOpError(); };
  if (!before || !after || !before.hasStaticShape() || !after.hasStaticShape())
    return emitError() << "is local, so its types must be ranked and static, but they are "
                       << op->getOperand(0).getType() << " and " << op->getResult(0).getType();
  FailureOr<core::Sharding> from = resolve(operand, operandMesh, emitError);
  FailureOr<core::Sharding> to =
      resolve(cast<CollectiveOpInterface>(op).getOutSharding(), resultMesh, emitError);
  if (failed(from) || failed(to))
    return failure();
  SmallVector<int64_t> blocks;
  for (const core::DimSharding &dim : from->dims)
    blocks.push_back(core::shardedSize(dim.axes));
  RankedTensorType global = getGlobalType(op, blocks);
  if (!global || global.getRank() != before.getRank() || !global.hasStaticShape())
    return emitError() << kGlobalTypeAttr << " must be a static tensor type of rank "
                       << before.getRank() << ", but is " << op->getAttr(kGlobalTypeAttr);
  auto shardOf = [&](const core::Sharding &sharding) {
    return global.clone(core::localShape(core::Shape(global.getShape()), sharding));
  };
  RankedTensorType ownShard = shardOf(*from), newShard = shardOf(*to);
  if (before == ownShard && after == newShard)
    return success();
  return emitError() << "is local: of " << global << " its operand must be " << ownShard
                     << " and its result " << newShard << ", but they are " << before << " and "
                     << after << "; say by " << kGlobalTypeAttr << " what does not divide";
}

LogicalResult detail::verifyCollective(Operation *op) {
  auto collective = cast<CollectiveOpInterface>(op);
  if (failed(verifyInSharding(op)))
    return failure();
  MeshFinder finder(op);
  TensorShardingAttr operand = getInSharding(op);
  if (!operand && !collective.allowMissingInputSharding())
    return op->emitOpError("collective on operand without sharding; annotate the operand first");
  TensorShardingAttr result = collective.getOutSharding();
  auto emitError = [&] { return op->emitOpError(); };
  if (failed(verifySharding(result, collective.getGlobalType(), op, finder, emitError)))
    return failure();
  if (!operand)
    return success();
  FailureOr<MeshAttr> operandMesh = findMesh(operand, finder, emitError);
  if (failed(operandMesh))
    return failure();
  if (!collective.allowDifferentMeshes() && *operandMesh != finder.find(result)) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "result mesh does not match operand mesh: result mesh "
                                    << finder.find(result);
    diagnostic.attachNote(collective.getTensor().getLoc()) << "operand mesh: " << *operandMesh;
    return diagnostic;
  }
  if (operand.getRank() != result.getRank())
    return op->emitOpError() << "result sharding has rank " << result.getRank()
                             << " but operand sharding has rank " << operand.getRank();
  return isLocalCollective(op) ? verifyLocalTypes(op, operand, *operandMesh, finder.find(result))
                               : success();
}

namespace {

//===----------------------------------------------------------------------===//
// Before and after
//===----------------------------------------------------------------------===//

/// One collective with both shardings looked up. An operand without sharding counts as
/// replicated.
struct Transition {
  CollectiveOpInterface op;
  MeshAttr meshAttr;
  core::Sharding operand;
  core::Sharding result;

  const core::Mesh &mesh() const { return toCore(meshAttr); }
  InFlightDiagnostic emitError() { return op->emitOpError(); }
};

FailureOr<Transition> getTransition(CollectiveOpInterface op, SymbolTableCollection &tables) {
  MeshFinder finder(op, &tables);
  auto emitError = [&] { return op->emitOpError(); };
  TensorShardingAttr result = op.getOutSharding();
  TensorShardingAttr operand = getInSharding(op);
  if (!operand)
    operand = getReplicatedSharding(result.getMeshOrRef(), result.getRank());
  FailureOr<MeshAttr> mesh = findMesh(result, finder, emitError);
  FailureOr<MeshAttr> operandMesh = findMesh(operand, finder, emitError);
  if (failed(mesh) || failed(operandMesh))
    return failure();
  FailureOr<core::Sharding> before = resolve(operand, *operandMesh, emitError);
  FailureOr<core::Sharding> after = resolve(result, *mesh, emitError);
  if (failed(before) || failed(after))
    return failure();
  return Transition{op, *mesh, std::move(*before), std::move(*after)};
}

/// Checks lists of axes that belong to one collective, and looks them up.
FailureOr<std::vector<core::AxisList>> lookUpLists(Transition &transition,
                                                   const AxisRefLists &lists) {
  core::AxisListChecker checker(transition.mesh());
  for (const AxisRefs &axes : lists)
    if (Result<void> checked = checker.add(axes); !checked)
      return transition.emitError() << checked.error().message;
  if (Result<void> checked = checker.checkSubAxes(); !checked)
    return transition.emitError() << checked.error().message;
  std::vector<core::AxisList> resolved;
  for (const AxisRefs &axes : lists)
    resolved.push_back(lookUp(axes, transition.mesh()));
  return resolved;
}

/// The same for one list that must be in mesh order; `kind` names it in messages.
FailureOr<core::AxisList> lookUpOrderedList(Transition &transition, const AxisRefs &axes,
                                            StringRef kind) {
  Result<void> ordered =
      core::checkMeshOrder(axes, transition.mesh(), std::string_view(kind.data(), kind.size()));
  if (!ordered)
    return transition.emitError() << ordered.error().message;
  FailureOr<std::vector<core::AxisList>> lists = lookUpLists(transition, {axes});
  if (failed(lists))
    return failure();
  return std::move(lists->front());
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

using Reason = core::CollectiveError::Reason;

LogicalResult expectDim(Transition &transition, const core::AxisList &expected, size_t index) {
  const core::AxisList &actual = transition.result.dims[index].axes;
  if (actual == expected)
    return success();
  return transition.emitError() << "result sharding doesn't match expected sharding "
                                << core::toString(expected, transition.mesh()) << " on dimension "
                                << index << ", got " << core::toString(actual, transition.mesh());
}

/// Checks that the result has the dimensions that `collective` makes of the operand's, one after
/// the other as in `dims`; `word` names the axes in messages. Returns the operand's sharding after
/// it.
FailureOr<core::Sharding> verifyDims(Transition &transition, const core::Collective &collective,
                                     ArrayRef<size_t> dims, StringRef word) {
  core::Sharding expected = transition.operand;
  std::optional<core::CollectiveError> error = core::applyTo(expected, collective);
  if (error && error->reason == Reason::NumAxisLists)
    return transition.emitError() << "result sharding has rank " << transition.result.dims.size()
                                  << " but collective axes has rank " << collective.dimAxes.size();
  for (size_t dim : dims) {
    // What stands before the error is done, so that it is compared first.
    if (error && error->dim == static_cast<int64_t>(dim))
      return transition.emitError()
             << "can't apply " << word << " axis " << core::toString(error->axis, transition.mesh())
             << " to dimension " << dim << ": it is not the minor end of "
             << core::toString(expected.dims[dim].axes, transition.mesh());
    if (failed(expectDim(transition, expected.dims[dim].axes, dim)))
      return failure();
  }
  return expected;
}

/// The same for a collective with one axis list per dimension.
FailureOr<core::Sharding> verifyLists(Transition &transition, core::CollectiveKind kind,
                                      const AxisRefLists &lists, StringRef word) {
  auto resolved = lookUpLists(transition, lists);
  if (failed(resolved))
    return failure();
  core::Collective collective;
  collective.kind = kind;
  collective.dimAxes = std::move(*resolved);
  auto dims = llvm::to_vector(llvm::seq<size_t>(0, transition.operand.dims.size()));
  return verifyDims(transition, collective, dims, word);
}

//===----------------------------------------------------------------------===//
// All-to-all
//===----------------------------------------------------------------------===//

LogicalResult checkInRange(Transition &transition, int64_t dim, StringRef kind) {
  int64_t rank = transition.result.dims.size();
  if (dim >= 0 && dim < rank)
    return success();
  return transition.emitError() << kind << " dimension " << dim << " is out of range [0, " << rank
                                << ")";
}

/// Checks the dimensions of `param`, which comes after `previous` (null for the first) and after
/// others that have taken the dimensions `used`.
LogicalResult checkDimensions(Transition &transition, const AllToAllParam &param,
                              const AllToAllParam *previous, llvm::DenseSet<int64_t> &used) {
  if (failed(checkInRange(transition, param.source, "source")) ||
      failed(checkInRange(transition, param.target, "target")))
    return failure();
  for (int64_t dim : {param.source, param.target})
    if (!used.insert(dim).second)
      return transition.emitError() << "overlapping source/target dimensions: dimension " << dim
                                    << " is used more than once";
  if (previous && previous->source > param.source)
    return transition.emitError() << "source dimensions are not sorted in ascending order: "
                                  << param.source << " after " << previous->source;
  return success();
}

/// Checks axes and dimensions, one param after the other.
LogicalResult checkParams(Transition &transition, const AllToAllParams &params,
                          llvm::DenseSet<int64_t> &used) {
  core::AxisListChecker checker(transition.mesh());
  const AllToAllParam *previous = nullptr;
  for (const AllToAllParam &param : params) {
    if (Result<void> checked = checker.add(param.axes); !checked)
      return transition.emitError() << checked.error().message;
    if (failed(checkDimensions(transition, param, previous, used)))
      return failure();
    previous = &param;
  }
  if (Result<void> checked = checker.checkSubAxes(); !checked)
    return transition.emitError() << checked.error().message;
  return success();
}

//===----------------------------------------------------------------------===//
// To unreduced
//===----------------------------------------------------------------------===//

LogicalResult expectSumKind(Transition &transition) {
  if (transition.result.reduction == core::ReductionKind::Sum)
    return success();
  return transition.emitError() << "out_sharding reduction kind must be SUM, got "
                                << core::toString(transition.result.reduction);
}

/// The unreduced axes of the result must be those that the collective gives.
LogicalResult expectUnreduced(Transition &transition, const core::AxisList &expected,
                              StringRef attrName) {
  if (transition.result.unreduced == expected)
    return success();
  return transition.emitError() << "out_sharding unreduced axes should be in "
                                   "operand_sharding.unreduced_axes + "
                                << attrName << ": expected "
                                << core::toString(expected, transition.mesh()) << ", got "
                                << core::toString(transition.result.unreduced, transition.mesh());
}

/// Reports that `axis` is one of `others`, which `what` describes.
InFlightDiagnostic emitOverlap(Transition &transition, const core::Axis &axis,
                               const core::AxisList &others, StringRef word, StringRef what) {
  return transition.emitError() << word << " axis " << core::toString(axis, transition.mesh())
                                << " overlaps with " << what << " "
                                << core::toString(others, transition.mesh());
}

/// Of what may go from one mesh to another: both have the same axes, in different orders of
/// devices.
LogicalResult verifyOrders(Transition &transition, SymbolTableCollection &tables) {
  CollectiveOpInterface op = transition.op;
  TensorShardingAttr operand = getInSharding(op);
  MeshAttr operandMesh = MeshFinder(op, &tables).find(operand);
  const core::Mesh &mesh = transition.mesh();
  auto noteOperandMesh = [&](InFlightDiagnostic diagnostic) {
    diagnostic.attachNote(op.getTensor().getLoc()) << "operand mesh: " << operandMesh;
    return diagnostic;
  };
  if (toCore(operandMesh).axes() != mesh.axes())
    return noteOperandMesh(transition.emitError()
                           << "result mesh has different axes than operand mesh: "
                           << transition.meshAttr);
  if (operand.getMeshOrRef() != op.getOutSharding().getMeshOrRef() &&
      toCore(operandMesh).deviceIds() == mesh.deviceIds())
    return noteOperandMesh(transition.emitError()
                           << "result mesh name is different but same device ids as operand: "
                           << op.getOutSharding().getMeshOrRef() << "; use the operand's mesh");
  return success();
}

LogicalResult verifyReduces(Transition &transition, ReductionKind kind) {
  UnreducedRules rules{std::nullopt, toCore(kind)};
  return verifyUnreducedTransition(transition.operand, transition.result, transition.meshAttr,
                                   rules, [&] { return transition.emitError(); });
}

} // namespace

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  return failure(failed(transition) ||
                 failed(verifyLists(*transition, core::CollectiveKind::AllGather,
                                    getGatheringAxes().getLists(), "gathering")));
}

LogicalResult AllSliceOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  return failure(failed(transition) ||
                 failed(verifyLists(*transition, core::CollectiveKind::AllSlice,
                                    getSlicingAxes().getLists(), "slicing")));
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &tables) {
  const AllToAllParams &params = getParams().getParams();
  if (params.empty())
    return emitOpError("parameter list is empty; give at least one '{axes}: source->target'");
  auto transition = getTransition(*this, tables);
  if (failed(transition))
    return failure();
  llvm::DenseSet<int64_t> used;
  if (failed(checkParams(*transition, params, used)))
    return failure();
  core::Collective collective;
  collective.kind = core::CollectiveKind::AllToAll;
  SmallVector<size_t> dims;
  for (const AllToAllParam &param : params) {
    collective.moves.push_back(
        {lookUp(param.axes, transition->mesh()), param.source, param.target});
    dims.push_back(param.source);
    dims.push_back(param.target);
  }
  for (size_t dim = 0; dim < transition->operand.dims.size(); ++dim)
    if (!used.contains(static_cast<int64_t>(dim)))
      dims.push_back(dim);
  return failure(failed(verifyDims(*transition, collective, dims, "all-to-all")));
}

LogicalResult CollectivePermuteOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition) || failed(verifyOrders(*transition, tables)))
    return failure();
  core::Collective permute;
  permute.kind = core::CollectiveKind::CollectivePermute;
  permute.after = transition->result;
  core::Sharding expected = transition->operand;
  std::optional<core::CollectiveError> error = core::applyTo(expected, permute);
  if (!error)
    return success();
  return emitOpError() << "sharded size of result doesn't match operand on dimension " << error->dim
                       << ": " << core::shardedSize(transition->result.dims[error->dim].axes)
                       << " != " << core::shardedSize(transition->operand.dims[error->dim].axes);
}

LogicalResult ExchangeOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition) || failed(verifyOrders(*transition, tables)))
    return failure();
  const core::AxisList &before = transition->operand.unreduced;
  const core::AxisList &after = transition->result.unreduced;
  bool isSameKind = before.empty() || transition->operand.reduction == transition->result.reduction;
  if (before == after && isSameKind)
    return success();
  return emitOpError() << "moves values and combines none, so operand and result must be unreduced "
                          "along the same axes by the same function, but are along "
                       << core::toString(before, transition->mesh()) << " by "
                       << core::toString(transition->operand.reduction) << " and along "
                       << core::toString(after, transition->mesh()) << " by "
                       << core::toString(transition->result.reduction);
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition))
    return failure();
  TensorShardingAttr operand = getInSharding(*this);
  if (!isEquivalent(getOutSharding(), operand, UnreducedAxes::Ignore))
    return emitOpError() << "operand and result shardings are not equivalent, unreduced axes "
                            "apart: operand "
                         << operand << ", result " << getOutSharding();
  auto axes = lookUpOrderedList(*transition, getReductionAxes().getAxes(), "reduction");
  if (failed(axes))
    return failure();
  core::Collective reduce;
  reduce.kind = core::CollectiveKind::AllReduce;
  reduce.reducedAxes = std::move(*axes);
  // As in Shardy, axes along which the operand is not unreduced may be listed if they are unused.
  auto error = core::checkAxes(reduce, transition->operand);
  if (error && error->reason == Reason::CutsDim) {
    core::AxisList fixed = core::dimensionAxes(transition->operand);
    llvm::append_range(fixed, transition->operand.replicated);
    return emitOverlap(*transition, error->axis, fixed, "reduction",
                       "operand dimension and replicated axes");
  }
  const core::AxisList &unreduced = transition->result.unreduced;
  for (const core::Axis &axis : reduce.reducedAxes)
    if (core::overlaps(unreduced, {&axis, 1}))
      return emitOverlap(*transition, axis, unreduced, "reduction", "result unreduced axes");
  return verifyReduces(*transition, getReductionOp());
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  return failure(failed(transition) || failed(verifyReduces(*transition, getReductionOp())) ||
                 failed(verifyLists(*transition, core::CollectiveKind::ReduceScatter,
                                    getReduceScatterAxes().getLists(), "reduce-scatter")));
}

LogicalResult ShardedToUnreducedOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition) || failed(expectSumKind(*transition)))
    return failure();
  auto expected = verifyLists(*transition, core::CollectiveKind::ShardedToUnreduced,
                              getAxes().getLists(), "shard-to-unreduce");
  if (failed(expected))
    return failure();
  return expectUnreduced(*transition, expected->unreduced, "sharded_to_unreduced_axes");
}

LogicalResult ReplicatedToUnreducedOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition) || failed(expectSumKind(*transition)))
    return failure();
  if (transition->operand.dims != transition->result.dims)
    return emitOpError() << "operand and result must share the same dimension shardings: operand "
                         << getInSharding(*this) << ", result " << getOutSharding();
  if (getAxes().empty())
    return emitOpError("axes must not be empty");
  auto axes = lookUpOrderedList(*transition, getAxes().getAxes(), "r2u");
  if (failed(axes))
    return failure();
  core::Collective toUnreduced;
  toUnreduced.kind = core::CollectiveKind::ReplicatedToUnreduced;
  toUnreduced.reducedAxes = std::move(*axes);
  if (auto error = core::checkAxes(toUnreduced, transition->operand)) {
    bool cuts = error->reason == Reason::CutsDim;
    return emitOverlap(*transition, error->axis,
                       cuts ? core::dimensionAxes(transition->operand)
                            : transition->operand.unreduced,
                       "r2u", cuts ? "operand dimension axes" : "operand unreduced axes");
  }
  core::Sharding expected = transition->operand;
  core::applyTo(expected, toUnreduced);
  return expectUnreduced(*transition, expected.unreduced, "r2u_axes");
}

} // namespace shardwise::sdy
