// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording what propagation does.
//
// A step is recorded from its projection. Where a factor has more axes in a tensor than when the
// projection was filled, the tensor is a target; the source is the first tensor that had all of
// these axes on the factor before. Example: `([i, k], [k, j])->([i, j])` with operand 0
// `[{"x"}, {?}]` gives one move: "x" along i, from operand 0 to dimension 0 of result 0.

#include "shardwise/transforms/propagate/PropagationTrace.h"

#include <algorithm>

namespace shardwise::propagate {

using propagation::FactorEntry;
using propagation::ShardingProjection;

namespace {

/// Returns the first tensor, operands first, that had all of `axes` on the factor; -1 if none had.
int32_t sourceOf(std::span<const core::Axis> axes, core::FactorIndex factor,
                 const ShardingProjection &projection) {
  for (auto index : projection.entriesOf(factor))
    if (core::isPrefixOf(axes, projection.initialAxes(projection.entry(index))))
      return projection.entry(index).tensor;
  return -1;
}

/// The axes of `now` that are not in `before`.
core::AxisList gainedAxes(std::span<const core::Axis> before, std::span<const core::Axis> now) {
  core::AxisList gained;
  for (const core::Axis &axis : now)
    if (std::find(before.begin(), before.end(), axis) == before.end())
      gained.push_back(axis);
  return gained;
}

bool hasAxis(const core::DimSharding &dim, const core::Axis &axis) {
  return std::any_of(dim.axes.begin(), dim.axes.end(),
                     [&](const core::Axis &there) { return core::contains(there, axis); });
}

} // namespace

void PropagationTrace::add(TraceEvent event, std::span<const core::Axis> eventAxes) {
  event.time = time;
  // An annotation counts from the stage that begins after it.
  bool isWritten =
      event.kind == TraceEventKind::Annotation || event.kind == TraceEventKind::Agreement;
  event.stage = static_cast<uint32_t>(stages.size());
  if (!isWritten && event.stage > 0)
    --event.stage;
  event.axesBegin = static_cast<uint32_t>(axes.size());
  event.axesSize = static_cast<uint32_t>(eventAxes.size());
  axes.insert(axes.end(), eventAxes.begin(), eventAxes.end());
  events.push_back(event);
}

/// Each annotation has a time of its own, so that what took axes from it is later.
void PropagationTrace::annotate(ValueGroupId group, std::span<const core::Axis> annotated) {
  if (annotated.empty())
    return;
  ++time;
  TraceEvent event;
  event.target = group;
  if (auto copy = copied.find(group); copy != copied.end()) {
    event.kind = TraceEventKind::Agreement;
    event.source = copy->second;
  }
  add(event, annotated);
}

void PropagationTrace::begin(const PropagationGraph &graph, bool hasUserPriorities) {
  // Noted by value, since the graph may have been built again since.
  for (auto [from, to] : agreements)
    if (graph.groupOf(from) != kNoValueGroup)
      copied.try_emplace(graph.groupOf(to), graph.groupOf(from));
  for (ValueGroupId group = 0; group < static_cast<ValueGroupId>(graph.valueGroups().size());
       ++group) {
    const MeshSharding &current = graph.valueGroups()[group].current;
    if (!current.isSet())
      continue;
    core::AxisList annotated;
    for (const core::DimSharding &dim : current.sharding.dims)
      if (!hasUserPriorities || dim.priority.value_or(0) == 0)
        annotated.insert(annotated.end(), dim.axes.begin(), dim.axes.end());
    annotate(group, annotated);
  }
}

void PropagationTrace::addStep(TraceStep step, const ShardingProjection &projection,
                               std::span<const propagation::TensorUpdate> updates,
                               std::span<const ValueGroupId> groups) {
  steps.push_back(step);
  ++time;
  updateOf.assign(projection.numTensors(), nullptr);
  for (const propagation::TensorUpdate &update : updates)
    updateOf[update.tensor] = &update.sharding;
  for (core::FactorIndex factor = 0; factor < projection.numFactors(); ++factor)
    addMoves(factor, projection, groups);
}

void PropagationTrace::addMoves(core::FactorIndex factor, const ShardingProjection &projection,
                                std::span<const ValueGroupId> groups) {
  // Most targets of a factor get the same axes, so the source is looked up once for these.
  std::span<const core::Axis> lastAxes;
  int32_t lastSource = -1;
  for (auto index : projection.entriesOf(factor)) {
    const FactorEntry &entry = projection.entry(index);
    if (!ShardingProjection::isExpanded(entry))
      continue;
    std::span<const core::Axis> now = projection.axes(entry);
    if (lastSource < 0 || !std::equal(now.begin(), now.end(), lastAxes.begin(), lastAxes.end()))
      lastSource = sourceOf(now, factor, projection);
    lastAxes = now;
    if (lastSource < 0)
      continue;
    core::AxisList gained = gainedAxes(projection.initialAxes(entry), now);
    TraceEvent event;
    event.kind = TraceEventKind::Move;
    event.step = static_cast<uint32_t>(steps.size()) - 1;
    event.factor = static_cast<int32_t>(factor);
    event.targetTensor = entry.tensor;
    event.targetDim = entry.dim;
    event.sourceTensor = lastSource;
    event.target = groups[entry.tensor];
    event.source = groups[lastSource];
    // The projection may hold axes that do not fit behind what is more major in the dimension.
    const core::Sharding *update = updateOf[entry.tensor];
    event.isKept = update && !gained.empty() && hasAxis(update->dims[entry.dim], gained.front());
    add(event, gained);
  }
}

void PropagationTrace::copyInShardingGroup(ValueGroupId from, ValueGroupId to,
                                           const core::Sharding &sharding) {
  ++time;
  TraceEvent event;
  event.kind = TraceEventKind::ShardingGroupCopy;
  event.target = to;
  event.source = from;
  event.step = steps.empty() ? 0 : static_cast<uint32_t>(steps.size()) - 1;
  add(event, core::dimensionAxes(sharding));
}

} // namespace shardwise::propagate
