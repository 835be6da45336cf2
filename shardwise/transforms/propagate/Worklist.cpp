// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worklist.
//
// Why a round ends
//
// The measure of a value group is how much of the mesh the dimensions of its sharding have: per
// dimension the number of parts that its axes cut it into and, of equal numbers, how many axes of
// size 1 it has (propagation/Growth.h).
//
// 1. The measure has a bound. The axes of a sharding do not overlap, so the parts of all dimensions
//    multiply to at most the number of devices, and no axis of size 1 occurs twice.
// 2. A step only adds. A factor takes an axis list of which its own is a strict prefix
//    (`ShardingProjection::expand`), and that list is the prefix of what one tensor has, so no
//    dimension of a tensor that a step updates has less than before, and one has more. Two kinds
//    of update are exceptions, and `runStep` drops them where they would repeat:
//    a. An axis that a factor took may be minor to a factor that is not sharded completely. Then
//       the sharding stays as it is, but takes the name of the common mesh. A value group does this
//       once.
//    b. The target of an edge into or out of a manual computation stores another sharding than the
//       step sees: manual axes are put before the free ones, or taken away. Where parts of a manual
//       axis come after a free one, taking them away takes the free one along. That needs parts
//       that no sharding of the computation mentions: sdy-manual-axes-cleanup, if it ran, leaves
//       only those without a name. Example without it: with "m" manual of size 6 and
//       `[{"d", ?}], unreduced={"m":(1)2}` at the argument, a source `[{"d", "m":(2)3}]` makes the
//       target `[{"d", "m":(2)3, ?}]` from outside, so `[{?}]` from inside; the op in the body that
//       uses it gives "d" back, and so on for ever. Only growth is stored: here the argument keeps
//       `[{"d", ?}]`.
// 3. Members of a sharding group have one sharding from the first change of one of them on, as each
//    change is copied to all. So a copy takes nothing away but once per member and round.
// 4. Results of an op that had no shardings get open ones when one of them gets axes: once per
//    value group.
//
// By 2 to 4 every store but a bounded number of them makes the measure of a value group larger and
// none smaller, so by 1 there are finitely many. An op gets onto the stack at the start of a round,
// after a store, or when a user of its result is erased as dead, which is once per op. So the stack
// runs empty. There are two rounds at most for each level of op priority and each user priority; a
// priority that comes up replaces shardings, but each does so once.

#include "shardwise/transforms/propagate/Worklist.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/propagation/Growth.h"
#include "shardwise/rules/ShardingRules.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardwise::propagate {

using propagation::PropagationDirection;
using propagation::TensorUpdate;

namespace {

PropagationDirection toDirection(sdy::PropagationDirection direction) {
  switch (direction) {
  case sdy::PropagationDirection::None:
    return PropagationDirection::None;
  case sdy::PropagationDirection::Forward:
    return PropagationDirection::Forward;
  case sdy::PropagationDirection::Backward:
    return PropagationDirection::Backward;
  case sdy::PropagationDirection::Both:
    return PropagationDirection::Both;
  }
  llvm_unreachable("four directions");
}

/// Whether the rule of `op` follows from the shape of its result and the number of its operands:
/// all have this shape. Most ops of a program are such, and to make a rule, and to look whether it
/// is known, takes longer than to ask.
bool isPointwise(mlir::Operation *op) {
  if (!rules::hasPointwiseRule(op) || op->getNumOperands() == 0 || op->getNumResults() != 1)
    return false;
  auto shapeOf = [](mlir::Value value) {
    return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  };
  mlir::RankedTensorType result = shapeOf(op->getResult(0));
  return result && llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           mlir::RankedTensorType type = shapeOf(operand);
           return type && type.getShape() == result.getShape();
         });
}

/// Whether at most one op besides `op` uses `value`.
bool hasAtMostOneOtherUser(mlir::Value value, mlir::Operation *op) {
  mlir::Operation *other = nullptr;
  for (mlir::Operation *user : value.getUsers()) {
    if (user == op || user == other)
      continue;
    if (other)
      return false;
    other = user;
  }
  return true;
}

} // namespace

void Worklist::runRound(const RoundOptions &options) {
  linkFuncResults(options);
  fillStack();
  while (!stack.empty()) {
    NodeId id = stack.back();
    stack.pop_back();
    isOnStack[id] = false;
    const Node &node = graph.nodes()[id];
    if (node.isErased || (isFirstRound && eraseIfDead(node)))
      continue;
    visit(id, options);
  }
  linkFuncResults(options);
  isFirstRound = false;
}

void Worklist::linkFuncResults(const RoundOptions &options) {
  for (auto [number, link] : llvm::enumerate(graph.funcResultLinks())) {
    NodeStep input;
    input.funcResult = static_cast<int32_t>(number);
    input.operands = link.returned;
    input.results = link.result;
    input.rule = link.rule;
    input.directions = kBothDirections;
    runStep(input, options.strategy, Notify::Nobody);
  }
}

void Worklist::fillStack() {
  // The last op first, so that popping yields program order. After the first round, which looks
  // for dead ops, only ops that can propagate matter.
  for (NodeId id = static_cast<NodeId>(graph.nodes().size()) - 1; id >= 0; --id)
    if (isFirstRound || graph.nodes()[id].takesPart())
      push(id);
}

void Worklist::push(NodeId id) {
  if (isOnStack[id] || id == currentNode || graph.nodes()[id].isErased)
    return;
  isOnStack[id] = true;
  stack.push_back(id);
}

void Worklist::pushDependents(ValueGroupId group) {
  for (NodeId id : graph.dependentsOf(group))
    push(id);
}

bool Worklist::eraseIfDead(const Node &node) {
  if (!mlir::isOpTriviallyDead(node.op))
    return false;
  releaseOperands(node.op);
  graph.erase(node.op);
  return true;
}

/// Ops of regions go first, the last one of a block first, so that uses by ops of the same region
/// do not keep alive what they use.
void Worklist::releaseOperands(mlir::Operation *op) {
  for (mlir::Region &region : llvm::reverse(op->getRegions()))
    for (mlir::Block &block : llvm::reverse(region))
      for (mlir::Operation &nested : llvm::reverse(block))
        releaseOperands(&nested);
  for (mlir::Value operand : op->getOperands())
    if (mlir::Operation *definer = operand.getDefiningOp())
      if (hasAtMostOneOtherUser(operand, op) && graph.nodeOf(definer) != kNoNode)
        push(graph.nodeOf(definer));
  op->dropAllReferences();
}

const core::ShardingRule *Worklist::ruleOf(NodeId id) {
  const Node &node = graph.nodes()[id];
  if (node.ruleLookup != RuleLookup::Pending)
    return node.rule;
  const core::ShardingRule **ofAlike = nullptr;
  if (node.kind == NodeKind::Op && isPointwise(node.op)) {
    ofAlike = &pointwiseRules[{node.op->getResult(0).getType(), node.op->getNumOperands()}];
    if (*ofAlike) {
      graph.setSharedRule(id, *ofAlike);
      return *ofAlike;
    }
  }
  std::optional<core::ShardingRule> rule;
  if (node.kind == NodeKind::Op) {
    rule = rules::shardingRule(node.op, {isConservative});
    if (!rule)
      unknownOps.warnIfUnknown(node.op);
  } else {
    auto type = mlir::dyn_cast<mlir::ShapedType>(node.op->getResult(0).getType());
    if (type && type.hasStaticShape()) {
      std::vector<int64_t> shape(type.getShape());
      rule = core::pointwiseRule(shape, node.numOperands, 1);
    }
  }
  const core::ShardingRule *found = graph.setRule(id, std::move(rule));
  if (ofAlike)
    *ofAlike = found;
  return found;
}

std::optional<Worklist::NodeStep> Worklist::inputOf(const Node &node, const RoundOptions &options) {
  if (!node.takesPart())
    return std::nullopt;
  NodeStep input;
  input.isConservative = isConservative && node.kind == NodeKind::Op;
  if (node.hasEdgeTransform)
    input.transformedEdge = &node;
  if (node.kind == NodeKind::Barrier) {
    PropagationDirection direction =
        toDirection(mlir::cast<sdy::PropagationBarrierOp>(node.op).getAllowedDirection());
    input.directions = {direction, direction};
  } else {
    input.directions =
        options.opPriority ? directionsAt(*options.opPriority, node) : kBothDirections;
  }
  if (input.directions.isNone())
    return std::nullopt;
  input.operands = graph.operandsOf(node);
  input.results = graph.resultsOf(node);
  input.isElementwise = node.isElementwise;
  return input;
}

bool Worklist::hasNothingNew(const Node &node, const Memory &memory, const NodeStep &input,
                             const RoundOptions &options) const {
  if (!memory.isValid || memory.strategy != options.strategy ||
      memory.directions != input.directions)
    return false;
  auto isOld = [&](ValueGroupId group) {
    return group == kNoValueGroup || graph.valueGroups()[group].version <= memory.clock;
  };
  return llvm::all_of(input.operands, isOld) && llvm::all_of(input.results, isOld);
}

void Worklist::visit(NodeId id, const RoundOptions &options) {
  const Node &node = graph.nodes()[id];
  std::optional<NodeStep> input = inputOf(node, options);
  if (!input || hasNothingNew(node, memories[id], *input, options))
    return;
  input->rule = ruleOf(id);
  if (!input->rule)
    return;
  currentNode = id;
  bool changed = runStep(*input, options.strategy, Notify::Dependents);
  currentNode = kNoNode;
  memories[id] = {graph.clock(), options.strategy, input->directions, /*isValid=*/!changed};
}

MeshId Worklist::commonMesh() const {
  MeshId common = kNoMesh;
  for (const MeshSharding *sharding : inputs) {
    if (!sharding || !sharding->isSet() || graph.meshes()[sharding->mesh].mesh.isEmpty())
      continue;
    if (common == kNoMesh)
      common = sharding->mesh;
    else if (graph.meshes()[common].sameAs != graph.meshes()[sharding->mesh].sameAs)
      return kNoMesh;
  }
  return common != kNoMesh && graph.meshes()[common].mesh.isMaximal() ? kNoMesh : common;
}

std::optional<StepsInVain::Key> Worklist::keyOf(const NodeStep &input,
                                                propagation::FactorStrategy strategy) const {
  if (input.transformedEdge)
    return std::nullopt;
  uint64_t options = 0;
  for (uint64_t option : {uint64_t(strategy), uint64_t(input.directions.passThrough),
                          uint64_t(input.directions.other), uint64_t(input.isElementwise),
                          uint64_t(input.isConservative), uint64_t(input.operands.size())})
    options = options << 8 | option;
  return StepsInVain::keyOf(input.rule, options, inputs);
}

bool Worklist::runStep(const NodeStep &input, propagation::FactorStrategy strategy, Notify notify) {
  inputs.clear();
  for (ValueGroupId group : input.operands)
    inputs.push_back(group == kNoValueGroup ? nullptr : graph.valueGroups()[group].current.get());
  for (ValueGroupId group : input.results)
    inputs.push_back(group == kNoValueGroup ? nullptr : graph.valueGroups()[group].current.get());
  MeshSharding shownByEdge;
  if (input.transformedEdge && inputs.back() && inputs.back()->isSet()) {
    shownByEdge =
        transformed(*input.transformedEdge, *inputs.back(), sdy::EdgeTransform::BeforePropagation);
    inputs.back() = &shownByEdge;
  }
  std::optional<StepsInVain::Key> key = keyOf(input, strategy);
  if (key && stepsInVain.contains(*key))
    return false;
  MeshId mesh = commonMesh();
  if (mesh == kNoMesh)
    return false;

  tensors.clear();
  for (const MeshSharding *sharding : inputs)
    tensors.push_back(sharding && sharding->isSet()
                          ? propagation::TensorSharding{&sharding->sharding, sharding->mesh == mesh}
                          : propagation::TensorSharding{});
  std::span<const propagation::TensorSharding> all(tensors);
  propagation::StepInput step{graph.meshes()[mesh].mesh, *input.rule,
                              all.first(input.operands.size()), all.last(input.results.size())};
  step.strategy = strategy;
  step.isElementwise = input.isElementwise;
  step.isConservative = input.isConservative;
  step.direction = input.directions.passThrough;
  if (input.directions.passThrough != input.directions.other) {
    factorDirections.clear();
    for (core::FactorIndex factor = 0; factor < input.rule->numFactors(); ++factor)
      factorDirections.push_back(input.rule->kind(factor) == core::FactorKind::PassThrough
                                     ? input.directions.passThrough
                                     : input.directions.other);
    step.factorDirections = factorDirections;
  }

  bool changed = false;
  int64_t numOperands = static_cast<int64_t>(input.operands.size());
  std::vector<TensorUpdate> updates = propagation::propagate(step, buffers);
  if (key && updates.empty())
    stepsInVain.add(*key);
  MeshSharding throughEdge;
  // The edge shows axes that its target does not store, as they are manual: a step, but no change.
  bool isShown = false;
  if (input.transformedEdge && !updates.empty() && updates.back().tensor >= numOperands) {
    MeshSharding shown{mesh, updates.back().sharding};
    throughEdge = grownThroughEdge(*input.transformedEdge, input.results.front(), std::move(shown));
    isShown = !throughEdge.isSet();
    if (isShown)
      updates.pop_back();
  }
  auto groupOf = [&](const TensorUpdate &update) {
    return update.tensor < numOperands ? input.operands[update.tensor]
                                       : input.results[update.tensor - numOperands];
  };
  std::erase_if(updates, [&](const TensorUpdate &update) {
    return changesMeshAgain(groupOf(update), mesh, update.sharding);
  });
  if (trace && (isShown || !updates.empty()))
    record(input, mesh, updates);
  for (TensorUpdate &update : updates) {
    ValueGroupId group = groupOf(update);
    if (group == kNoValueGroup)
      continue;
    MeshSharding sharding{mesh, std::move(update.sharding)};
    if (input.transformedEdge && update.tensor >= numOperands)
      sharding = std::move(throughEdge);
    store(group, std::move(sharding), notify);
    changed = true;
  }
  return changed;
}

MeshSharding Worklist::grownThroughEdge(const Node &edge, ValueGroupId target, MeshSharding shown) {
  MeshSharding proposed = transformed(edge, shown, sdy::EdgeTransform::AfterPropagation);
  const MeshSharding &old = graph.valueGroups()[target].current;
  if (!old.isSet())
    return proposed;
  auto grown = propagation::growthOf(old.sharding, std::move(proposed.sharding));
  return grown ? MeshSharding{proposed.mesh, std::move(*grown)} : MeshSharding();
}

bool Worklist::changesMeshAgain(ValueGroupId groupId, MeshId mesh, const core::Sharding &sharding) {
  if (groupId == kNoValueGroup)
    return false;
  const MeshSharding &old = graph.valueGroups()[groupId].current;
  if (!old.isSet() || old.mesh == mesh || old.sharding != sharding)
    return false;
  return graph.noteMeshChange(groupId);
}

void Worklist::record(const NodeStep &input, MeshId mesh, std::span<const TensorUpdate> updates) {
  std::vector<ValueGroupId> groups(input.operands.begin(), input.operands.end());
  groups.insert(groups.end(), input.results.begin(), input.results.end());
  TraceStep step;
  step.node = currentNode;
  step.funcResult = input.funcResult;
  step.mesh = mesh;
  trace->addStep(step, buffers.projection, updates, groups);
}

void Worklist::store(ValueGroupId group, MeshSharding sharding, Notify notify) {
  int32_t shardingGroup = graph.shardingGroupOf(group);
  if (shardingGroup >= 0)
    for (ValueGroupId member : graph.shardingGroups()[shardingGroup])
      if (member != group) {
        if (trace)
          trace->copyInShardingGroup(group, member, sharding.sharding);
        graph.assign(member, sharding);
      }
  graph.assign(group, std::move(sharding));
  if (notify == Notify::Nobody)
    return;
  pushDependents(group);
  if (shardingGroup >= 0)
    for (ValueGroupId member : graph.shardingGroups()[shardingGroup])
      if (member != group)
        pushDependents(member);
}

MeshSharding Worklist::transformed(const Node &edge, const MeshSharding &sharding,
                                   sdy::EdgeTransform transform) {
  mlir::Value owner = edge.op->getOperand(0);
  mlir::Operation *op = owner.getDefiningOp();
  if (!op)
    op = mlir::cast<mlir::BlockArgument>(owner).getOwner()->getParentOp();
  auto flow = mlir::cast<sdy::ShardableDataFlowOpInterface>(op);
  auto attr = mlir::cast<sdy::TensorShardingAttr>(graph.toAttribute(sharding));
  return graph.resolveOwn(flow.transformTargetSharding(owner, attr, transform));
}

} // namespace shardwise::propagate
