// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding conflicts in final shardings, and the rule that decided each.

#include "shardwise/transforms/propagate/Conflicts.h"

#include "shardwise/transforms/propagate/OpPriorities.h"

#include <algorithm>
#include <tuple>

namespace shardwise::transforms {

namespace {

using core::Axis;
using core::FactorIndex;
using propagation::FactorEntry;
using propagation::PropagationDirection;
using propagation::ShardingProjection;

/// An op, or the link between a returned value and a function result.
struct Place {
  NodeId node = kNoNode;
  int32_t funcResult = -1;
  const core::ShardingRule *rule = nullptr;
  bool isElementwise = false;
  std::vector<SlotId> slots;
};

bool isPrefixRelated(std::span<const Axis> a, std::span<const Axis> b) {
  return core::isPrefixOf(a, b) || core::isPrefixOf(b, a);
}

/// The first axis of `longer` that `shorter`, a prefix of it, lacks or has only a part of.
Axis missingAxis(std::span<const Axis> shorter, std::span<const Axis> longer) {
  size_t i = 0;
  while (i < shorter.size() && shorter[i] == longer[i])
    ++i;
  return longer[i];
}

class ConflictFinder {
public:
  ConflictFinder(const PropagationGraph &graph, const PropagationTrace &trace,
                 const AxisHistory &history)
      : graph(graph), trace(trace), history(history) {}

  std::vector<Conflict> find() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
      const Node &node = graph.nodes[id];
      // Edges of manual computations show other shardings than they store.
      if (node.isErased || node.kind == NodeKind::None || !node.rule || node.hasEdgeTransform)
        continue;
      Place place{id, -1, node.rule, node.isElementwise, {}};
      llvm::append_range(place.slots, graph.operandsOf(node));
      llvm::append_range(place.slots, graph.resultsOf(node));
      examine(place);
    }
    for (auto [number, link] : llvm::enumerate(graph.funcResultLinks))
      examine(
          {kNoNode, static_cast<int32_t>(number), link.rule, false, {link.returned, link.result}});
    return std::move(conflicts);
  }

private:
  void examine(const Place &place);
  void examineFactor(const Place &place, FactorIndex factor);
  bool findObstacle(const Place &place, const FactorEntry &entry, const FactorEntry &source,
                    Conflict &conflict) const;
  ConflictSide sideOf(const Place &place, const FactorEntry &entry,
                      std::span<const Axis> axes) const;
  Precedence precedenceOf(const Place &place, const Conflict &conflict) const;
  Precedence precedenceInStep(const Place &place, const Conflict &conflict) const;
  int levelOf(const Place &place, FactorIndex factor) const;

  const PropagationGraph &graph;
  const PropagationTrace &trace;
  const AxisHistory &history;
  ShardingProjection projection;
  std::vector<const core::Sharding *> shardings;
  MeshId mesh = kNoMesh;
  std::vector<Conflict> conflicts;
};

void ConflictFinder::examine(const Place &place) {
  shardings.clear();
  mesh = kNoMesh;
  for (SlotId slot : place.slots) {
    const SlotSharding *current = slot == kNoSlot ? nullptr : graph.slots[slot].current.get();
    bool hasMesh = current && !graph.meshes[current->mesh].mesh.isEmpty();
    shardings.push_back(hasMesh ? &current->sharding : nullptr);
    if (!hasMesh)
      continue;
    if (mesh != kNoMesh && graph.meshes[mesh].sameAs != graph.meshes[current->mesh].sameAs)
      return; // Nothing was ever compared.
    mesh = current->mesh;
  }
  if (mesh == kNoMesh)
    return;
  projection.fill(*place.rule, shardings);
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor)
    examineFactor(place, factor);
}

void ConflictFinder::examineFactor(const Place &place, FactorIndex factor) {
  auto entries = projection.entriesOf(factor);
  auto axesOf = [&](ShardingProjection::EntryIndex i) {
    return projection.axes(projection.entry(i));
  };
  if (entries.size() < 2)
    return;
  auto loser = *std::max_element(entries.begin(), entries.end(), [&](auto a, auto b) {
    return core::shardedSize(axesOf(a)) < core::shardedSize(axesOf(b));
  });
  std::span<const Axis> axes = axesOf(loser);
  if (axes.empty())
    return;
  const FactorEntry &source = projection.entry(loser);
  bool hasOtherAxes = false;
  bool isCapped = false;
  for (auto i : entries) {
    hasOtherAxes |= !isPrefixRelated(axesOf(i), axes);
    isCapped |= place.isElementwise && projection.entry(i).tensor >= projection.numOperands() &&
                core::isStrictPrefixOf(axesOf(i), axes);
  }
  for (auto i : entries) {
    const FactorEntry &entry = projection.entry(i);
    bool isOther = !isPrefixRelated(axesOf(i), axes);
    bool lacks = core::isStrictPrefixOf(axesOf(i), axes);
    // Of several consequences of one cause, the first is reported.
    bool isConsequence =
        lacks && (hasOtherAxes || (isCapped && entry.tensor < projection.numOperands()));
    if (i == loser || place.slots[entry.tensor] == kNoSlot || (!isOther && !lacks) || isConsequence)
      continue;
    Conflict conflict;
    conflict.node = place.node;
    conflict.funcResult = place.funcResult;
    conflict.factor = static_cast<int32_t>(factor);
    conflict.mesh = mesh;
    conflict.wantedDim = entry.dim;
    conflict.loser = sideOf(place, source, axes);
    if (isOther) {
      conflict.obstacle = Obstacle::OtherAxes;
      conflict.winner = sideOf(place, entry, axesOf(i));
    } else if (!findObstacle(place, entry, source, conflict)) {
      continue;
    }
    conflict.precedence = precedenceOf(place, conflict);
    conflicts.push_back(std::move(conflict));
  }
}

/// Fills in what keeps the axes of `source` from `entry`.
bool ConflictFinder::findObstacle(const Place &place, const FactorEntry &entry,
                                  const FactorEntry &source, Conflict &conflict) const {
  std::span<const Axis> present = projection.axes(entry);
  Axis axis = missingAxis(present, projection.axes(source));
  conflict.winner = sideOf(place, entry, present);
  conflict.loser = sideOf(place, source, {&axis, 1});
  auto is = [&](Obstacle obstacle) {
    conflict.obstacle = obstacle;
    return true;
  };
  if (place.rule->isBlocked(entry.factor))
    return is(Obstacle::Blocked);
  if (core::overlaps({&axis, 1}, projection.replicated(entry.tensor)))
    return is(Obstacle::Replicated);
  if (core::overlaps({&axis, 1}, projection.unreduced(entry.tensor)))
    return is(Obstacle::Unreduced);
  bool isStrided = false;
  for (auto i = projection.firstEntry(entry.tensor); i < projection.firstEntry(entry.tensor + 1);
       ++i) {
    const FactorEntry &other = projection.entry(i);
    if (other.factor == entry.factor)
      continue;
    for (std::span<const Axis> taken : {projection.axes(other), projection.overflow(other)})
      for (const Axis &there : taken)
        if (core::overlaps(there, axis)) {
          conflict.winner = sideOf(place, other, {&there, 1});
          return is(Obstacle::OtherDimension);
        }
    bool isMoreMajor = other.dim == entry.dim && &other < &entry;
    isStrided |= isMoreMajor &&
                 core::shardedSize(projection.axes(other)) < place.rule->factorSizes[other.factor];
  }
  if (entry.overflow.size > 0)
    return is(Obstacle::Uneven);
  if (entry.isClosed)
    return is(Obstacle::Closed);
  if (isStrided)
    return is(Obstacle::Strided);
  if (!entry.isMinorMost &&
      place.rule->factorSizes[entry.factor] % (core::shardedSize(present) * axis.size) != 0)
    return is(Obstacle::Uneven);
  return is(Obstacle::Direction);
}

ConflictSide ConflictFinder::sideOf(const Place &place, const FactorEntry &entry,
                                    std::span<const Axis> axes) const {
  ConflictSide side;
  side.slot = place.slots[entry.tensor];
  side.tensor = entry.tensor;
  side.dim = entry.dim;
  side.axes.assign(axes.begin(), axes.end());
  if (!axes.empty())
    if (auto arrivals = history.arrivals(side.slot, axes.front()); !arrivals.empty())
      side.arrival = arrivals.front().event;
  return side;
}

/// Level of the schedule at which `factor` may first move in the op.
int ConflictFinder::levelOf(const Place &place, FactorIndex factor) const {
  if (place.node == kNoNode)
    return kFirstOpPriority;
  for (int level = kFirstOpPriority; level < kLastOpPriority; ++level) {
    OpDirections directions = directionsAt(level, graph.nodes[place.node]);
    bool isPassThrough = place.rule->kind(factor) == core::FactorKind::PassThrough;
    if ((isPassThrough ? directions.passThrough : directions.other) != PropagationDirection::None)
      return level;
  }
  return kLastOpPriority;
}

/// Both factors could move in the step that brought the winner: the order of factors decided.
Precedence ConflictFinder::precedenceInStep(const Place &place, const Conflict &conflict) const {
  auto sizeOf = [&](int32_t tensor) {
    double size = 1;
    for (auto i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i)
      size *= static_cast<double>(place.rule->factorSizes[projection.entry(i).factor]);
    return size;
  };
  double winner = sizeOf(conflict.winner.arrival->sourceTensor);
  double loser = sizeOf(conflict.loser.tensor);
  if (winner > loser)
    return Precedence::LargerSource;
  if (place.isElementwise &&
      core::shardedSize(conflict.winner.axes) > core::shardedSize(conflict.loser.axes))
    return Precedence::MoreDevices;
  return Precedence::SourceOrder;
}

Precedence ConflictFinder::precedenceOf(const Place &place, const Conflict &conflict) const {
  const TraceEvent *winner = conflict.winner.arrival;
  const TraceEvent *loser = conflict.loser.arrival;
  if (conflict.obstacle != Obstacle::OtherDimension || !winner || !loser)
    return Precedence::None;
  if (winner->kind == TraceEventKind::Annotation)
    return Precedence::Annotated;
  const PropagationStage &winnerStage = trace.stageOf(*winner);
  const PropagationStage &loserStage = trace.stageOf(*loser);
  if (winnerStage.userPriority < loserStage.userPriority)
    return Precedence::UserPriority;
  if (!winnerStage.opPriority)
    return Precedence::ProgramOrder;
  // The loser could pass here from this level on.
  int level = levelOf(place, conflict.factor);
  if (loser->time > winner->time)
    level = std::max(level, loserStage.opPriority.value_or(kFirstOpPriority));
  if (*winnerStage.opPriority < level && winnerStage.userPriority == loserStage.userPriority)
    return Precedence::OpPriority;
  bool isSameStep = winner->kind == TraceEventKind::Move && loser->time < winner->time &&
                    trace.steps[winner->step].node == place.node && place.node != kNoNode;
  return isSameStep ? precedenceInStep(place, conflict) : Precedence::ProgramOrder;
}

} // namespace

std::vector<Conflict> findConflicts(const PropagationGraph &graph, const PropagationTrace &trace,
                                    const AxisHistory &history) {
  return ConflictFinder(graph, trace, history).find();
}

} // namespace shardwise::transforms
