// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What users wrote, and which ops make values depend on it: annotations, and operands that are
// sharded where their op sums or needs all.

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/explain/ExplainShardings.h"
#include "shardwise/explain/JaxNames.h"
#include "shardwise/transforms/import/MainFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;

namespace shardwise::explain {

using propagate::kNoSlot;
using propagate::Node;
using propagate::Slot;
using propagate::SlotId;
using propagate::SlotStorage;

namespace {

std::string writtenText(sdy::TensorShardingAttr sharding) {
  return core::toString(sdy::toCore(sharding));
}

/// What an op does with a dimension that it sums over, in a word that says which op it is about.
const char *verbOf(const std::string &op) {
  if (op == "dot_general")
    return "contracts";
  if (op == "convolution")
    return "sums over";
  if (op == "gather")
    return "picks from";
  if (op == "scatter")
    return "scatters along";
  return "reduces";
}

} // namespace

void ShardingExplainer::collectWritten() {
  int64_t number = -1;
  written.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == written)
      return;
    ++number;
    auto note = [&](ValueId id, sdy::TensorShardingAttr sharding) {
      if (sharding)
        annotations[id] = writtenText(sharding);
    };
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (int32_t i = 0; i < static_cast<int32_t>(function.getNumArguments()); ++i)
        note({number, 0, i}, sdy::getFuncArgSharding(function, i));
      if (op == importer::mainFunctionOrNull(written))
        for (unsigned i = 0; i < function.getNumResults(); ++i)
          if (auto sharding = sdy::getFuncResultSharding(function, i))
            resultAnnotations[i] = writtenText(sharding);
      return;
    }
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      for (auto [i, sharding] : llvm::enumerate(manual.getInShardings().getShardings()))
        note({number, 0, static_cast<int32_t>(i)}, sharding);
      for (auto [i, sharding] : llvm::enumerate(manual.getOutShardings().getShardings()))
        note({number, -1, static_cast<int32_t>(i)}, sharding);
      return;
    }
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op))
      return note({number, -1, 0}, constraint.getSharding());
    for (auto [i, sharding] : llvm::enumerate(sdy::getResultShardings(op)))
      note({number, -1, static_cast<int32_t>(i)}, sharding);
  });
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

/// What the user's source calls a result; a number alone says nothing new.
std::string ShardingExplainer::resultLabel(int32_t index) const {
  std::string name = resultName(importer::mainFunctionOrNull(written), index);
  return name.find('\'') == std::string::npos ? "" : "result" + name;
}

/// Tells what the user wrote on the value that `slot` stands for. If it is a constraint that was
/// copied to its input, a link for that is added to `explained`, unless that is null.
ExplainedAnnotation ShardingExplainer::annotationOf(SlotId slotId, ExplainedAxis *explained) {
  const Slot &slot = graph->slots[slotId];
  ExplainedAnnotation annotation;
  if (slot.storage == SlotStorage::FuncResult) {
    annotation.what = fmt::format("result {}", slot.index);
    annotation.value = names.nameOf(idOf(slotId));
    annotation.text = lookUp(resultAnnotations, slot.index);
    annotation.place = names.placeOf(ProgramNames::numberOf(slot.op->getLoc()));
    annotation.label = resultLabel(slot.index);
    annotation.resultIndex = slot.index;
    return annotation;
  }
  ValueId id = idOf(slotId);
  annotation.id = id;
  annotation.value = names.nameOf(id);
  annotation.place = names.placeOf(id);
  annotation.source = id.region < 0 ? names.sourceOf(id.op) : "";
  annotation.label = names.labelOf(id);
  auto text = annotations.find(id);
  Operation *op = slot.op;
  if (text != annotations.end()) {
    annotation.text = text->second;
    Operation *owner = op;
    if (auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op))
      owner = edge.getInput().getDefiningOp() ? edge.getInput().getDefiningOp()
                                              : edge.getInput().getParentBlock()->getParentOp();
    if (isa<sdy::ManualComputationOp>(owner))
      annotation.what = fmt::format("{}_shardings[{}] of manual computation",
                                    id.region < 0 ? "out" : "in", id.index);
    else if (isa<sdy::ShardingConstraintOp>(owner))
      annotation.what = "constraint";
    else if (id.region >= 0)
      annotation.what = fmt::format("argument {}", id.index);
    else
      annotation.what = "annotation of " + names.opName(id.op);
    return annotation;
  }
  // Nothing is written on the value, so a constraint on it was copied there, or a call was inlined.
  if (isa<sdy::ShardingConstraintOp>(op)) {
    annotation.what = "annotation of a function, at its call";
    annotation.text = shardingText(slotId);
    return annotation;
  }
  Value value = slot.storage == SlotStorage::FuncArgument
                    ? Value(cast<func::FuncOp>(op).getArgument(slot.index))
                    : Value(op->getResult(slot.index));
  for (Operation *user : value.getUsers()) {
    auto constraint = dyn_cast<sdy::ShardingConstraintOp>(user);
    if (!constraint || graph->slotOf(constraint.getResult()) == kNoSlot)
      continue;
    SlotId source = graph->slotOf(constraint.getResult());
    ExplainedAnnotation bound = annotationOf(source, nullptr);
    if (explained) {
      ExplainedLink link;
      link.kind = "constraint";
      link.value = annotation.value;
      link.from = bound.value;
      link.dim = link.fromDim =
          explained->links.empty() ? explained->dim : explained->links.back().fromDim;
      link.op = "sharding_constraint";
      link.place = bound.place;
      explained->links.push_back(link);
    }
    return bound;
  }
  for (OpOperand &use : value.getUses())
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(use.getOwner())) {
      ValueId argument{ProgramNames::numberOf(manual.getLoc()), 0,
                       static_cast<int32_t>(use.getOperandNumber())};
      annotation.what =
          fmt::format("in_shardings[{}] of manual computation", use.getOperandNumber());
      auto written = annotations.find(argument);
      annotation.text = written == annotations.end() ? shardingText(slotId) : written->second;
      annotation.place = names.placeOf(argument.op);
      return annotation;
    }
  annotation.what = "annotation of " + names.opName(id.op);
  annotation.text = shardingText(slotId);
  return annotation;
}

//===----------------------------------------------------------------------===//
// Causes
//===----------------------------------------------------------------------===//

void ShardingExplainer::collectCauses() {
  for (const Node &node : graph->nodes) {
    if (node.isErased || !node.rule)
      continue;
    const core::ShardingRule &rule = *node.rule;
    if (rule.reduction.empty() && rule.needReplication.empty() && rule.permutation.empty() &&
        rule.blockedPropagation.empty())
      continue;
    for (int32_t operand = 0; operand < node.numOperands; ++operand)
      collectCauses(node, operand);
  }
}

void ShardingExplainer::collectCauses(const Node &node, int32_t operand) {
  SlotId slot = graph->operandsOf(node)[operand];
  if (slot == kNoSlot || !graph->slots[slot].current.isSet())
    return;
  const propagate::SlotSharding &current = graph->slots[slot].current;
  for (auto [d, dim] : llvm::enumerate(current.sharding.dims)) {
    if (dim.axes.empty())
      continue;
    core::FactorIndex factor = node.rule->operands[operand][d].front();
    core::FactorKind kind = node.rule->kind(factor);
    if (kind == core::FactorKind::PassThrough && !node.rule->isBlocked(factor))
      continue;
    Cause cause;
    cause.kind = kind == core::FactorKind::Reduction ? Cause::Sum : Cause::WholeDimension;
    cause.op = ProgramNames::numberOf(node.op->getLoc());
    cause.value = ProgramNames::idOf(node.op->getOperand(operand));
    cause.dim = static_cast<int64_t>(d);
    cause.axes = dim.axes;
    meshOfCauses = graph->meshes[current.mesh].mesh;
    cause.origin = originNumber(slot, dim.axes.front());
    causes[cause.op].push_back(std::move(cause));
  }
}

int64_t ShardingExplainer::originNumber(SlotId slot, const core::Axis &axis) {
  SlotId origin = history->originOf(slot, axis);
  if (origin == kNoSlot)
    return -1;
  auto [known, isNew] = originOfSlot.try_emplace(origin, static_cast<int64_t>(origins.size()));
  if (isNew)
    origins.push_back(annotationOf(origin, nullptr));
  return known->second;
}

const Cause *ShardingExplainer::sumAt(int64_t op, const core::AxisList &axes) const {
  auto found = causes.find(op);
  const Cause *best = nullptr;
  if (found == causes.end())
    return best;
  for (const Cause &cause : found->second) {
    if (cause.kind != Cause::Sum)
      continue;
    if (core::overlaps(cause.axes, axes))
      return &cause;
    best = best ? best : &cause;
  }
  return best;
}

const Cause *ShardingExplainer::wholeDimensionAt(int64_t op, const ValueId &value) const {
  auto found = causes.find(op);
  if (found == causes.end())
    return nullptr;
  for (const Cause &cause : found->second)
    if (cause.kind == Cause::WholeDimension && cause.value == value)
      return &cause;
  return nullptr;
}

std::string ShardingExplainer::textOf(const Cause &cause) const {
  std::string op = names.opName(cause.op);
  return fmt::format("{} {} dimension {} of {}, which is on {}", op,
                     cause.kind == Cause::Sum ? verbOf(op) : "needs all of", cause.dim,
                     names.nameOf(cause.value), core::toString(cause.axes, meshOfCauses));
}

const ExplainedAnnotation &ShardingExplainer::originOf(const Cause &cause) const {
  static const ExplainedAnnotation none;
  return cause.origin < 0 ? none : origins[cause.origin];
}

} // namespace shardwise::explain
