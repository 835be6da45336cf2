// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worklist.
//
// Why a sweep ends
//
// The measure of a slot is how much of the mesh the dimensions of its sharding have: per dimension
// the number of parts that its axes cut it into and, of equal numbers, how many axes of size 1 it
// has (propagation/Growth.h).
//
// 1. The measure has a bound. The axes of a sharding do not overlap, so the parts of all dimensions
//    multiply to at most the number of devices, and no axis of size 1 occurs twice.
// 2. A step only adds. A factor takes an axis list of which its own is a strict prefix
//    (`ShardingProjection::expand`), and that list is the prefix of what one tensor has, so no
//    dimension of a tensor that a step updates has less than before, and one has more. Two kinds
//    of update are exceptions, and `runStep` drops them where they would repeat:
//    a. An axis that a factor took may be minor to a factor that is not sharded completely. Then
//       the sharding stays as it is, but takes the name of the common mesh. A slot does this once.
//    b. The target of an edge into or out of a manual computation stores another sharding than the
//       step sees: manual axes are put before the free ones, or taken away. Where parts of a manual
//       axis come after a free one, taking them away takes the free one along. Example: with "m"
//       manual of size 6 and `[{"d", ?}], unreduced={"m":(1)2}` at the argument, a source
//       `[{"d", "m":(2)3}]` makes the target `[{"d", "m":(2)3, ?}]` from outside, so `[{?}]` from
//       inside; the op in the body that uses it gives "d" back, and so on for ever. Only growth is
//       stored: here the argument keeps `[{"d", ?}]`.
// 3. Members of a sharding group have one sharding from the first change of one of them on, as each
//    change is copied to all. So a copy takes nothing away but once per member and sweep.
// 4. Results of an op that had no shardings get open ones when one of them gets axes: once per
// slot.
//
// By 2 to 4 every store but a bounded number of them makes the measure of a slot larger and none
// smaller, so by 1 there are finitely many. An op gets onto the stack at the start of a sweep,
// after a store, or when a user of its result is erased as dead, which is once per op. So the stack
// runs empty. There are two sweeps at most for each level of op priority and each user priority; a
// priority that comes up replaces shardings, but each does so once.

#include "shardwise/transforms/propagate/Sweep.h"

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

void Sweeper::sweep(const SweepOptions &options) {
  linkFuncResults(options);
  fillStack();
  while (!stack.empty()) {
    NodeId id = stack.back();
    stack.pop_back();
    isOnStack[id] = false;
    Node &node = graph.nodes[id];
    if (node.isErased || (isFirstSweep && eraseIfDead(node)))
      continue;
    visit(id, options);
  }
  linkFuncResults(options);
  isFirstSweep = false;
}

void Sweeper::linkFuncResults(const SweepOptions &options) {
  for (auto [number, link] : llvm::enumerate(graph.funcResultLinks)) {
    StepInput input;
    input.funcResult = static_cast<int32_t>(number);
    input.operands = link.returned;
    input.results = link.result;
    input.rule = link.rule;
    input.directions = kBothDirections;
    runStep(input, options.strategy, /*notify=*/false);
  }
}

void Sweeper::fillStack() {
  // The last op first, so that popping yields program order. After the first sweep, which looks
  // for dead ops, only ops that can propagate matter.
  for (NodeId id = static_cast<NodeId>(graph.nodes.size()) - 1; id >= 0; --id)
    if (isFirstSweep || graph.nodes[id].kind != NodeKind::None)
      push(id);
}

void Sweeper::push(NodeId id) {
  if (isOnStack[id] || id == currentNode || graph.nodes[id].isErased)
    return;
  isOnStack[id] = true;
  stack.push_back(id);
}

void Sweeper::pushDependents(SlotId slot) {
  for (NodeId id : graph.dependentsOf(slot))
    push(id);
}

bool Sweeper::eraseIfDead(Node &node) {
  if (!mlir::isOpTriviallyDead(node.op))
    return false;
  releaseOperands(node.op);
  graph.erase(node.op);
  return true;
}

/// Ops of regions go first, the last one of a block first, so that uses by ops of the same region
/// do not keep alive what they use.
void Sweeper::releaseOperands(mlir::Operation *op) {
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

const core::ShardingRule *Sweeper::ruleOf(Node &node) {
  if (node.wasAskedForRule)
    return node.rule;
  node.wasAskedForRule = true;
  std::optional<core::ShardingRule> rule;
  if (node.kind == NodeKind::Op) {
    rule = rules::shardingRule(node.op, {isConservative});
    if (!rule && rules::isUnknownToShardingRules(node.op) &&
        warnedAbout.insert(node.op->getName().getStringRef()).second)
      node.op->emitWarning() << "shardings do not pass through '" << node.op->getName()
                             << "', which has no sharding rule; attach one as sdy.sharding_rule";
  } else {
    auto type = mlir::dyn_cast<mlir::ShapedType>(node.op->getResult(0).getType());
    if (type && type.hasStaticShape()) {
      std::vector<int64_t> shape(type.getShape());
      rule = core::pointwiseRule(shape, node.numOperands, 1);
    }
  }
  if (rule)
    node.rule = graph.share(std::move(*rule));
  return node.rule;
}

std::optional<Sweeper::StepInput> Sweeper::inputOf(Node &node, const SweepOptions &options) {
  StepInput input;
  switch (node.kind) {
  case NodeKind::None:
    return std::nullopt;
  case NodeKind::Op:
    input.isConservative = isConservative;
    break;
  case NodeKind::Edge:
    if (node.hasEdgeTransform)
      input.transformedEdge = &node;
    break;
  case NodeKind::FuncEdge:
  case NodeKind::Barrier:
    break;
  }
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

bool Sweeper::hasNothingNew(const Node &node, const Memory &memory, const StepInput &input,
                            const SweepOptions &options) const {
  if (!memory.isValid || memory.strategy != options.strategy ||
      memory.directions != input.directions)
    return false;
  auto isOld = [&](SlotId slot) {
    return slot == kNoSlot || graph.slots[slot].version <= memory.clock;
  };
  return llvm::all_of(input.operands, isOld) && llvm::all_of(input.results, isOld);
}

void Sweeper::visit(NodeId id, const SweepOptions &options) {
  Node &node = graph.nodes[id];
  std::optional<StepInput> input = inputOf(node, options);
  if (!input || hasNothingNew(node, memories[id], *input, options))
    return;
  input->rule = ruleOf(node);
  if (!input->rule) {
    // There never will be one.
    node.kind = NodeKind::None;
    return;
  }
  currentNode = id;
  bool changed = runStep(*input, options.strategy, /*notify=*/true);
  currentNode = kNoNode;
  memories[id] = {graph.clock, options.strategy, input->directions, /*isValid=*/!changed};
}

MeshId Sweeper::commonMesh() const {
  MeshId common = kNoMesh;
  for (const SlotSharding *sharding : inputs) {
    if (!sharding || !sharding->isSet() || graph.meshes[sharding->mesh].mesh.isEmpty())
      continue;
    if (common == kNoMesh)
      common = sharding->mesh;
    else if (graph.meshes[common].sameAs != graph.meshes[sharding->mesh].sameAs)
      return kNoMesh;
  }
  return common != kNoMesh && graph.meshes[common].mesh.isMaximal() ? kNoMesh : common;
}

bool Sweeper::runStep(const StepInput &input, propagation::Strategy strategy, bool notify) {
  inputs.clear();
  for (SlotId slot : input.operands)
    inputs.push_back(slot == kNoSlot ? nullptr : graph.slots[slot].current.get());
  for (SlotId slot : input.results)
    inputs.push_back(slot == kNoSlot ? nullptr : graph.slots[slot].current.get());
  SlotSharding shownByEdge;
  if (input.transformedEdge && inputs.back() && inputs.back()->isSet()) {
    shownByEdge = transformed(*input.transformedEdge, *inputs.back(), /*isBefore=*/true);
    inputs.back() = &shownByEdge;
  }
  MeshId mesh = commonMesh();
  if (mesh == kNoMesh)
    return false;

  tensors.clear();
  for (const SlotSharding *sharding : inputs)
    tensors.push_back(sharding && sharding->isSet()
                          ? propagation::TensorSharding{&sharding->sharding, sharding->mesh == mesh}
                          : propagation::TensorSharding{});
  std::span<const propagation::TensorSharding> all(tensors);
  propagation::PropagationStep step{graph.meshes[mesh].mesh, *input.rule,
                                    all.first(input.operands.size()),
                                    all.last(input.results.size())};
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
  SlotSharding throughEdge;
  if (input.transformedEdge && !updates.empty() && updates.back().tensor >= numOperands) {
    SlotSharding shown{mesh, updates.back().sharding};
    throughEdge = grownThroughEdge(*input.transformedEdge, input.results.front(), std::move(shown));
    if (!throughEdge.isSet())
      updates.pop_back();
  }
  auto slotOf = [&](const TensorUpdate &update) {
    return update.tensor < numOperands ? input.operands[update.tensor]
                                       : input.results[update.tensor - numOperands];
  };
  std::erase_if(updates, [&](const TensorUpdate &update) {
    return changesMeshAgain(slotOf(update), mesh, update.sharding);
  });
  if (trace && !updates.empty())
    record(input, mesh, updates);
  for (TensorUpdate &update : updates) {
    SlotId slot = slotOf(update);
    if (slot == kNoSlot)
      continue;
    SlotSharding sharding{mesh, std::move(update.sharding)};
    if (input.transformedEdge && update.tensor >= numOperands)
      sharding = std::move(throughEdge);
    store(slot, std::move(sharding), notify);
    changed = true;
  }
  return changed;
}

SlotSharding Sweeper::grownThroughEdge(const Node &edge, SlotId target, SlotSharding shown) {
  SlotSharding proposed = transformed(edge, shown, /*isBefore=*/false);
  const SlotSharding &old = graph.slots[target].current;
  if (!old.isSet())
    return proposed;
  auto grown = propagation::growthOf(old.sharding, std::move(proposed.sharding));
  return grown ? SlotSharding{proposed.mesh, std::move(*grown)} : SlotSharding();
}

bool Sweeper::changesMeshAgain(SlotId slotId, MeshId mesh, const core::Sharding &sharding) {
  if (slotId == kNoSlot)
    return false;
  Slot &slot = graph.slots[slotId];
  const SlotSharding &old = slot.current;
  if (!old.isSet() || old.mesh == mesh || old.sharding != sharding)
    return false;
  return std::exchange(slot.hasChangedMesh, true);
}

void Sweeper::record(const StepInput &input, MeshId mesh, std::span<const TensorUpdate> updates) {
  std::vector<SlotId> slots(input.operands.begin(), input.operands.end());
  slots.insert(slots.end(), input.results.begin(), input.results.end());
  TraceStep step;
  step.node = currentNode;
  step.funcResult = input.funcResult;
  step.mesh = mesh;
  trace->addStep(step, buffers.projection, updates, slots);
}

void Sweeper::store(SlotId slot, SlotSharding sharding, bool notify) {
  int32_t group = graph.groupOf(slot);
  if (group >= 0)
    for (SlotId member : graph.groups[group])
      if (member != slot) {
        if (trace)
          trace->copyInGroup(slot, member, sharding.sharding);
        graph.assign(member, sharding);
      }
  graph.assign(slot, std::move(sharding));
  if (!notify)
    return;
  pushDependents(slot);
  if (group >= 0)
    for (SlotId member : graph.groups[group])
      if (member != slot)
        pushDependents(member);
}

SlotSharding Sweeper::transformed(const Node &edge, const SlotSharding &sharding, bool isBefore) {
  mlir::Value owner = edge.op->getOperand(0);
  mlir::Operation *op = owner.getDefiningOp();
  if (!op)
    op = mlir::cast<mlir::BlockArgument>(owner).getOwner()->getParentOp();
  auto flow = mlir::cast<sdy::ShardableDataFlowOpInterface>(op);
  auto attr = mlir::cast<sdy::TensorShardingAttr>(graph.toAttribute(sharding));
  return graph.resolveOwn(flow.transformTargetSharding(
      owner, attr,
      isBefore ? sdy::EdgeTransform::BeforePropagation : sdy::EdgeTransform::AfterPropagation));
}

} // namespace shardwise::propagate
