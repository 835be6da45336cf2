// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are explained, and the chains of their axes.
//
// The history of propagation tells how an axis came to a value group: a list of arrivals that ends
// at an annotation. A value group is not always what the user sees, so links are added at the ends:
//
//   the value is in the value group of another one, in a loop or branch    `Shared` in front
//   the annotation is a copy of a closed constraint                        `Constraint` behind

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/explain/ExplainShardings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace shardwise::explain {

using propagate::Arrival;
using propagate::AxisChain;
using propagate::kNoNode;
using propagate::kNoValueGroup;
using propagate::TraceEvent;
using propagate::TraceEventKind;
using propagate::ValueGroup;
using propagate::ValueGroupId;

namespace {

TensorRole roleOf(int32_t tensor, int32_t numOperands) {
  bool isResult = tensor >= numOperands;
  return {isResult, isResult ? tensor - numOperands : tensor};
}

/// The place of `factor` in a tensor of a rule.
int64_t dimOf(const core::ShardingRule &rule, int32_t tensor, core::FactorIndex factor) {
  int32_t numOperands = static_cast<int32_t>(rule.operands.size());
  const core::TensorMapping &mapping =
      tensor < numOperands ? rule.operands[tensor] : rule.results[tensor - numOperands];
  auto position = core::findFactor(mapping, factor);
  return position ? position->dim : 0;
}

class ValueExplainer {
public:
  ValueExplainer(PropagatedProgram &program, const ExplainOptions &options,
                 Explanation &explanation)
      : program(program), graph(program.graph), options(options), explanation(explanation) {}

  void explainAll();

private:
  void explainAnnotated();
  void explainEveryValue();
  void explainResults();
  void explain(const ValueId &id);
  void describe(ExplainedValue &value, ValueGroupId group);
  Absence absenceOf(const ValueId &id) const;

  void addAxes(ExplainedValue &value, ValueGroupId group);
  void addOrigin(ExplainedValue &value, ValueGroupId group, int64_t dim, const core::Axis &axis);
  void addChains(ExplainedValue &value, ValueGroupId group, int64_t dim, const core::Axis &axis);
  void addLinks(ExplainedAxis &explained, const AxisChain &chain);
  ExplainedLink linkOf(const Arrival &arrival);
  int32_t numberOf(const core::ShardingRule &rule);
  bool isAsked(const core::Axis &axis, const core::Mesh &mesh, int64_t dim) const {
    return (!options.dim || *options.dim == dim) &&
           (!options.axis || mesh.axes()[axis.index].name == *options.axis);
  }
  const core::Mesh &meshOf(ValueGroupId group) const {
    const propagate::MeshSharding &current = graph.valueGroups()[group].current;
    return graph.meshes()[current.mesh].mesh;
  }

  PropagatedProgram &program;
  const propagate::PropagationGraph &graph;
  const ExplainOptions &options;
  Explanation &explanation;
  llvm::DenseMap<const core::ShardingRule *, int32_t> ruleNumbers;
  int64_t numLinks = 0;
};

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

/// Equal rules are one object of the graph, and many links go through the same few: each is told
/// once.
int32_t ValueExplainer::numberOf(const core::ShardingRule &rule) {
  auto [known, isNew] =
      ruleNumbers.try_emplace(&rule, static_cast<int32_t>(explanation.rules.size()));
  if (isNew)
    explanation.rules.push_back(rule);
  return known->second;
}

ExplainedLink ValueExplainer::linkOf(const Arrival &arrival) {
  const TraceEvent &event = *arrival.event;
  const propagate::PropagationStage &stage = program.trace.stageOf(event);
  ExplainedLink link;
  link.kind = event.kind == TraceEventKind::Move ? LinkKind::Op : LinkKind::Group;
  link.value = program.groups.refOf(event.target);
  link.from = program.groups.refOf(event.source);
  link.step = event.step;
  link.userPriority = stage.userPriority;
  link.opPriority = stage.opPriority;
  if (link.kind == LinkKind::Group)
    return link;
  const propagate::TraceStep &step = program.trace.steps[event.step];
  bool isReturn = step.node == kNoNode;
  const core::ShardingRule &rule =
      *(isReturn ? graph.funcResultLinks()[step.funcResult].rule : graph.nodes()[step.node].rule);
  int32_t numOperands = isReturn ? 1 : graph.nodes()[step.node].numOperands;
  link.op = program.groups.opOf(step.node, step.funcResult);
  link.place = program.names.placeOf(link.op.number);
  link.role = roleOf(event.targetTensor, numOperands);
  link.fromRole = roleOf(event.sourceTensor, numOperands);
  link.dim = event.targetDim;
  link.fromDim = dimOf(rule, event.sourceTensor, event.factor);
  link.factor = event.factor;
  link.rule = numberOf(rule);
  return link;
}

void ValueExplainer::addLinks(ExplainedAxis &explained, const AxisChain &chain) {
  auto dimSoFar = [&] {
    return explained.links.empty() ? explained.dim : explained.links.back().fromDim;
  };
  for (const Arrival &arrival : chain.links) {
    // The annotation is the origin, no link.
    if (arrival.event->kind == TraceEventKind::Annotation)
      continue;
    ExplainedLink link = linkOf(arrival);
    // A copy within a sharding group keeps the dimension.
    if (link.kind == LinkKind::Group)
      link.dim = link.fromDim = dimSoFar();
    explained.links.push_back(std::move(link));
  }
  explained.origin = program.annotations.of(chain.origin);
  if (program.annotations.constraintCopiedTo(chain.origin) == kNoValueGroup)
    return;
  ExplainedLink link;
  link.kind = LinkKind::Constraint;
  link.value = {program.groups.idOf(chain.origin)};
  link.from = {explained.origin.value};
  link.dim = link.fromDim = dimSoFar();
  link.place = explained.origin.place;
  explained.links.push_back(std::move(link));
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

void ValueExplainer::addOrigin(ExplainedValue &value, ValueGroupId group, int64_t dim,
                               const core::Axis &axis) {
  ExplainedAxis explained{core::toRef(axis, meshOf(group)), dim, {}, {}};
  if (ValueGroupId origin = program.history.originOf(group, axis); origin != kNoValueGroup)
    explained.origin = program.annotations.of(origin);
  value.axes.push_back(std::move(explained));
}

void ValueExplainer::addChains(ExplainedValue &value, ValueGroupId group, int64_t dim,
                               const core::Axis &axis) {
  ValueRef ref = program.groups.refOf(group);
  // The history is told of the value that the value group is named after. Another value of the
  // group flows into it, in a loop or branch.
  bool isShared = program.names.nameOf(value.value) != program.names.nameOf(ref);
  for (const AxisChain &chain : program.history.chains(group, axis)) {
    ExplainedAxis explained{core::toRef(chain.links.front().axis, meshOf(group)), dim, {}, {}};
    if (isShared) {
      ExplainedLink link;
      link.kind = LinkKind::Shared;
      link.value = value.value;
      link.from = ref;
      link.dim = link.fromDim = dim;
      explained.links.push_back(std::move(link));
    }
    addLinks(explained, chain);
    numLinks += static_cast<int64_t>(explained.links.size());
    value.axes.push_back(std::move(explained));
  }
}

void ValueExplainer::addAxes(ExplainedValue &value, ValueGroupId group) {
  const propagate::MeshSharding &current = graph.valueGroups()[group].current;
  for (size_t d = 0; d < current.sharding.dims.size(); ++d) {
    auto dim = static_cast<int64_t>(d);
    for (const core::Axis &axis : current.sharding.dims[d].axes) {
      if (!isAsked(axis, meshOf(group), dim))
        continue;
      // The summary shows where axes come from, not the way.
      if (options.which == ExplainedValues::Annotated ||
          options.which == ExplainedValues::Origins || numLinks >= options.mostLinks)
        addOrigin(value, group, dim, axis);
      else
        addChains(value, group, dim, axis);
    }
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Absence ValueExplainer::absenceOf(const ValueId &id) const {
  if (!program.groups.instances().count(id.op))
    return Absence::Removed;
  return id.isOpResult() ? Absence::NoTensor : Absence::InsideOp;
}

/// Fills in what is known of every value with a value group: its sharding beside what is written.
void ValueExplainer::describe(ExplainedValue &value, ValueGroupId group) {
  value.sharding = program.groups.shardingOf(group);
  const core::WrittenSharding *annotation = program.written.of(value.value);
  value.isAnnotated = annotation != nullptr;
  value.isAsWritten = annotation && value.sharding && *annotation == *value.sharding;
}

void ValueExplainer::explain(const ValueId &id) {
  ValueGroupId group = program.groups.groupOf(id);
  if (group == kNoValueGroup && options.which != ExplainedValues::Asked)
    return;
  ExplainedValue value;
  value.value = {id};
  if (group == kNoValueGroup) {
    value.absence = absenceOf(id);
    value.isAnnotated = program.written.of({id}) != nullptr;
    explanation.values.push_back(std::move(value));
    return;
  }
  describe(value, group);
  // A function that is called several times was inlined at each call; the first stands for all.
  const std::vector<Operation *> &ops = program.groups.instances().at(id.op);
  value.numInstances = static_cast<int64_t>(ops.size());
  Value made = id.isOpResult() ? Value(ops.front()->getResult(id.index))
                               : Value(ops.front()->getRegion(id.region).getArgument(id.index));
  value.type = made.getType();
  if (const propagate::MeshSharding *current = graph.valueGroups()[group].current.get()) {
    // On a mesh of one device, the shardings have no dimensions.
    auto tensor = dyn_cast<RankedTensorType>(value.type);
    if (tensor && current->sharding.dims.size() == static_cast<size_t>(tensor.getRank()))
      value.localType =
          tensor.clone(core::localShape(core::Shape(tensor.getShape()), current->sharding));
    addAxes(value, group);
  }
  explanation.values.push_back(std::move(value));
}

void ValueExplainer::explainAnnotated() {
  for (const auto &[id, sharding] : program.written.onValues())
    if (program.groups.groupOf(id) != kNoValueGroup)
      explain(id);
}

void ValueExplainer::explainEveryValue() {
  for (const auto &[number, ops] : program.groups.instances()) {
    Operation *op = ops.front();
    if (number < 0 || isa<sdy::MeshOp>(op))
      continue;
    for (int32_t r = 0; r < static_cast<int32_t>(op->getNumRegions()); ++r)
      for (int32_t i = 0; i < static_cast<int32_t>(op->getRegion(r).getNumArguments()); ++i)
        explain({number, r, i});
    for (int32_t i = 0; i < static_cast<int32_t>(op->getNumResults()); ++i)
      explain({number, -1, i});
  }
}

/// Results of the program have shardings of their own.
void ValueExplainer::explainResults() {
  for (const propagate::FuncResultLink &link : graph.funcResultLinks()) {
    const ValueGroup &group = graph.valueGroups()[link.result];
    ExplainedValue value;
    value.value = program.groups.refOf(link.result);
    describe(value, link.result);
    value.type = cast<func::FuncOp>(group.op).getResultTypes()[group.index];
    if (group.current.isSet())
      addAxes(value, link.result);
    explanation.values.push_back(std::move(value));
  }
}

void ValueExplainer::explainAll() {
  switch (options.which) {
  case ExplainedValues::Asked:
    for (const ValueId &id : options.values)
      explain(id);
    return;
  case ExplainedValues::All:
  case ExplainedValues::Origins:
    explainEveryValue();
    break;
  case ExplainedValues::Annotated:
    explainAnnotated();
    break;
  }
  explainResults();
}

} // namespace

void explainValues(PropagatedProgram &program, const ExplainOptions &options,
                   Explanation &explanation) {
  ValueExplainer(program, options, explanation).explainAll();
}

} // namespace shardwise::explain
