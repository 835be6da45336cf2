// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the trace of a run to debugging attributes.
//
// Both attributes are written from one list, that of `forEachArrival`: which axes came to which
// value, from which, in the order of the steps. Within a step the order is that of the operands and
// results, of their dimensions, and of the factors of a dimension.
//
// Neighbouring factors of a dimension can get parts of one axis in one step. With "x"=4,
// `([j, k])->([jk]) {j=2, k=2}` and operand `[{"x":(1)2}, {"x":(2)2}]`, the trace has two moves to
// the result, whose dimension then has "x". Of these the first shows no axis, the second "x".

#include "shardwise/transforms/propagate/PropagationDebugInfo.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "llvm/ADT/MapVector.h"

#include <algorithm>
#include <tuple>

namespace shardwise::propagate {

namespace {

/// One arrow of the attribute: an axis, from one value to another, in one step.
struct Arrow {
  int64_t step;
  core::AxisRef axis;
  sdy::EdgeValueRef source;
  sdy::EdgeValueRef target;

  /// By name; parts of an axis before the full one.
  auto axisKey() const {
    core::SubAxis part = axis.subAxis.value_or(core::SubAxis{});
    return std::tuple(axis.name, !axis.subAxis, part.preSize, part.size);
  }
  auto sourceKey() const { return std::tuple(source.isResult, source.index); }
  auto targetKey() const { return std::tuple(target.isResult, target.index); }
};

using Arrows = std::vector<Arrow>;

/// Adds the arrows that an earlier pass left on the op.
void addPresent(Arrows &arrows, sdy::PropagationEdgesAttr attr) {
  for (const sdy::PropagationStep &step : attr.getSteps())
    for (const sdy::AxisPropagation &details : step.axes)
      for (const sdy::EdgeValueRef &target : details.targets)
        arrows.push_back({step.index, details.axis, details.source, target});
}

/// Keeps the first step of each arrow: sorted by step last, it is the first of its equals.
void dropRepeated(Arrows &arrows) {
  auto key = [](const Arrow &arrow) {
    return std::tuple(arrow.axisKey(), arrow.sourceKey(), arrow.targetKey());
  };
  std::sort(arrows.begin(), arrows.end(), [&](const Arrow &a, const Arrow &b) {
    return std::tuple(key(a), a.step) < std::tuple(key(b), b.step);
  });
  auto end = std::unique(arrows.begin(), arrows.end(),
                         [&](const Arrow &a, const Arrow &b) { return key(a) == key(b); });
  arrows.erase(end, arrows.end());
}

/// The attribute nests what arrows share: a step has axes, an axis in it has a source and targets.
/// So arrows are sorted by step, axis and source, and equal neighbours are put together.
sdy::PropagationEdgesAttr toAttr(mlir::MLIRContext *context, Arrows arrows) {
  dropRepeated(arrows);
  std::sort(arrows.begin(), arrows.end(), [](const Arrow &a, const Arrow &b) {
    return std::tuple(a.step, a.axisKey(), a.sourceKey(), a.targetKey()) <
           std::tuple(b.step, b.axisKey(), b.sourceKey(), b.targetKey());
  });
  sdy::PropagationSteps steps;
  for (const Arrow &arrow : arrows) {
    if (steps.empty() || steps.back().index != arrow.step)
      steps.push_back({arrow.step, {}});
    std::vector<sdy::AxisPropagation> &axes = steps.back().axes;
    if (axes.empty() || axes.back().axis != arrow.axis || axes.back().source != arrow.source)
      axes.push_back({arrow.axis, arrow.source, {}});
    axes.back().targets.push_back(arrow.target);
  }
  return sdy::PropagationEdgesAttr::get(context, std::move(steps));
}

sdy::EdgeValueRef refOf(int32_t tensor, int32_t numOperands) {
  if (tensor < numOperands)
    return {false, tensor};
  return {true, tensor - numOperands};
}

} // namespace

mlir::Value PropagationDebugInfo::valueOf(ValueGroupId id) const {
  if (id == kNoValueGroup)
    return {};
  const ValueGroup &group = graph.valueGroups()[id];
  switch (group.storage) {
  case ShardingStorage::OpResult:
  case ShardingStorage::EdgeOp:
    return group.op->getResult(group.index);
  case ShardingStorage::FuncArgument:
    return mlir::cast<mlir::func::FuncOp>(group.op).getArgument(group.index);
  case ShardingStorage::FuncResult: {
    auto function = mlir::cast<mlir::func::FuncOp>(group.op);
    return function.getBody().front().getTerminator()->getOperand(group.index);
  }
  case ShardingStorage::BlockArgumentOwner:
  case ShardingStorage::Erased:
    return {};
  }
  return {};
}

/// Position of the moved factor among those of the target's dimension.
int64_t PropagationDebugInfo::positionOf(const PropagationTrace &trace,
                                         const TraceEvent &move) const {
  const TraceStep &step = trace.steps[move.step];
  // The identity between a returned value and a result has one factor for each dimension.
  if (step.node == kNoNode)
    return 0;
  const Node &node = graph.nodes()[step.node];
  const core::TensorMapping &mapping =
      move.targetTensor < node.numOperands
          ? node.rule->operands[move.targetTensor]
          : node.rule->results[move.targetTensor - node.numOperands];
  const core::DimMapping &factors = mapping[move.targetDim];
  return std::find(factors.begin(), factors.end(), move.factor) - factors.begin();
}

void PropagationDebugInfo::forEachArrival(const PropagationTrace &trace,
                                          ArrivalVisitor visit) const {
  // Steps and copies have times of their own, so this tells them apart.
  auto dimOf = [](const TraceEvent *event) {
    return std::tuple(event->time, event->targetTensor, event->targetDim);
  };
  std::vector<const TraceEvent *> events;
  for (const TraceEvent &event : trace.events)
    if (event.kind != TraceEventKind::Annotation && event.target != kNoValueGroup)
      events.push_back(&event);
  std::sort(events.begin(), events.end(), [&](const TraceEvent *a, const TraceEvent *b) {
    if (dimOf(a) != dimOf(b))
      return dimOf(a) < dimOf(b);
    return a->kind == TraceEventKind::Move && positionOf(trace, *a) < positionOf(trace, *b);
  });

  // Whether the last axes of two neighbours, which came to one dimension in one step, are one axis.
  auto isMergedWithNext = [&](size_t i) {
    if (i + 1 >= events.size() || dimOf(events[i]) != dimOf(events[i + 1]))
      return false;
    std::span<const core::Axis> first = trace.axesOf(*events[i]);
    std::span<const core::Axis> second = trace.axesOf(*events[i + 1]);
    return !first.empty() && !second.empty() && core::canMerge(first.back(), second.back());
  };
  for (size_t i = 0; i < events.size(); ++i) {
    const TraceEvent &event = *events[i];
    std::span<const core::Axis> axes = trace.axesOf(event);
    core::AxisList shown(axes.begin(), axes.end());
    // An axis that was merged with the one before is not handed on to the next as well.
    if (i > 0 && isMergedWithNext(i - 1))
      shown.back() = core::merge(trace.axesOf(*events[i - 1]).back(), axes.back());
    else if (isMergedWithNext(i))
      shown.pop_back();
    MeshId meshId = event.kind == TraceEventKind::Move
                        ? trace.steps[event.step].mesh
                        : graph.valueGroups()[event.target].current.get()->mesh;
    AxisRefs refs;
    for (const core::Axis &axis : shown)
      refs.push_back(core::toRef(axis, graph.meshes()[meshId].mesh));
    visit(event, refs);
  }
}

void PropagationDebugInfo::writeOrigins(const PropagationTrace &trace) {
  forEachArrival(trace, [&](const TraceEvent &event, const AxisRefs &axes) {
    mlir::Value source = valueOf(event.source);
    mlir::Value target = valueOf(event.target);
    if (!source || !target)
      return;
    // Copies among a sharding group are no moves: no op stands between the values.
    if (event.kind != TraceEventKind::Move)
      origins->share(source, target, axes);
    else
      origins->move(source, target, axes);
  });
  origins->write();
}

void PropagationDebugInfo::writeEdges(const PropagationTrace &trace) {
  llvm::MapVector<mlir::Operation *, Arrows> ofOp;
  Arrows ofFuncResults;
  // Steps of this run are numbered behind those of earlier passes.
  int64_t firstStep = 0;
  mlir::Operation *main = graph.funcResultLinks().empty()
                              ? nullptr
                              : graph.valueGroups()[graph.funcResultLinks().front().result].op;
  auto keepPresent = [&](Arrows &arrows, mlir::Attribute attr) {
    auto edges = mlir::dyn_cast_if_present<sdy::PropagationEdgesAttr>(attr);
    if (!edges)
      return;
    addPresent(arrows, edges);
    for (const sdy::PropagationStep &step : edges.getSteps())
      firstStep = std::max(firstStep, step.index + 1);
  };
  module.walk([&](mlir::Operation *op) {
    if (auto attr = op->getAttr(sdy::kPropagationEdgesAttr))
      keepPresent(ofOp[op], attr);
  });
  if (main)
    keepPresent(ofFuncResults,
                mlir::cast<mlir::func::FuncOp>(main).getResultAttr(0, sdy::kPropagationEdgesAttr));

  forEachArrival(trace, [&](const TraceEvent &event, const AxisRefs &axes) {
    if (event.kind != TraceEventKind::Move)
      return;
    const TraceStep &step = trace.steps[event.step];
    bool isFuncResult = step.node == kNoNode;
    const Node *node = isFuncResult ? nullptr : &graph.nodes()[step.node];
    if (node && node->isErased)
      return;
    Arrows &arrows = isFuncResult ? ofFuncResults : ofOp[node->op];
    int32_t numOperands = isFuncResult ? 1 : node->numOperands;
    for (const core::AxisRef &axis : axes)
      arrows.push_back({firstStep + event.step, axis, refOf(event.sourceTensor, numOperands),
                        refOf(event.targetTensor, numOperands)});
  });
  for (auto &[op, arrows] : ofOp)
    if (!arrows.empty())
      op->setAttr(sdy::kPropagationEdgesAttr, toAttr(module.getContext(), std::move(arrows)));
  if (!ofFuncResults.empty())
    mlir::cast<mlir::func::FuncOp>(main).setResultAttr(
        0, sdy::kPropagationEdgesAttr, toAttr(module.getContext(), std::move(ofFuncResults)));
}

} // namespace shardwise::propagate
