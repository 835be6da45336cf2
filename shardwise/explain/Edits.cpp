// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of annotations, in the order in which they are tried. Where %a [{"x"}, {?}] and
// %b [{?}, {"x"}] are multiplied to %c, and %a won:
//
//   %c is constrained to what the loser wanted    [{}, {"x"}]
//   the winner's annotation without its axes      %a [{}, {?}]
//     with the loser's axes in their place        (other axes only)
//     at a later priority                         %a [{"x"}p1, {?}]
//     with them on the next dimension             %a [{}, {"x"}]
//   the same for the loser's                      %b [{?}, {}], %b [{?}, {"x"}p1], %b [{"x"}, {}]
//
// A winner without axes is a closed dimension or a reserved axis: it gets what the loser wanted.

#include "shardwise/explain/Edits.h"

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Changes that are tried for one conflict.
constexpr size_t kEditsPerConflict = 8;

bool hasAxisTwice(const core::Sharding &sharding) {
  core::AxisList seen;
  for (const core::DimSharding &dim : sharding.dims) {
    if (core::overlaps(dim.axes, seen))
      return true;
    seen.insert(seen.end(), dim.axes.begin(), dim.axes.end());
  }
  return core::overlaps(seen, sharding.replicated) || core::overlaps(seen, sharding.unreduced);
}

core::Sharding without(core::Sharding sharding, const core::AxisList &axes) {
  for (core::DimSharding &dim : sharding.dims)
    dim.axes = core::setDifference(dim.axes, axes);
  return sharding;
}

void append(core::DimSharding &dim, const core::AxisList &axes) {
  for (const core::Axis &axis : axes)
    core::appendOrMerge(dim.axes, axis);
}

using CanChange = llvm::function_ref<bool(const ExplainedAnnotation &)>;

class EditList {
public:
  EditList(const ExplainedConflict &conflict, const core::Mesh &mesh, CanChange canChange)
      : conflict(conflict), mesh(mesh), canChange(canChange),
        winnerAxes(resolved(conflict.winner.axes)), loserAxes(resolved(conflict.loser.axes)) {}

  std::vector<ExplainedEdit> make() {
    constrainWhereSidesMeet();
    changeAnnotation(conflict.winner, winnerAxes, loserAxes, /*firstWay=*/1);
    changeAnnotation(conflict.loser, loserAxes, winnerAxes, /*firstWay=*/5);
    if (edits.size() > kEditsPerConflict)
      edits.resize(kEditsPerConflict);
    return std::move(edits);
  }

private:
  core::AxisList resolved(const std::vector<core::AxisRef> &axes) const {
    core::AxisList list;
    for (const core::AxisRef &axis : axes)
      if (Result<core::Axis> found = core::resolve(axis, mesh))
        list.push_back(*found);
    return list;
  }
  void constrainWhereSidesMeet();
  void changeAnnotation(const ExplainedSide &side, const core::AxisList &own,
                        const core::AxisList &others, int firstWay);
  void annotate(const ExplainedAnnotation &annotation, const core::Sharding &sharding, int way);

  const ExplainedConflict &conflict;
  const core::Mesh &mesh;
  CanChange canChange;
  core::AxisList winnerAxes;
  core::AxisList loserAxes;
  std::vector<ExplainedEdit> edits;
};

/// The value where both sides meet gets what the loser wanted.
void EditList::constrainWhereSidesMeet() {
  const ExplainedSide &winner = conflict.winner;
  bool isAnnotated =
      winner.origin.kind != AnnotationKind::Result && winner.origin.value == winner.value.id;
  auto current = core::resolve(winner.sharding, mesh);
  if (!winner.value.id.isOpResult() || isAnnotated || !current ||
      conflict.wantedDim >= static_cast<int64_t>(current->dims.size()))
    return;
  // The axes move to where they were wanted. A closed constraint binds its input; an open one would
  // only take part in the contest.
  core::Sharding sharding = without(*current, loserAxes);
  for (core::DimSharding &dim : sharding.dims)
    dim.isClosed = true;
  append(sharding.dims[conflict.wantedDim], loserAxes);
  sharding.replicated.clear();
  sharding.unreduced.clear();
  if (!hasAxisTwice(sharding))
    edits.push_back({ExplainedEdit::Kind::Constrain,
                     0,
                     winner.value,
                     conflict.op,
                     {},
                     core::toWritten(sharding, mesh)});
}

/// An annotation without its axes, and with those of the other side in their place.
void EditList::changeAnnotation(const ExplainedSide &side, const core::AxisList &own,
                                const core::AxisList &others, int firstWay) {
  if (!side.origin.sharding || !canChange(side.origin))
    return;
  auto written = core::resolve(*side.origin.sharding, mesh);
  if (!written)
    return;
  if (own.empty()) {
    // The dimension is closed, or the axes are reserved: put them in.
    core::Sharding filled = without(*written, others);
    filled.replicated = core::setDifference(filled.replicated, others);
    if (side.dim < static_cast<int64_t>(filled.dims.size()))
      append(filled.dims[side.dim], others);
    annotate(side.origin, filled, firstWay);
    return;
  }
  annotate(side.origin, without(*written, own), firstWay);
  for (size_t d = 0; d < written->dims.size(); ++d) {
    if (!core::overlaps(written->dims[d].axes, own))
      continue;
    core::Sharding exchanged = *written;
    exchanged.dims[d].axes = core::setDifference(exchanged.dims[d].axes, own);
    append(exchanged.dims[d], others);
    annotate(side.origin, exchanged, firstWay + 1);
    // Without its axes the side gives up; later, it takes what is left.
    core::Sharding later = *written;
    later.dims[d].priority = later.dims[d].priority.value_or(0) + 1;
    annotate(side.origin, later, firstWay + 2);
    // A matrix that is cut along its rows may have been meant to be along its columns.
    core::Sharding moved = without(*written, own);
    append(moved.dims[(d + 1) % moved.dims.size()], own);
    if (moved.dims.size() > 1)
      annotate(side.origin, moved, firstWay + 3);
  }
}

void EditList::annotate(const ExplainedAnnotation &annotation, const core::Sharding &sharding,
                        int way) {
  core::WrittenSharding written = core::toWritten(sharding, mesh);
  if (!hasAxisTwice(sharding) && written != *annotation.sharding)
    edits.push_back({ExplainedEdit::Kind::Annotate, way, {}, {}, annotation, std::move(written)});
}

Attribute meshRefOf(ModuleOp module, const core::Mesh &mesh) {
  for (auto op : module.getOps<sdy::MeshOp>())
    if (sdy::toCore(op.getMesh()) == mesh)
      return FlatSymbolRefAttr::get(op.getSymNameAttr());
  return sdy::toAttr(module.getContext(), mesh);
}

} // namespace

std::vector<ExplainedEdit> editsFor(const ExplainedConflict &conflict, const core::Mesh &mesh,
                                    CanChange canChange) {
  return EditList(conflict, mesh, canChange).make();
}

WrittenProgram::WrittenProgram(ModuleOp module, const core::Mesh &mesh)
    : module(module), programMesh(mesh), meshOrRef(meshRefOf(module, mesh)) {
  int64_t number = 0;
  forEachNumberedOp(*module.getBody(), [&](Operation *op) { ops[number++] = op; });
}

/// Results, arguments and constraints: what `annotate` knows how to write.
bool WrittenProgram::canChange(const ExplainedAnnotation &annotation) const {
  if (annotation.kind == AnnotationKind::Result)
    return true;
  Operation *op = ops.lookup(annotation.value.op);
  return isa_and_nonnull<sdy::ShardingConstraintOp>(op) ||
         (isa_and_nonnull<func::FuncOp>(op) && annotation.kind == AnnotationKind::Argument);
}

LogicalResult WrittenProgram::apply(const ExplainedEdit &edit) {
  auto resolved = core::resolve(edit.sharding, programMesh);
  if (!resolved)
    return failure();
  sdy::TensorShardingAttr sharding = sdy::toAttr(meshOrRef, *resolved, programMesh);
  return edit.kind == ExplainedEdit::Kind::Constrain ? constrain(edit.value.id, sharding)
                                                     : annotate(edit.annotation, sharding);
}

LogicalResult WrittenProgram::constrain(const ValueId &id, sdy::TensorShardingAttr sharding) {
  Operation *op = ops.lookup(id.op);
  if (!op || !id.isOpResult() || id.index >= static_cast<int32_t>(op->getNumResults()))
    return failure();
  Value value = op->getResult(id.index);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto constraint =
      sdy::ShardingConstraintOp::create(builder, op->getLoc(), value.getType(), value, sharding);
  value.replaceAllUsesExcept(constraint.getResult(), constraint);
  return success();
}

/// `sharding` on the mesh of `old`, if that is another order of the devices.
sdy::TensorShardingAttr WrittenProgram::onMeshOf(sdy::TensorShardingAttr old,
                                                 sdy::TensorShardingAttr sharding) const {
  sdy::MeshAttr mesh = old ? sdy::getMesh(old, ModuleOp(module)) : sdy::MeshAttr();
  bool isOtherOrder = mesh && sdy::toCore(mesh).axes() == programMesh.axes();
  return isOtherOrder ? sdy::toAttr(old.getMeshOrRef(), sdy::toCore(sharding)) : sharding;
}

LogicalResult WrittenProgram::annotate(const ExplainedAnnotation &annotation,
                                       sdy::TensorShardingAttr sharding) {
  if (annotation.kind == AnnotationKind::Result) {
    func::FuncOp entry = stablehlo::entryFunctionOrNull(module);
    sdy::TensorShardingAttr old = sdy::getFuncResultSharding(entry, annotation.index);
    sdy::setFuncResultSharding(entry, annotation.index, onMeshOf(old, sharding));
    return success();
  }
  Operation *op = ops.lookup(annotation.value.op);
  if (auto function = dyn_cast_or_null<func::FuncOp>(op)) {
    sdy::TensorShardingAttr old = sdy::getFuncArgSharding(function, annotation.value.index);
    sdy::setFuncArgSharding(function, annotation.value.index, onMeshOf(old, sharding));
    return success();
  }
  auto constraint = dyn_cast_or_null<sdy::ShardingConstraintOp>(op);
  if (!constraint)
    return failure();
  constraint.setShardingAttr(onMeshOf(constraint.getSharding(), sharding));
  return success();
}

} // namespace shardwise::explain
