// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the collectives: what the axes do to the operand's sharding must give
// `out_sharding`.

#include "shardwise/core/AxisChecks.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shardwise::sdy {

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

LogicalResult detail::verifyCollective(Operation *op) {
  auto collective = cast<CollectiveOpInterface>(op);
  MeshFinder finder(op);
  TensorShardingAttr operand = getSharding(collective.getTensor());
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
  return success();
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
  TensorShardingAttr operand = getSharding(op.getTensor());
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

LogicalResult checkNumLists(Transition &transition, size_t numLists) {
  if (numLists == transition.result.dims.size())
    return success();
  return transition.emitError() << "result sharding has rank " << transition.result.dims.size()
                                << " but collective axes has rank " << numLists;
}

//===----------------------------------------------------------------------===//
// Rules for one dimension
//===----------------------------------------------------------------------===//

/// Takes `axes` off the minor end of `dim`.
FailureOr<core::AxisList> gather(Transition &transition, core::AxisList dim,
                                 const core::AxisList &axes, size_t index, StringRef kind) {
  for (const core::Axis &axis : llvm::reverse(axes)) {
    std::optional<core::AxisList> rest =
        core::removeSuffix(dim, std::span<const core::Axis>(&axis, 1));
    if (!rest)
      return transition.emitError()
             << "can't apply " << kind << " axis " << core::toString(axis, transition.mesh())
             << " to dimension " << index << ": it is not the minor end of "
             << core::toString(dim, transition.mesh());
    dim = std::move(*rest);
  }
  return dim;
}

core::AxisList slice(core::AxisList dim, const core::AxisList &axes) {
  for (const core::Axis &axis : axes)
    core::appendOrMerge(dim, axis);
  return dim;
}

LogicalResult expectDim(Transition &transition, const core::AxisList &expected, size_t index) {
  const core::AxisList &actual = transition.result.dims[index].axes;
  if (actual == expected)
    return success();
  return transition.emitError() << "result sharding doesn't match expected sharding "
                                << core::toString(expected, transition.mesh()) << " on dimension "
                                << index << ", got " << core::toString(actual, transition.mesh());
}

LogicalResult verifyGather(Transition &transition, const AxisRefLists &lists, StringRef kind) {
  auto resolved = lookUpLists(transition, lists);
  if (failed(resolved) || failed(checkNumLists(transition, lists.size())))
    return failure();
  for (auto [index, axes] : llvm::enumerate(*resolved)) {
    auto expected = gather(transition, transition.operand.dims[index].axes, axes, index, kind);
    if (failed(expected) || failed(expectDim(transition, *expected, index)))
      return failure();
  }
  return success();
}

LogicalResult verifySlice(Transition &transition, const AxisRefLists &lists) {
  auto resolved = lookUpLists(transition, lists);
  if (failed(resolved) || failed(checkNumLists(transition, lists.size())))
    return failure();
  for (auto [index, axes] : llvm::enumerate(*resolved))
    if (failed(expectDim(transition, slice(transition.operand.dims[index].axes, axes), index)))
      return failure();
  return success();
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

/// The unreduced axes of the result are those of the operand and `added`.
LogicalResult expectUnreduced(Transition &transition, const core::AxisList &added,
                              StringRef attrName) {
  core::AxisList expected = transition.operand.unreduced;
  expected.insert(expected.end(), added.begin(), added.end());
  expected = core::sortAndMerge(std::move(expected));
  if (transition.result.unreduced == expected)
    return success();
  return transition.emitError() << "out_sharding unreduced axes should be in "
                                   "operand_sharding.unreduced_axes + "
                                << attrName << ": expected "
                                << core::toString(expected, transition.mesh()) << ", got "
                                << core::toString(transition.result.unreduced, transition.mesh());
}

/// Fails if one of `axes` overlaps one of `others`; `what` describes these.
LogicalResult expectNoOverlap(Transition &transition, const core::AxisList &axes,
                              const core::AxisList &others, StringRef kind, StringRef what) {
  for (const core::Axis &axis : axes)
    if (core::overlaps(std::span<const core::Axis>(&axis, 1), others))
      return transition.emitError()
             << kind << " axis " << core::toString(axis, transition.mesh()) << " overlaps with "
             << what << " " << core::toString(others, transition.mesh());
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
                 failed(verifyGather(*transition, getGatheringAxes().getLists(), "gathering")));
}

LogicalResult AllSliceOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  return failure(failed(transition) ||
                 failed(verifySlice(*transition, getSlicingAxes().getLists())));
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
  for (const AllToAllParam &param : params) {
    core::AxisList axes = lookUp(param.axes, transition->mesh());
    const auto &dims = transition->operand.dims;
    auto source = gather(*transition, dims[param.source].axes, axes, param.source, "all-to-all");
    if (failed(source) || failed(expectDim(*transition, *source, param.source)) ||
        failed(expectDim(*transition, slice(dims[param.target].axes, axes), param.target)))
      return failure();
  }
  for (auto [index, dim] : llvm::enumerate(transition->operand.dims))
    if (!used.contains(index) && failed(expectDim(*transition, dim.axes, index)))
      return failure();
  return success();
}

LogicalResult CollectivePermuteOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition))
    return failure();
  TensorShardingAttr operand = sdy::getSharding(getTensor());
  MeshAttr operandMesh = MeshFinder(*this, &tables).find(operand);
  const core::Mesh &mesh = transition->mesh();
  auto noteOperandMesh = [&](InFlightDiagnostic diagnostic) {
    diagnostic.attachNote(getTensor().getLoc()) << "operand mesh: " << operandMesh;
    return diagnostic;
  };
  if (toCore(operandMesh).axes() != mesh.axes())
    return noteOperandMesh(emitOpError() << "result mesh has different axes than operand mesh: "
                                         << transition->meshAttr);
  if (operand.getMeshOrRef() != getOutSharding().getMeshOrRef() &&
      toCore(operandMesh).deviceIds() == mesh.deviceIds())
    return noteOperandMesh(emitOpError()
                           << "result mesh name is different but same device ids as operand: "
                           << getOutSharding().getMeshOrRef() << "; use the operand's mesh");
  for (size_t i = 0; i < transition->result.dims.size(); ++i) {
    int64_t before = core::shardedSize(transition->operand.dims[i].axes);
    int64_t after = core::shardedSize(transition->result.dims[i].axes);
    if (before != after)
      return emitOpError() << "sharded size of result doesn't match operand on dimension " << i
                           << ": " << after << " != " << before;
  }
  return success();
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition))
    return failure();
  TensorShardingAttr operand = sdy::getSharding(getTensor());
  if (!isEquivalent(getOutSharding(), operand, UnreducedAxes::Ignore))
    return emitOpError() << "operand and result shardings are not equivalent, unreduced axes "
                            "apart: operand "
                         << operand << ", result " << getOutSharding();
  auto axes = lookUpOrderedList(*transition, getReductionAxes().getAxes(), "reduction");
  if (failed(axes))
    return failure();
  core::AxisList fixed = core::dimensionAxes(transition->operand);
  llvm::append_range(fixed, transition->operand.replicated);
  if (failed(expectNoOverlap(*transition, *axes, fixed, "reduction",
                             "operand dimension and replicated axes")) ||
      failed(expectNoOverlap(*transition, *axes, transition->result.unreduced, "reduction",
                             "result unreduced axes")))
    return failure();
  return verifyReduces(*transition, getReductionOp());
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  return failure(failed(transition) || failed(verifyReduces(*transition, getReductionOp())) ||
                 failed(verifySlice(*transition, getReduceScatterAxes().getLists())));
}

LogicalResult ShardedToUnreducedOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition) || failed(expectSumKind(*transition)) ||
      failed(verifyGather(*transition, getAxes().getLists(), "shard-to-unreduce")))
    return failure();
  core::AxisList added;
  for (const AxisRefs &axes : getAxes().getLists())
    llvm::append_range(added, lookUp(axes, transition->mesh()));
  return expectUnreduced(*transition, added, "sharded_to_unreduced_axes");
}

LogicalResult ReplicatedToUnreducedOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto transition = getTransition(*this, tables);
  if (failed(transition) || failed(expectSumKind(*transition)))
    return failure();
  if (transition->operand.dims != transition->result.dims)
    return emitOpError() << "operand and result must share the same dimension shardings: operand "
                         << sdy::getSharding(getTensor()) << ", result " << getOutSharding();
  if (getAxes().empty())
    return emitOpError("axes must not be empty");
  auto axes = lookUpOrderedList(*transition, getAxes().getAxes(), "r2u");
  if (failed(axes) ||
      failed(expectNoOverlap(*transition, *axes, core::dimensionAxes(transition->operand), "r2u",
                             "operand dimension axes")) ||
      failed(expectNoOverlap(*transition, *axes, transition->operand.unreduced, "r2u",
                             "operand unreduced axes")))
    return failure();
  return expectUnreduced(*transition, *axes, "r2u_axes");
}

} // namespace shardwise::sdy
