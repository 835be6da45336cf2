// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Propagation gives every value a sharding by following what is written through the program, and
// asks no price. For values that nobody wrote anything about it is a proposal. Here others are
// tried, each an expansion move (ExpansionMove.h), which is taken if it makes the program cheaper:
//   1. All that can stay a partial sum is offered to; so the moves know that what is added up is
//      reduced once.
//   2. In program order, or backwards, every op that pays something, for an operand, a result or a
//      reduction, is offered other modes (OpModes::alternatives): to work where one of its tensors
//      is, or without partial results. Every value that is moved may be where its op leaves it, or
//      where it is needed. What then follows for neighbours is offered to them.
//   3. That is repeated until nothing is cheaper; then ops that split or merge a dimension are also
//      offered to have the axes of a tensor on another one, and slices count (Placements.h).
//   4. That is repeated until nothing is cheaper, or the budget is spent. It is counted in ops that
//      are offered something, so that every machine decides the same, and grows with the program.
// All of it is done in both orders where the program is not large, and the cheaper end is taken.
// An offer that was part of a move, taken or not, is not made again in the same round; one that was
// refused is not made to ops that look alike. Both only save time: a model of eighty layers asks
// about one.
//
// Every move that is taken lowers the price, so the end is never dearer than the proposal, as far
// as the prices are right: MergeReductions and the joining of reshards come behind, and find
// more to save.
//
// Example: a bias whose optimizer state is cut over "data" makes propagation cut the activations
// before it along the features, over "data": two all_to_alls of activations in every layer. The
// first op behind one of them is offered to go on with the batch cut; it grows until the reduction
// that sums the bias up, which then leaves partial sums over "data" of a few thousand elements.

#include "shardwise/transforms/reshard/ChoosePlacements.h"

#include "shardwise/transforms/reshard/ExpansionMove.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace shardwise::reshard {

using Index = PlacementGraph::Index;

namespace {

/// Ops that one move offers to at most: it is priced as often as it is tried.
constexpr size_t kMaxOps = 1024;
/// All moves together offer this often to an op, on average, and some more in small programs.
constexpr size_t kOpsPerOp = 48;
constexpr size_t kOpsAtLeast = 4096;
/// Programs of more ops are searched in one order: a second one takes as long as the first.
constexpr size_t kOpsForBothOrders = 4096;
/// An op is looked at if it pays more than this.
constexpr double kLeastCost = 64;

/// What an op pays for its operands and results.
double costOf(PlacementGraph &graph, const PlacementGraph::Op &op) {
  double cost = 0;
  const OpModes::Mode &mode = graph.modeOf(op);
  for (auto [tensor, number] : llvm::enumerate(op.tensors)) {
    if (number == PlacementGraph::kNone || graph.values[number].isFree)
      continue;
    const PlacementGraph::Value &value = graph.values[number];
    Placements::Id placement = graph.groups[value.group].placement;
    cost += tensor < op.op->getNumOperands()
                ? graph.placements.cost(value.size, placement, mode.implied[tensor])
                : graph.placements.cost(value.size, mode.implied[tensor], placement);
  }
  return cost * op.timesRun;
}

/// What is paid for bringing the values of a group to where they are needed.
double costOfNeeds(PlacementGraph &graph, const PlacementGraph::Group &group) {
  double cost = 0;
  for (Index number : group.values)
    for (const PlacementGraph::Need &need : graph.values[number].needs)
      cost += need.timesRun *
              graph.placements.cost(graph.values[number].size, group.placement, graph.wanted(need));
  return cost;
}

/// Tries moves as long as the budget lasts, and remembers those that need not be tried again.
class MoveTrials {
public:
  MoveTrials(PlacementGraph &graph, SearchOrder order)
      : graph(graph), order(order), left(kOpsAtLeast + kOpsPerOp * graph.ops.size()) {}

  /// One pass over all ops and their results; returns whether something changed.
  bool runRound();
  bool isSpent() const { return left == 0; }
  /// From here on ops are also offered to have axes of their tensors on other factors, and slices
  /// count. Where values might go is asked again.
  void beginLast() {
    givesAxes = graph.placements.countsSlices = true;
    refusedPlacements.clear();
  }
  bool isLast() const { return givesAxes; }

private:
  uint64_t looksOf(Index op);
  uint64_t looksOfUsers(Index value);
  uint64_t looksOfGroup(Index group);
  bool isGivenByOp(Index group) const;
  void tryModes(Index op);
  void tryPlacements(Index group);
  bool take(ExpansionMove &move);

  void tryOp(Index number);

  PlacementGraph &graph;
  SearchOrder order;
  size_t left;
  bool isChanged = false;
  bool givesAxes = false;
  /// What was offered in this round.
  llvm::DenseSet<std::pair<Index, OpModes::Id>> offeredModes;
  llvm::DenseSet<std::pair<Index, Placements::Id>> offeredPlacements;
  /// Offers in vain: looks of the op and what it was offered.
  std::set<std::pair<uint64_t, OpModes::Id>> refusedModes;
  std::set<std::pair<uint64_t, Placements::Id>> refusedPlacements;
  /// By value, as long as they are true: a value of many users is not looked at by each of them.
  llvm::DenseMap<Index, uint64_t> knownLooksOfUsers;
};

/// The same number for the same list, with every build and on every machine. Two of 64 bits that
/// are the same by accident cost an offer, and do not happen.
uint64_t numberOf(llvm::ArrayRef<uint64_t> list) {
  return llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(list.data()), list.size() * 8});
}

/// In which modes the ops are that use a value.
uint64_t MoveTrials::looksOfUsers(Index value) {
  auto [known, isNew] = knownLooksOfUsers.try_emplace(value);
  if (isNew) {
    llvm::SmallVector<uint64_t> modes;
    for (const PlacementGraph::Need &need : graph.values[value].needs)
      if (need.kind == PlacementGraph::Need::Kind::OfOp)
        modes.push_back(uint64_t(graph.ops[need.index].mode));
    known->second = numberOf(modes);
  }
  return known->second;
}

/// What an op and its neighbours are: ops that look alike have alike offers.
uint64_t MoveTrials::looksOf(Index number) {
  const PlacementGraph::Op &op = graph.ops[number];
  llvm::SmallVector<uint64_t> looks = {uint64_t(op.mode), std::bit_cast<uint64_t>(op.timesRun)};
  for (Index tensor : op.tensors) {
    if (tensor == PlacementGraph::kNone)
      continue;
    const PlacementGraph::Value &value = graph.values[tensor];
    const PlacementGraph::Group &group = graph.groups[value.group];
    OpModes::Id giver =
        value.giver == PlacementGraph::kNone ? OpModes::kNone : graph.ops[value.giver].mode;
    llvm::append_values(looks, uint64_t(group.placement), uint64_t(group.mayMove), uint64_t(giver),
                        looksOfUsers(tensor));
  }
  return numberOf(looks);
}

bool MoveTrials::take(ExpansionMove &move) {
  offeredModes.insert(move.modes().begin(), move.modes().end());
  offeredPlacements.insert(move.placements().begin(), move.placements().end());
  left -= std::min(left, move.modes().size() + 1);
  bool isTaken = move.apply() > 0;
  if (isTaken)
    for (const auto &[op, mode] : move.modes())
      for (Index tensor : graph.ops[op].tensors)
        knownLooksOfUsers.erase(tensor);
  isChanged |= isTaken;
  return isTaken;
}

void MoveTrials::tryModes(Index number) {
  const PlacementGraph::Op &op = graph.ops[number];
  for (OpModes::Id mode : graph.modes.alternatives(op.mode, graph.placementsOf(op), givesAxes)) {
    std::pair offer(looksOf(number), mode);
    if (isSpent() || offeredModes.contains({number, mode}) || refusedModes.contains(offer))
      continue;
    ExpansionMove move(graph);
    move.grow(number, mode, kMaxOps);
    bool isTaken = take(move);
    // A sum that a loop may carry larger can pay behind it only.
    if (!isTaken && graph.rules.carriedBytes > 0) {
      ExpansionMove withSums(graph);
      withSums.growWithPartialSums(number, mode, kMaxOps);
      isTaken = take(withSums);
    }
    if (!isTaken)
      refusedModes.insert(offer);
  }
}

bool MoveTrials::isGivenByOp(Index group) const {
  return llvm::any_of(graph.groups[group].values, [&](Index value) {
    return graph.values[value].giver != PlacementGraph::kNone;
  });
}

/// What a group and its neighbours are.
uint64_t MoveTrials::looksOfGroup(Index number) {
  const PlacementGraph::Group &group = graph.groups[number];
  llvm::SmallVector<uint64_t> looks = {uint64_t(group.placement)};
  for (Index value : group.values) {
    Index giver = graph.values[value].giver;
    if (giver != PlacementGraph::kNone)
      looks.push_back(looksOf(giver));
    else
      llvm::append_values(looks, uint64_t(graph.values[value].size), looksOfUsers(value));
  }
  for (Index source : group.sources)
    looks.push_back(uint64_t(graph.groups[graph.values[source].group].placement));
  return numberOf(looks);
}

/// Offers a group to be where ops leave its values, where others need them, and where the values
/// are that become its; and whole, if its values are moved.
void MoveTrials::tryPlacements(Index number) {
  const PlacementGraph::Group &group = graph.groups[number];
  llvm::SmallSetVector<Placements::Id, 4> places;
  for (Index index : group.values) {
    const PlacementGraph::Value &value = graph.values[index];
    if (value.giver != PlacementGraph::kNone) {
      const PlacementGraph::Op &giver = graph.ops[value.giver];
      places.insert(graph.modeOf(giver).implied[giver.op->getNumOperands() + size_t(value.result)]);
    }
    for (const PlacementGraph::Need &need : value.needs)
      places.insert(graph.wanted(need));
  }
  for (Index source : group.sources)
    places.insert(graph.groups[graph.values[source].group].placement);
  if (costOfNeeds(graph, group) > kLeastCost)
    places.insert(graph.placements.wholeAs(group.placement));
  for (Placements::Id place : places) {
    if (place == group.placement)
      continue;
    std::pair offer(looksOfGroup(number), place);
    if (isSpent() || offeredPlacements.contains({number, place}) ||
        refusedPlacements.contains(offer))
      continue;
    ExpansionMove move(graph);
    move.growFromGroup(number, place, kMaxOps);
    if (!take(move))
      refusedPlacements.insert(offer);
  }
}

/// Tries what an op and its results may be offered.
void MoveTrials::tryOp(Index number) {
  if (costOf(graph, graph.ops[number]) > kLeastCost)
    tryModes(number);
  for (Index tensor :
       llvm::ArrayRef(graph.ops[number].tensors).drop_front(graph.ops[number].op->getNumOperands()))
    if (tensor != PlacementGraph::kNone && graph.groups[graph.values[tensor].group].mayMove)
      tryPlacements(graph.values[tensor].group);
}

bool MoveTrials::runRound() {
  isChanged = false;
  offeredModes.clear();
  offeredPlacements.clear();
  // Partial sums were offered before.
  knownLooksOfUsers.clear();
  auto numOps = Index(graph.ops.size());
  for (Index number = 0; number < numOps; ++number)
    tryOp(order == SearchOrder::OfProgram ? number : numOps - 1 - number);
  // What no op of the graph gives: arguments and results, and what loops carry.
  for (Index group = 0; group < Index(graph.groups.size()); ++group)
    if (graph.groups[group].mayMove && !isGivenByOp(group))
      tryPlacements(group);
  return isChanged;
}

/// The sharding that stands for where a group is: `written`, if that says the same.
sdy::TensorShardingAttr shardingOf(PlacementGraph &graph, const PlacementGraph::Group &group,
                                   sdy::TensorShardingAttr written, mlir::Type type,
                                   ShardedProgram &program) {
  if (graph.placements.findLasting(program.placementOf(written, type)) == group.whole)
    return written;
  return program.attributeFor(graph.placements.at(group.whole));
}

void writeBorder(PlacementGraph &graph, ShardedProgram &program) {
  llvm::SmallVector<sdy::TensorShardingAttr> ofArguments = sdy::getFuncArgShardings(graph.entry);
  for (auto [argument, sharding] : llvm::zip_equal(graph.entry.getArguments(), ofArguments))
    if (Index value = graph.find(argument); value != PlacementGraph::kNone)
      if (const auto &group = graph.groups[graph.values[value].group]; group.mayMove)
        sharding = shardingOf(graph, group, sharding, argument.getType(), program);
  sdy::setFuncArgShardings(graph.entry, ofArguments);
  llvm::SmallVector<sdy::TensorShardingAttr> ofResults = sdy::getFuncResultShardings(graph.entry);
  for (auto [index, type, sharding] :
       llvm::zip_equal(graph.resultGroups, graph.entry.getResultTypes(), ofResults))
    if (index != PlacementGraph::kNone)
      sharding = shardingOf(graph, graph.groups[index], sharding, type, program);
  sdy::setFuncResultShardings(graph.entry, ofResults);
}

} // namespace

void choosePlacements(PlacementGraph &graph, SearchOrder order, bool isImproved) {
  MoveTrials trials(graph, order);
  graph.placements.countsSlices = false;
  if (isImproved)
    trials.beginLast();
  while (!trials.isSpent()) {
    ExpansionMove partialSums(graph);
    partialSums.growPartialSums();
    partialSums.apply();
    if (trials.runRound())
      continue;
    // Another dimension is a way out where nothing else helps, and slices are small change. Both
    // lead away from what is cheaper in the end if they count from the start.
    if (trials.isLast())
      break;
    trials.beginLast();
  }
}

namespace {

/// Searches in both orders, from where `graph` is, and leaves it at the cheaper end; large programs
/// in one.
void chooseInBothOrders(PlacementGraph &graph) {
  if (graph.ops.size() > kOpsForBothOrders)
    return choosePlacements(graph, SearchOrder::OfProgram);
  const PlacementGraph::State start = graph.state();
  choosePlacements(graph, SearchOrder::OfProgram);
  const PlacementGraph::State forwards = graph.state();
  double price = graph.price();
  graph.restore(start);
  choosePlacements(graph, SearchOrder::Backwards);
  graph.placements.countsSlices = true;
  if (price <= graph.price())
    graph.restore(forwards);
}

} // namespace

std::unique_ptr<PlacementGraph> placementsFor(mlir::ModuleOp module, ShardedProgram &program,
                                              PlannedCosts &costs, const PlacementRules &rules) {
  auto chosen = std::make_unique<PlacementGraph>(module, program, costs, rules);
  chooseInBothOrders(*chosen);
  if (costs.countsBytes())
    return chosen;
  PlannedCosts bytes(program.mesh());
  PlacementGraph byBytes(module, program, bytes, rules);
  chooseInBothOrders(byBytes);
  auto other = std::make_unique<PlacementGraph>(module, program, costs, rules);
  other->takeOver(byBytes);
  choosePlacements(*other, SearchOrder::OfProgram, /*isImproved=*/true);
  return other->price() < chosen->price() ? std::move(other) : std::move(chosen);
}

void writePlacements(PlacementGraph &graph, ShardedProgram &program) {
  for (const PlacementGraph::Group &group : graph.groups) {
    if (!group.mayMove || group.isBorder)
      continue;
    for (Index number : group.values) {
      // Arguments of loops have the shardings of its results.
      mlir::Value value = graph.values[number].value;
      if (!mlir::isa<mlir::BlockArgument>(value))
        sdy::setSharding(
            value, shardingOf(graph, group, sdy::getSharding(value), value.getType(), program));
    }
  }
  if (graph.entry && !graph.entry.isExternal())
    writeBorder(graph, program);
}

} // namespace shardwise::reshard
