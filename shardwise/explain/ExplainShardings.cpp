// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the history of axes to what the user sees: names, places, annotations.

#include "shardwise/explain/ExplainShardings.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/explain/ExplainConflictText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::explain {

using propagate::Arrival;
using propagate::AxisChain;
using propagate::kNoNode;
using propagate::kNoSlot;
using propagate::Node;
using propagate::Slot;
using propagate::SlotId;
using propagate::SlotStorage;
using propagate::TraceEvent;
using propagate::TraceEventKind;

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  StringRef shown = text;
  if (shown.consume_front("tensor<") && shown.consume_back(">"))
    return shown.str();
  return text;
}

namespace {

std::string roleOf(int32_t tensor, int32_t numOperands) {
  return tensor < numOperands ? fmt::format("operand {}", tensor)
                              : fmt::format("result {}", tensor - numOperands);
}

/// The place of `factor` in a tensor of a rule.
int64_t dimOf(const core::ShardingRule &rule, int32_t tensor, int32_t factor) {
  int32_t numOperands = static_cast<int32_t>(rule.operands.size());
  const core::TensorMapping &mapping =
      tensor < numOperands ? rule.operands[tensor] : rule.results[tensor - numOperands];
  auto position = core::findFactor(mapping, factor);
  return position ? position->dim : 0;
}

/// Letter of a factor in the text of rules.
std::string factorName(int32_t factor) {
  return factor < 18 ? std::string(1, static_cast<char>('i' + factor))
                     : fmt::format("z_{}", factor - 17);
}

} // namespace

//===----------------------------------------------------------------------===//
// Between the program as written and the graph
//===----------------------------------------------------------------------===//

void ShardingExplainer::collectInstances() {
  for (const Node &node : graph->nodes)
    if (!node.isErased && !isa<sdy::DataFlowEdgeOp>(node.op))
      instances[ProgramNames::numberOf(node.op->getLoc())].push_back(node.op);
}

SlotId ShardingExplainer::slotOf(const ValueId &id) const {
  auto found = instances.find(id.op);
  if (found == instances.end())
    return kNoSlot;
  for (Operation *op : found->second) {
    if (id.region < 0 && id.index < static_cast<int32_t>(op->getNumResults()))
      return graph->slotOf(op->getResult(id.index));
    if (id.region >= 0 && id.region < static_cast<int32_t>(op->getNumRegions()) &&
        !op->getRegion(id.region).empty() &&
        id.index < static_cast<int32_t>(op->getRegion(id.region).getNumArguments()))
      return graph->slotOf(op->getRegion(id.region).getArgument(id.index));
  }
  return kNoSlot;
}

ValueId ShardingExplainer::idOf(SlotId id) const {
  const Slot &slot = graph->slots[id];
  switch (slot.storage) {
  case SlotStorage::OpResult:
  case SlotStorage::EdgeOp:
    return ProgramNames::idOf(slot.op->getResult(slot.index));
  case SlotStorage::FuncArgument:
    return ProgramNames::idOf(cast<func::FuncOp>(slot.op).getArgument(slot.index));
  case SlotStorage::BlockArgumentOwner:
    return {ProgramNames::numberOf(slot.op->getLoc()), 0, slot.index};
  case SlotStorage::FuncResult:
    return ProgramNames::idOf(
        cast<func::FuncOp>(slot.op).getBody().front().getTerminator()->getOperand(slot.index));
  case SlotStorage::Erased:
    return {ProgramNames::numberOf(slot.op->getLoc()), -1, slot.index};
  }
  return {};
}

std::string ShardingExplainer::nameOf(SlotId slot) const {
  if (graph->slots[slot].storage == SlotStorage::FuncResult)
    return fmt::format("result {}", graph->slots[slot].index);
  return names.nameOf(idOf(slot));
}

std::string ShardingExplainer::shardingText(SlotId slot) const {
  const propagate::SlotSharding &current = graph->slots[slot].current;
  return current.isSet() ? core::toString(current.sharding, graph->meshes[current.mesh].mesh) : "";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool ShardingExplainer::isAsked(const core::Axis &axis, const core::Mesh &mesh, int64_t dim) const {
  return (!options.dim || *options.dim == dim) &&
         (!options.axis || mesh.axes()[axis.index].name == *options.axis);
}

ExplainedLink ShardingExplainer::linkOf(const Arrival &arrival) const {
  const TraceEvent &event = *arrival.event;
  ExplainedLink link;
  link.value = nameOf(event.target);
  link.from = nameOf(event.source);
  const propagate::PropagationStage &stage = trace->stageOf(event);
  link.userPriority = stage.userPriority;
  link.opPriority = stage.opPriority.value_or(-1);
  link.step = event.step;
  if (event.kind != TraceEventKind::Move) {
    link.kind = "group";
    return link;
  }
  const propagate::TraceStep &step = trace->steps[event.step];
  link.kind = "op";
  const core::ShardingRule *rule;
  int32_t numOperands = 1;
  if (step.node == kNoNode) {
    rule = graph->funcResultLinks[step.funcResult].rule;
    link.op = "return";
    Operation *function = graph->slots[graph->funcResultLinks[step.funcResult].result].op;
    link.place = names.placeOf(ProgramNames::numberOf(
        cast<func::FuncOp>(function).getBody().front().getTerminator()->getLoc()));
  } else {
    const Node &node = graph->nodes[step.node];
    rule = node.rule;
    numOperands = node.numOperands;
    int64_t number = ProgramNames::numberOf(node.op->getLoc());
    link.op = names.opName(number);
    link.place = names.placeOf(number);
    link.source = names.sourceOf(number);
  }
  link.role = roleOf(event.targetTensor, numOperands);
  link.fromRole = roleOf(event.sourceTensor, numOperands);
  link.dim = event.targetDim;
  link.fromDim = dimOf(*rule, event.sourceTensor, event.factor);
  link.factor = factorName(event.factor);
  if (options.which != ExplainedValues::Annotated)
    link.rule = core::toString(*rule);
  return link;
}

void ShardingExplainer::addChain(ExplainedAxis &explained, const AxisChain &chain) {
  for (const Arrival &arrival : chain.links) {
    if (arrival.event->kind == TraceEventKind::Annotation)
      continue;
    ExplainedLink link = linkOf(arrival);
    if (link.kind == "group")
      link.dim = link.fromDim =
          explained.links.empty() ? explained.dim : explained.links.back().fromDim;
    explained.links.push_back(std::move(link));
  }
  explained.origin = annotationOf(chain.origin, &explained);
}

/// Values of a loop or branch that flow into each other have one sharding, under one name.
ExplainedLink ShardingExplainer::sharedLink(const ExplainedValue &value, SlotId slot,
                                            int64_t dim) const {
  ExplainedLink link;
  link.kind = "shared";
  link.value = value.name;
  link.from = nameOf(slot);
  link.dim = link.fromDim = dim;
  return link;
}

void ShardingExplainer::explainAxes(ExplainedValue &value, SlotId slot) {
  const propagate::SlotSharding &current = graph->slots[slot].current;
  const core::Mesh &mesh = graph->meshes[current.mesh].mesh;
  for (auto [d, dim] : llvm::enumerate(current.sharding.dims)) {
    for (const core::Axis &axis : dim.axes) {
      if (!isAsked(axis, mesh, static_cast<int64_t>(d)))
        continue;
      if (options.which == ExplainedValues::Annotated) {
        ExplainedAxis explained{core::toString(axis, mesh), static_cast<int64_t>(d), {}, {}};
        if (SlotId origin = history->originOf(slot, axis); origin != kNoSlot)
          explained.origin = annotationOf(origin, nullptr);
        value.axes.push_back(std::move(explained));
        continue;
      }
      for (const AxisChain &chain : history->chains(slot, axis)) {
        ExplainedAxis explained{
            core::toString(chain.links.front().axis, mesh), static_cast<int64_t>(d), {}, {}};
        if (value.name != nameOf(slot))
          explained.links.push_back(sharedLink(value, slot, static_cast<int64_t>(d)));
        addChain(explained, chain);
        value.axes.push_back(std::move(explained));
      }
    }
  }
}

/// Why a value of the program takes no part in propagation.
std::string ShardingExplainer::absenceOf(const ValueId &id) const {
  auto found = instances.find(id.op);
  if (found == instances.end())
    return "was removed: nothing that is returned uses it, or its function is never called";
  if (id.region >= 0)
    return fmt::format("is inside the {}: it is one element, and has no sharding",
                       names.opName(id.op));
  return "is no tensor, and has no sharding";
}

void ShardingExplainer::explainValue(const ValueId &id) {
  SlotId slot = slotOf(id);
  if (slot == kNoSlot && options.which == ExplainedValues::All)
    return;
  ExplainedValue value;
  value.id = id;
  value.name = names.nameOf(id);
  value.label = names.labelOf(id);
  value.place = names.placeOf(id);
  value.source = id.region < 0 ? names.sourceOf(id.op) : "";
  value.op = id.region < 0 ? names.opName(id.op) : "";
  value.isAnnotated = annotations.count(id) > 0;
  if (slot == kNoSlot) {
    value.absence = absenceOf(id);
  } else {
    value.sharding = shardingText(slot);
    value.isAsWritten = value.isAnnotated && annotations.at(id) == value.sharding;
    value.numInstances = static_cast<int64_t>(instances.at(id.op).size());
    Operation *op = instances.at(id.op).front();
    Value made = id.region < 0 ? Value(op->getResult(id.index))
                               : Value(op->getRegion(id.region).getArgument(id.index));
    value.type = typeText(made.getType());
    value.rank = sdy::getShardingRank(made.getType());
    if (graph->slots[slot].current.isSet()) {
      if (auto tensor = dyn_cast<RankedTensorType>(made.getType())) {
        core::Shape shape(tensor.getShape());
        const core::Sharding &sharding = graph->slots[slot].current.get()->sharding;
        if (sharding.dims.size() == shape.size())
          value.localType = typeText(tensor.clone(core::localShape(shape, sharding)));
      }
      explainAxes(value, slot);
    }
  }
  explanation.values.push_back(std::move(value));
}

void ShardingExplainer::explainValues() {
  if (options.which == ExplainedValues::Asked) {
    for (const ValueId &id : options.values)
      explainValue(id);
    return;
  }
  if (options.which == ExplainedValues::All) {
    for (const auto &[number, ops] : instances) {
      Operation *op = ops.front();
      if (number < 0 || isa<sdy::MeshOp>(op))
        continue;
      for (int32_t r = 0; r < static_cast<int32_t>(op->getNumRegions()); ++r)
        for (int32_t i = 0; i < static_cast<int32_t>(op->getRegion(r).getNumArguments()); ++i)
          explainValue({number, r, i});
      for (int32_t i = 0; i < static_cast<int32_t>(op->getNumResults()); ++i)
        explainValue({number, -1, i});
    }
  } else {
    for (const auto &[id, text] : annotations)
      if (slotOf(id) != kNoSlot)
        explainValue(id);
  }
  // Results of the function have shardings of their own.
  for (const propagate::FuncResultLink &link : graph->funcResultLinks) {
    ExplainedValue value;
    value.id = idOf(link.result);
    value.name = nameOf(link.result);
    value.op = "return";
    value.place = names.placeOf(value.id);
    const Slot &slot = graph->slots[link.result];
    Type type = cast<func::FuncOp>(slot.op).getResultTypes()[slot.index];
    value.type = typeText(type);
    value.rank = sdy::getShardingRank(type);
    value.sharding = shardingText(link.result);
    value.isAnnotated = resultAnnotations.count(slot.index) > 0;
    value.isAsWritten = value.isAnnotated && resultAnnotations.at(slot.index) == value.sharding;
    value.label = resultLabel(slot.index);
    if (slot.current.isSet())
      explainAxes(value, link.result);
    explanation.values.push_back(std::move(value));
  }
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

ExplainedSide ShardingExplainer::sideOf(const propagate::Conflict &conflict,
                                        const propagate::ConflictSide &side) {
  ExplainedSide explained;
  explained.id = idOf(side.slot);
  explained.value = nameOf(side.slot);
  if (conflict.node != kNoNode && graph->nodes[conflict.node].kind == propagate::NodeKind::Op) {
    // The value as the op names it: in a loop, several share a sharding.
    const Node &node = graph->nodes[conflict.node];
    explained.id = ProgramNames::idOf(
        side.tensor < node.numOperands ? node.op->getOperand(side.tensor)
                                       : Value(node.op->getResult(side.tensor - node.numOperands)));
    explained.value = names.nameOf(explained.id);
  }
  explained.dim = side.dim;
  explained.sharding = graph->slots[side.slot].current.get()
                           ? graph->slots[side.slot].current.get()->sharding
                           : core::Sharding();
  explained.axes = core::toString(side.axes, graph->meshes[conflict.mesh].mesh);
  const Slot &slot = graph->slots[side.slot];
  bool isAnnotated = slot.storage == SlotStorage::FuncResult
                         ? resultAnnotations.count(slot.index) > 0
                         : annotations.count(idOf(side.slot)) > 0;
  SlotId origin = kNoSlot;
  if (!side.axes.empty())
    origin = history->originOf(side.slot, side.axes.front());
  else if (isAnnotated)
    origin = side.slot;
  if (origin != kNoSlot)
    explained.origin = annotationOf(origin, nullptr);
  return explained;
}

ExplainedConflict ShardingExplainer::explained(const propagate::Conflict &conflict) {
  ExplainedConflict result;
  if (conflict.node == kNoNode) {
    Operation *function = graph->slots[graph->funcResultLinks[conflict.funcResult].result].op;
    result.opNumber = ProgramNames::numberOf(
        cast<func::FuncOp>(function).getBody().front().getTerminator()->getLoc());
    result.op = "return";
  } else {
    result.opNumber = ProgramNames::numberOf(graph->nodes[conflict.node].op->getLoc());
    result.op = names.opName(result.opNumber);
  }
  result.place = names.placeOf(result.opNumber);
  result.source = names.sourceOf(result.opNumber);
  result.winnerAxes = conflict.winner.axes;
  result.loserAxes = conflict.loser.axes;
  result.wantedDim = conflict.wantedDim;
  result.winner = sideOf(conflict, conflict.winner);
  result.loser = sideOf(conflict, conflict.loser);
  writeConflictTexts(conflict, *trace, result);
  return result;
}

void ShardingExplainer::explainConflicts() {
  for (const propagate::Conflict &conflict : propagate::findConflicts(*graph, *trace, *history))
    explanation.conflicts.push_back(explained(conflict));
}

void ShardingExplainer::propagated(const propagate::PropagationGraph &propagatedGraph,
                                   const propagate::PropagationTrace &propagationTrace) {
  graph = &propagatedGraph;
  trace = &propagationTrace;
  history = std::make_unique<propagate::AxisHistory>(*graph, *trace);
  collectInstances();
  collectWritten();
  explainValues();
  explainConflicts();
  collectCauses();
  history.reset();
}

} // namespace shardwise::explain
