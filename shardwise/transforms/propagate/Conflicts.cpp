// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding conflicts in final shardings, and the rule that decided each.
//
// Two values of an op agree on a factor if the axes of one are a prefix of the other's. For each
// factor, the value that is cut into most parts along it is the *loser*, and every other value with
// this factor is held against it:
//
//   1. Neither list is a prefix of the other: both want the factor for other axes, `OtherAxes`.
//   2. The value has a strict prefix of the loser's axes: the next axis did not get there.
//      `findObstacle` says what stopped it.
//   3. Else they agree.
//
// Example: `([i, k], [k, j])->([i, j])` with operands %a `[{"x"}, {}]` and %b `[{}, {"x"}]` of one
// size gives %c `[{"x", ?}, {?}]`. All agree on i. On j the loser is %b, and %c lacks "x" since it
// has it on dimension 0: `OtherDimension`, with %c's "x" as the winner.
//
// Which rule let the winner win is only asked of `OtherDimension`, where two axes met. It is told
// from when both arrived: at which user priority, at which level of the op-priority schedule, and
// in which step.

#include "shardwise/transforms/propagate/Conflicts.h"

#include "shardwise/transforms/propagate/OpPriorities.h"
#include "shardwise/transforms/propagate/StepsInVain.h"

#include <algorithm>
#include <tuple>

namespace shardwise::propagate {

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
  std::vector<ValueGroupId> groups;
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

/// One factor per dimension, shared by operand and result.
core::ShardingRule identityRule(mlir::Type type) {
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  std::vector<int64_t> shape;
  if (shaped && shaped.hasStaticShape())
    shape = shaped.getShape();
  return core::pointwiseRule(shape, 1, 1);
}

class ConflictFinder {
public:
  ConflictFinder(const PropagationGraph &graph, const PropagationTrace &trace,
                 const AxisHistory &history)
      : graph(graph), trace(trace), history(history) {}

  std::vector<Conflict> find() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
      const Node &node = graph.nodes()[id];
      // Edges of manual computations show other shardings than they store.
      if (node.isErased || !node.takesPart() || node.hasEdgeTransform)
        continue;
      Place place{id, -1, node.rule, node.isElementwise, {}};
      // A barrier that lets nothing pass was never asked for its rule.
      core::ShardingRule identity;
      if (!node.rule && node.kind == NodeKind::Barrier) {
        identity = identityRule(node.op->getOperand(0).getType());
        place.rule = &identity;
      }
      if (!place.rule)
        continue;
      llvm::append_range(place.groups, graph.operandsOf(node));
      llvm::append_range(place.groups, graph.resultsOf(node));
      examine(place);
    }
    for (auto [number, link] : llvm::enumerate(graph.funcResultLinks()))
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
  Precedence precedenceAtOneLevel(const Place &place, const Conflict &conflict) const;
  Precedence precedenceInStep(const Place &place, const Conflict &conflict) const;
  int levelOf(const Place &place, const Conflict &conflict) const;
  bool couldMove(OpDirections directions, const Place &place, const Conflict &conflict) const;

  const PropagationGraph &graph;
  const PropagationTrace &trace;
  const AxisHistory &history;
  ShardingProjection projection;
  std::vector<const MeshSharding *> current;
  std::vector<const core::Sharding *> shardings;
  MeshId mesh = kNoMesh;
  /// What agrees, by rule, shardings, and whether the op is element-wise.
  StepsInVain agreeing;
  std::vector<Conflict> conflicts;
};

void ConflictFinder::examine(const Place &place) {
  current.clear();
  for (ValueGroupId group : place.groups)
    current.push_back(group == kNoValueGroup ? nullptr : graph.valueGroups()[group].current.get());
  // The identity that stands for the rule of a barrier is not kept.
  std::optional<StepsInVain::Key> key;
  if (place.node == kNoNode || graph.nodes()[place.node].rule)
    key = StepsInVain::keyOf(place.rule, place.isElementwise, current);
  if (key && agreeing.contains(*key))
    return;
  shardings.clear();
  mesh = kNoMesh;
  for (const MeshSharding *sharding : current) {
    bool hasMesh = sharding && !graph.meshes()[sharding->mesh].mesh.isEmpty();
    shardings.push_back(hasMesh ? &sharding->sharding : nullptr);
    if (!hasMesh)
      continue;
    if (mesh != kNoMesh && graph.meshes()[mesh].sameAs != graph.meshes()[sharding->mesh].sameAs)
      return; // Nothing was ever compared.
    mesh = sharding->mesh;
  }
  // On a mesh of one device, the shardings have no dimensions.
  if (mesh == kNoMesh || graph.meshes()[mesh].mesh.isMaximal())
    return;
  projection.fill(*place.rule, shardings);
  size_t numBefore = conflicts.size();
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor)
    examineFactor(place, factor);
  if (key && conflicts.size() == numBefore)
    agreeing.add(*key);
}

void ConflictFinder::examineFactor(const Place &place, FactorIndex factor) {
  auto entries = projection.entriesOf(factor);
  auto axesOf = [&](ShardingProjection::EntryIndex i) {
    return projection.axes(projection.entry(i));
  };
  if (entries.size() < 2)
    return;
  // Of equals the first, operands before results.
  auto loser = *std::max_element(entries.begin(), entries.end(), [&](auto a, auto b) {
    return core::shardedSize(axesOf(a)) < core::shardedSize(axesOf(b));
  });
  std::span<const Axis> axes = axesOf(loser);
  if (axes.empty())
    return;
  const FactorEntry &source = projection.entry(loser);
  // One cause stops axes at several values. Where values disagree, the axes that all could take end
  // before, and an operand of an element-wise op gets no axes that a result does not have.
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
    if (i == loser || place.groups[entry.tensor] == kNoValueGroup || (!isOther && !lacks) ||
        isConsequence)
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

/// Fills in what keeps the axes of `source` from `entry`. Asked first is what holds for the op and
/// for the axis on this value, then what holds for the dimension. What remains is that the axis was
/// not let through.
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
    // Entries of a tensor lie in the order of its dimensions, major factors first.
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
  side.group = place.groups[entry.tensor];
  side.tensor = entry.tensor;
  side.dim = entry.dim;
  side.axes.assign(axes.begin(), axes.end());
  if (!axes.empty())
    if (auto arrivals = history.arrivals(side.group, axes.front()); !arrivals.empty())
      side.arrival = arrivals.front().event;
  return side;
}

/// Whether the loser's axes can move from its value at `directions`.
bool ConflictFinder::couldMove(OpDirections directions, const Place &place,
                               const Conflict &conflict) const {
  PropagationDirection direction =
      place.rule->kind(conflict.factor) == core::FactorKind::PassThrough ? directions.passThrough
                                                                         : directions.other;
  bool isOperand = conflict.loser.tensor < projection.numOperands();
  return direction == PropagationDirection::Both ||
         direction == (isOperand ? PropagationDirection::Forward : PropagationDirection::Backward);
}

/// Level of the schedule at which the loser's axes may first move through the op.
int ConflictFinder::levelOf(const Place &place, const Conflict &conflict) const {
  if (place.node == kNoNode)
    return kFirstOpPriority;
  int level = kFirstOpPriority;
  while (level < kLastOpPriority &&
         !couldMove(directionsAt(level, graph.nodes()[place.node]), place, conflict))
    ++level;
  return level;
}

/// Both factors could move in the step that brought the winner: the order of factors decided.
Precedence ConflictFinder::precedenceInStep(const Place &place, const Conflict &conflict) const {
  uint32_t time = conflict.winner.arrival->time;
  auto sizeOf = [&](int32_t tensor) {
    double size = 1;
    for (auto i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i)
      size *= static_cast<double>(place.rule->factorSizes[projection.entry(i).factor]);
    return size;
  };
  // The largest tensor that had the axis before the step, and the axes it has on the factor.
  struct Source {
    double size = 0;
    int64_t numShards = 1;
  };
  auto sourceOf = [&](FactorIndex factor, const Axis &axis) {
    Source source;
    for (auto i : projection.entriesOf(factor)) {
      const FactorEntry &entry = projection.entry(i);
      if (!core::overlaps(projection.axes(entry), {&axis, 1}) ||
          history.arrivals(place.groups[entry.tensor], axis, time).empty())
        continue;
      source.size = std::max(source.size, sizeOf(entry.tensor));
      source.numShards = std::max(source.numShards, core::shardedSize(projection.axes(entry)));
    }
    return source;
  };
  // A step goes through factors by the size of their largest source. If the loser's is larger, it
  // was not this order that decided.
  Source winner = sourceOf(conflict.winner.arrival->factor, conflict.winner.axes.front());
  Source loser = sourceOf(conflict.factor, conflict.loser.axes.front());
  if (winner.size != loser.size)
    return winner.size > loser.size ? Precedence::LargerSource : Precedence::ProgramOrder;
  if (place.isElementwise && winner.numShards > loser.numShards)
    return Precedence::MoreDevices;
  return Precedence::SourceOrder;
}

Precedence ConflictFinder::precedenceOf(const Place &place, const Conflict &conflict) const {
  const TraceEvent *winner = conflict.winner.arrival;
  const TraceEvent *loser = conflict.loser.arrival;
  if (conflict.obstacle != Obstacle::OtherDimension || !winner || !loser)
    return Precedence::None;
  // In the order in which layers are nested: the outermost in which the two differ decided.
  if (winner->kind == TraceEventKind::Annotation || winner->kind == TraceEventKind::Agreement)
    return Precedence::Annotated;
  const PropagationStage &winnerStage = trace.stageOf(*winner);
  const PropagationStage &loserStage = trace.stageOf(*loser);
  if (winnerStage.userPriority < loserStage.userPriority)
    return Precedence::UserPriority;
  if (!winnerStage.opPriority)
    return precedenceAtOneLevel(place, conflict);
  // The loser could pass here from this level on.
  int level = levelOf(place, conflict);
  // If its axes came to its own value only after the winner's, it had to wait for these, too.
  if (loser->time > winner->time)
    level = std::max(level, loserStage.opPriority.value_or(kFirstOpPriority));
  return *winnerStage.opPriority < level ? Precedence::OpPriority
                                         : precedenceAtOneLevel(place, conflict);
}

/// Of what takes part at the same time, the op that is visited first decides: this one, if it
/// brought the winner when the loser's axes were there, else the one that brought it earlier.
Precedence ConflictFinder::precedenceAtOneLevel(const Place &place,
                                                const Conflict &conflict) const {
  const TraceEvent *winner = conflict.winner.arrival;
  bool isSameStep = winner->kind == TraceEventKind::Move &&
                    conflict.loser.arrival->time < winner->time &&
                    trace.steps[winner->step].node == place.node && place.node != kNoNode;
  return isSameStep ? precedenceInStep(place, conflict) : Precedence::ProgramOrder;
}

} // namespace

std::string toString(Obstacle obstacle) {
  switch (obstacle) {
  case Obstacle::OtherDimension:
    return "other_dimension";
  case Obstacle::OtherAxes:
    return "other_axes";
  case Obstacle::Closed:
    return "closed";
  case Obstacle::Replicated:
    return "replicated";
  case Obstacle::Unreduced:
    return "unreduced";
  case Obstacle::Uneven:
    return "uneven";
  case Obstacle::Strided:
    return "strided";
  case Obstacle::Blocked:
    return "blocked";
  case Obstacle::Direction:
    return "direction";
  }
  return "";
}

std::string toString(Precedence precedence) {
  switch (precedence) {
  case Precedence::None:
    return "none";
  case Precedence::Annotated:
    return "annotated";
  case Precedence::UserPriority:
    return "user_priority";
  case Precedence::OpPriority:
    return "op_priority";
  case Precedence::LargerSource:
    return "larger_source";
  case Precedence::MoreDevices:
    return "more_devices";
  case Precedence::SourceOrder:
    return "source_order";
  case Precedence::ProgramOrder:
    return "program_order";
  }
  return "";
}

std::vector<Conflict> findConflicts(const PropagationGraph &graph, const PropagationTrace &trace,
                                    const AxisHistory &history) {
  return ConflictFinder(graph, trace, history).find();
}

} // namespace shardwise::propagate
