// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One expansion move (Boykov, Veksler, Zabih, "Fast approximate energy minimization via graph
// cuts", 2001): every group and every op of the move keeps what it has, or takes what it is
// offered; of all 2^n mixtures the cheapest is found by one minimum cut.
//
// What a mixture costs:
//   1. each op, in its runs: what it costs by itself with its axes (costInOp);
//   2. each result: bringing it from where the op leaves it, by its axes, to where its group is.
//      The reduction of a partial sum is part of that;
//   3. each value and each different place where it is needed: bringing it there, once for all
//      uses that need it there; nothing if it was needed before in a place that it is a slice of.
// All of 1 depends on one label, and of 2 on two. In 3 a place that one op needs depends on two;
// one that several need has a node of its own between, for "somebody needs it".
// A cost of two labels can be cut if giving both the same label is not dearer than giving them
// different ones, in sum; costs of moves are nearly so, as a detour is not shorter than the way.
// Where they are not, the difference is left out of the cut, as are most slices of other places. So
// what the cut finds is priced again, and taken only if it is cheaper indeed.
//
// Example: `[{"x"}, {}]` came into a chain of ten element-wise ops that propagation placed
// `[{}, {"x"}]`, behind which `[{"x"}, {}]` is needed again. Going on with `[{"x"}, {}]` is offered
// to the first op, and grows to all ten. The cut that takes all offers crosses neither of the two
// all_to_alls.

#include "shardwise/transforms/reshard/ExpansionMove.h"

#include "shardwise/transforms/reshard/LabelNetwork.h"

#include <algorithm>

namespace shardwise::reshard {

using core::Sharding;
using Need = PlacementGraph::Need;

namespace {

/// Bytes that a device receives. A change that saves less is not worth it.
constexpr double kLeastGain = 16;

} // namespace

/// A place where a value is needed, by whom: always, if `isConstant`; by those in `ifKept` if they
/// keep what they have, by those in `ifTaken` if they take what they are offered.
struct ExpansionMove::PlaceNeeded {
  Placements::Id place;
  double timesRun = 0;
  bool isConstant = false;
  llvm::SmallVector<Node, 2> ifKept, ifTaken;
  /// Once the place is in the network: the nodes of "somebody who keeps", "who takes" needs it.
  Node anyKeeps = kNoNode, anyTakes = kNoNode;
};

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

/// How many bytes more a device has of a value of `group` at `offered` than where it is whole.
int64_t ExpansionMove::localBytesMore(const PlacementGraph::Group &group,
                                      const Sharding &offered) const {
  mlir::Value value = graph.values[group.values.front()].value;
  auto elementsAt = [&](const Sharding &placement) {
    return core::numElements(core::localShape(shapeOf(value), placement));
  };
  return (elementsAt(offered) - elementsAt(graph.placements.at(group.whole))) *
         elementBytesOf(value);
}

void ExpansionMove::offer(Index number, Placements::Id placement) {
  const PlacementGraph::Group &group = graph.groups[number];
  if (!group.mayMove)
    return;
  const Sharding &offered = graph.placements.at(placement);
  // Nobody holds less of rows of groups, and nothing is computed twice.
  if (graph.placements.hasOwnRows(placement)) {
    if (placement != group.placement && !group.isBorder && group.values.size() == 1)
      offeredPlacements.add(number, placement);
    return;
  }
  bool isPartial = offersPartialSums || (mayOfferPartialSums && !offered.unreduced.empty());
  if (isPartial) {
    if (group.isBorder)
      return;
    // What a loop carries is made larger only if there is room for that; else it is cut as the
    // whole value is.
    bool isLarger = group.values.size() > 1 &&
                    !haveEqualDims(offered, graph.placements.at(group.whole)) &&
                    localBytesMore(group, offered) > graph.rules.carriedBytes;
    if (offered.unreduced.empty() || offered.reduction != core::ReductionKind::Sum || isLarger)
      return;
  } else if (!offered.unreduced.empty()) {
    Sharding whole = offered;
    whole.unreduced.clear();
    placement = graph.placements.find(whole);
  }
  if (placement != group.placement && graph.mayBeAt(number, placement))
    offeredPlacements.add(number, placement);
}

void ExpansionMove::offerMode(Index op, OpModes::Id mode) {
  if (mode != OpModes::kNone && mode != graph.ops[op].mode)
    offeredModes.add(op, mode);
}

/// Every group and every op is offered something once; the first offer counts.
void ExpansionMove::growFrom(size_t maxOps) {
  size_t nextOp = 0, nextGroup = 0;
  while (true) {
    for (; nextOp < offeredModes.size(); ++nextOp) {
      auto [op, mode] = offeredModes.all()[nextOp];
      for (auto [value, implied] :
           llvm::zip_equal(graph.ops[op].tensors, graph.modes.mode(mode).implied))
        if (value != PlacementGraph::kNone && !graph.values[value].isFree)
          offer(graph.values[value].group, implied);
    }
    if (nextGroup == offeredPlacements.size() || offeredModes.size() >= maxOps)
      return;
    auto [number, placement] = offeredPlacements.all()[nextGroup++];
    const PlacementGraph::Group &group = graph.groups[number];
    bool isPartial = !graph.placements.at(placement).unreduced.empty();
    for (Index valueNumber : group.values) {
      const PlacementGraph::Value &value = graph.values[valueNumber];
      if (value.giver != PlacementGraph::kNone) {
        const PlacementGraph::Op &giver = graph.ops[value.giver];
        if (!isPartial)
          offerMode(value.giver,
                    graph.modes.following(
                        giver.mode, int64_t(giver.op->getNumOperands()) + value.result, placement));
        else if (graph.placements.hasOwnRows(placement))
          offerMode(value.giver, graph.modes.leavingRows(giver.mode, value.result, placement));
      }
      for (const Need &need : value.needs) {
        if (need.kind == Need::Kind::OfGroup)
          offer(need.index, placement);
        if (need.kind != Need::Kind::OfOp || offeredModes.contains(need.index))
          continue;
        OpModes::Id mode = graph.ops[need.index].mode;
        mode = isPartial ? graph.modes.passing(mode, need.operand, placement)
                         : graph.modes.following(mode, need.operand, placement);
        offerMode(need.index, mode);
      }
    }
    if (!isPartial)
      for (Index source : group.sources)
        offer(graph.values[source].group, placement);
  }
}

void ExpansionMove::grow(Index op, OpModes::Id mode, size_t maxOps) {
  offerMode(op, mode);
  growFrom(maxOps);
}

void ExpansionMove::growWithPartialSums(Index op, OpModes::Id mode, size_t maxOps) {
  mayOfferPartialSums = true;
  grow(op, mode, maxOps);
}

void ExpansionMove::growFromGroup(Index group, Placements::Id placement, size_t maxOps) {
  offer(group, placement);
  growFrom(maxOps);
}

void ExpansionMove::growPartialSums() {
  offersPartialSums = true;
  for (const PlacementGraph::Value &value : graph.values)
    if (value.giver != PlacementGraph::kNone) {
      const PlacementGraph::Op &giver = graph.ops[value.giver];
      // What may be rows of groups may go on through more than what is a sum of them.
      OpModes::Id ofRows = graph.modes.leavingRows(giver.mode);
      offerMode(value.giver, ofRows);
      OpModes::Id mode = ofRows == OpModes::kNone ? giver.mode : ofRows;
      offer(value.group,
            graph.modes.mode(mode).implied[giver.op->getNumOperands() + size_t(value.result)]);
    }
  growFrom(graph.ops.size());
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

Placements::Id ExpansionMove::placementOf(Index group, bool takes) const {
  if (takes)
    if (int32_t place = offeredPlacements.find(group); place != IndexMap::kNone)
      return offeredPlacements.all()[place].second;
  return graph.groups[group].placement;
}

Placements::Id ExpansionMove::impliedFor(Index op, int64_t tensor, bool takes) const {
  OpModes::Id mode = graph.ops[op].mode;
  if (takes)
    if (int32_t place = offeredModes.find(op); place != IndexMap::kNone)
      mode = offeredModes.all()[place].second;
  return graph.modes.mode(mode).implied[tensor];
}

/// Where a use wants its value if its op, or its group, takes what it is offered, or does not.
Placements::Id ExpansionMove::wanted(const Need &need, bool takes) const {
  switch (need.kind) {
  case Need::Kind::Fixed:
    break;
  case Need::Kind::OfGroup:
    return placementOf(need.index, takes);
  case Need::Kind::OfOp:
    return impliedFor(need.index, need.operand, takes);
  }
  return need.fixed;
}

/// What an op costs more by itself in the mode that it is offered, in all runs. Work that becomes
/// more counts as far as the machine says: devices must not all compute the same to save a few
/// bytes. What becomes less is not counted: ops that follow each other are fused and read less than
/// the sum of what they read.
double ExpansionMove::surplusOf(Index number) const {
  const PlacementGraph::Op &op = graph.ops[number];
  const OpCost &kept = graph.modeOf(op).cost;
  const OpCost &taken = graph.modes.mode(offeredModes.all()[offeredModes.find(number)].second).cost;
  return op.timesRun * (taken.received - kept.received +
                        std::max(0.0, taken.work - kept.work) * graph.addedWorkWeight);
}

/// What it costs that an op leaves a result in one place and its group is in another.
double ExpansionMove::costOfResult(Index number, int64_t tensor, bool opTakes, bool groupTakes) {
  const PlacementGraph::Op &op = graph.ops[number];
  const PlacementGraph::Value &value = graph.values[op.tensors[tensor]];
  return op.timesRun * graph.placements.cost(value.size, impliedFor(number, tensor, opTakes),
                                             placementOf(value.group, groupTakes));
}

void ExpansionMove::find(Touched &found) const {
  auto addValue = [&](Index value) {
    if (value != PlacementGraph::kNone && !graph.values[value].isFree)
      found.values.add(value);
  };
  for (const auto &[number, placement] : offeredPlacements.all()) {
    const PlacementGraph::Group &group = graph.groups[number];
    llvm::for_each(group.values, addValue);
    llvm::for_each(group.sources, addValue);
    for (Index value : group.values)
      if (Index giver = graph.values[value].giver; giver != PlacementGraph::kNone)
        found.givers.add(giver);
  }
  for (const auto &[number, offered] : offeredModes.all()) {
    llvm::for_each(llvm::ArrayRef(graph.ops[number].tensors)
                       .take_front(graph.ops[number].op->getNumOperands()),
                   addValue);
    found.givers.add(number);
  }
}

double ExpansionMove::costOf(const Labels &labels, const Touched &touched) {
  auto opTakes = [&](Index op) {
    int32_t place = offeredModes.find(op);
    return place != IndexMap::kNone && labels.ops[size_t(place)];
  };
  auto groupTakes = [&](Index group) {
    int32_t place = offeredPlacements.find(group);
    return place != IndexMap::kNone && labels.groups[size_t(place)];
  };
  double cost = 0;
  for (auto [number, unused] : touched.givers.all()) {
    const PlacementGraph::Op &op = graph.ops[number];
    bool takes = opTakes(number);
    if (takes)
      cost += surplusOf(number);
    for (size_t tensor = op.op->getNumOperands(); tensor < op.tensors.size(); ++tensor)
      if (Index result = op.tensors[tensor]; result != PlacementGraph::kNone)
        cost +=
            costOfResult(number, int64_t(tensor), takes, groupTakes(graph.values[result].group));
  }
  for (auto [number, unused] : touched.values.all()) {
    const PlacementGraph::Value &value = graph.values[number];
    Placements::Id placement = placementOf(value.group, groupTakes(value.group));
    Placements::Needed places;
    for (const Need &need : value.needs) {
      bool takes = need.kind == Need::Kind::OfOp      ? opTakes(need.index)
                   : need.kind == Need::Kind::OfGroup ? groupTakes(need.index)
                                                      : false;
      Placements::addNeeded(places, wanted(need, takes), need.timesRun);
    }
    cost += graph.placements.costOfAll(value.size, placement, places);
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

ExpansionMove::Node ExpansionMove::nodeOfGroup(Index group) const {
  int32_t place = offeredPlacements.find(group);
  return place == IndexMap::kNone ? kNoNode : LabelNetwork::kFirst + Node(place);
}

ExpansionMove::Node ExpansionMove::nodeOfOp(Index op) const {
  int32_t place = offeredModes.find(op);
  return place == IndexMap::kNone
             ? kNoNode
             : LabelNetwork::kFirst + Node(offeredPlacements.size()) + Node(place);
}

/// Adds what an op and the ways of its results to their groups cost.
void ExpansionMove::addOp(Index number, LabelNetwork &network) {
  const PlacementGraph::Op &op = graph.ops[number];
  Node ofOp = nodeOfOp(number);
  if (ofOp != kNoNode)
    network.add(ofOp, 0, surplusOf(number));
  for (size_t tensor = op.op->getNumOperands(); tensor < op.tensors.size(); ++tensor) {
    if (op.tensors[tensor] == PlacementGraph::kNone)
      continue;
    Node ofGroup = nodeOfGroup(graph.values[op.tensors[tensor]].group);
    auto cost = [&](bool opTakes, bool groupTakes) {
      return costOfResult(number, int64_t(tensor), opTakes, groupTakes);
    };
    if (ofOp == kNoNode && ofGroup != kNoNode)
      network.add(ofGroup, cost(false, false), cost(false, true));
    else if (ofOp != kNoNode && ofGroup == kNoNode)
      network.add(ofOp, cost(false, false), cost(true, false));
    else if (ofOp != kNoNode)
      network.add(ofOp, ofGroup, cost(false, false), cost(false, true), cost(true, false),
                  cost(true, true));
  }
}

/// Adds what it costs to bring a value to all places where it is needed.
void ExpansionMove::addNeeds(const PlacementGraph::Value &value, LabelNetwork &network) {
  // Most values are needed in a few places.
  llvm::SmallVector<PlaceNeeded, 4> places;
  auto placeOf = [&](Placements::Id place, double timesRun) -> PlaceNeeded & {
    auto known =
        llvm::find_if(places, [&](const PlaceNeeded &other) { return other.place == place; });
    if (known == places.end()) {
      known = &places.emplace_back();
      known->place = place;
    }
    known->timesRun = std::max(known->timesRun, timesRun);
    return *known;
  };
  for (const Need &need : value.needs) {
    // A value that a loop gives on as it is stays where it is.
    if (need.kind == Need::Kind::OfGroup && need.index == value.group)
      continue;
    Node node = need.kind == Need::Kind::OfOp      ? nodeOfOp(need.index)
                : need.kind == Need::Kind::OfGroup ? nodeOfGroup(need.index)
                                                   : kNoNode;
    Placements::Id kept = wanted(need, false), taken = wanted(need, true);
    if (node == kNoNode || kept == taken) {
      placeOf(kept, need.timesRun).isConstant = true;
      continue;
    }
    placeOf(kept, need.timesRun).ifKept.push_back(node);
    placeOf(taken, need.timesRun).ifTaken.push_back(node);
  }
  for (PlaceNeeded &needed : places) {
    auto before = llvm::ArrayRef(places).take_front(size_t(&needed - places.begin()));
    const PlaceNeeded *whole = llvm::find_if(before, [&](const PlaceNeeded &other) {
      return other.timesRun == needed.timesRun &&
             graph.placements.isSliceOf(needed.place, other.place);
    });
    if (whole == before.end() || !addSlice(value, needed, *whole, network))
      addPlace(value, needed, network);
  }
}

/// Adds a place that is a slice of `whole`, which was added before: it costs nothing where that is
/// needed. Returns false if that is not said by one label.
bool ExpansionMove::addSlice(const PlacementGraph::Value &value, const PlaceNeeded &slice,
                             const PlaceNeeded &whole, LabelNetwork &network) {
  if (whole.isConstant)
    return true;
  bool isOneLabel = (whole.anyKeeps == kNoNode) != (whole.anyTakes == kNoNode);
  if (!slice.isConstant || !isOneLabel || nodeOfGroup(value.group) != kNoNode)
    return false;
  double alone = slice.timesRun *
                 graph.placements.cost(value.size, placementOf(value.group, false), slice.place);
  if (whole.anyKeeps != kNoNode)
    network.add(whole.anyKeeps, 0, alone);
  else
    network.add(whole.anyTakes, alone, 0);
  return true;
}

void ExpansionMove::addPlace(const PlacementGraph::Value &value, PlaceNeeded &needed,
                             LabelNetwork &network) {
  Node ofGroup = nodeOfGroup(value.group);
  auto cost = [&](bool groupTakes) {
    return needed.timesRun *
           graph.placements.cost(value.size, placementOf(value.group, groupTakes), needed.place);
  };
  double kept = cost(false), taken = ofGroup == kNoNode ? kept : cost(true);
  if (needed.isConstant) {
    if (ofGroup != kNoNode)
      network.add(ofGroup, kept, taken);
    return;
  }
  // Somebody who keeps what it has needs the place.
  if (!needed.ifKept.empty()) {
    Node somebody = needed.ifKept.front();
    if (needed.ifKept.size() > 1) {
      somebody = network.addNode();
      for (Node user : needed.ifKept)
        network.forbid(user, somebody);
    }
    needed.anyKeeps = somebody;
    if (ofGroup == kNoNode)
      network.add(somebody, kept, 0);
    else
      network.add(ofGroup, somebody, kept, 0, taken, 0);
  }
  // Somebody who takes what it is offered does.
  if (!needed.ifTaken.empty()) {
    Node somebody = needed.ifTaken.front();
    if (needed.ifTaken.size() > 1) {
      somebody = network.addNode();
      for (Node user : needed.ifTaken)
        network.forbid(somebody, user);
    }
    needed.anyTakes = somebody;
    if (ofGroup == kNoNode)
      network.add(somebody, 0, kept);
    else
      network.add(ofGroup, somebody, 0, kept, 0, taken);
  }
}

/// None if nothing takes what it is offered, or if the cut took too long.
std::optional<ExpansionMove::Labels> ExpansionMove::cheapestLabels(const Touched &touched) {
  LabelNetwork &network = graph.spareNetwork;
  network.clear();
  for (size_t i = 0; i < offeredPlacements.size() + offeredModes.size(); ++i)
    network.addNode();
  for (auto [op, unused] : touched.givers.all())
    addOp(op, network);
  for (auto [value, unused] : touched.values.all())
    addNeeds(graph.values[value], network);
  std::optional<std::vector<bool>> takes = network.solve();
  if (!takes)
    return std::nullopt;
  auto ofOps = takes->begin() + LabelNetwork::kFirst + std::ptrdiff_t(offeredPlacements.size());
  Labels labels{{takes->begin() + LabelNetwork::kFirst, ofOps},
                {ofOps, ofOps + std::ptrdiff_t(offeredModes.size())}};
  auto isAnySet = [](const std::vector<bool> &set) { return llvm::is_contained(set, true); };
  if (!isAnySet(labels.groups) && !isAnySet(labels.ops))
    return std::nullopt;
  return labels;
}

double ExpansionMove::apply() {
  Touched all(graph);
  find(all);
  std::optional<Labels> labels = cheapestLabels(all);
  if (!labels)
    return 0;
  Labels none{std::vector<bool>(offeredPlacements.size()), std::vector<bool>(offeredModes.size())};
  double gain = costOf(none, all) - costOf(*labels, all);
  double growth = 0;
  for (auto [index, offer] : llvm::enumerate(offeredPlacements.all()))
    if (labels->groups[index])
      growth += graph.growth(offer.first, offer.second);
  if (!(gain >= kLeastGain) || growth > graph.room)
    return 0;
  graph.room -= growth;
  for (auto [index, offer] : llvm::enumerate(offeredPlacements.all()))
    if (labels->groups[index]) {
      PlacementGraph::Group &group = graph.groups[offer.first];
      group.placement = offer.second;
      if (graph.placements.at(offer.second).unreduced.empty() ||
          graph.placements.hasOwnRows(offer.second))
        group.whole = offer.second;
    }
  for (auto [index, offer] : llvm::enumerate(offeredModes.all()))
    if (labels->ops[index]) {
      PlacementGraph::Op &op = graph.ops[offer.first];
      op.mode = offer.second;
      if (graph.modeOf(op).staying.empty() || graph.modeOf(op).takesRows)
        op.modeIfWhole = op.mode;
    }
  return gain;
}

} // namespace shardwise::reshard
