// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building the graph. In program order, an op before its regions:
//   1. Arguments of functions and computations, and what ops of no sheet give, are where they are:
//      groups that do not move. So is what a user placed: results of reshards, constraints and
//      collectives, what collectives read, and results on which a sharding is written. Arguments
//      and results of the program on which nothing is written may move. What a result is made of
//      is a use that wants to be where the result is.
//   2. What a loop carries in one place is one group: its result and the arguments of both regions.
//      What it starts from and what the body gives for the next round are uses that want to be
//      where the group is.
//   3. An op with a sheet of which some tensor is cut becomes an op of the graph. Its results may
//      move.
//   4. Uses by other ops want what these ops say (`destinationOf`), or the whole value.
// Arguments and results are memory that lasts, and propagation cut them so that they fit: all of
// them together may become larger by an eighth, or a mebibyte (`room`). They are cut by whole axes
// into equal parts, as callers can.
// How often something runs is the product of the trip counts of the loops around it, as far as they
// are known; a loop of which nothing is known is taken to run often.

#include "shardwise/transforms/reshard/PlacementGraph.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/import/WrittenShardings.h"
#include "shardwise/transforms/reshard/LoopCounts.h"
#include "shardwise/transforms/reshard/OpRoles.h"
#include "shardwise/transforms/reshard/ReshardBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

namespace shardwise::reshard {

namespace {

/// By how much arguments and results may become larger than propagation made them: a part of what a
/// device holds of them, and so many bytes in any case.
constexpr double kRoom = 1.0 / 8;
constexpr double kRoomAtLeast = 1 << 20;

bool isCut(const core::Sharding &placement) {
  return !core::isFullyReplicated(placement) || !placement.unreduced.empty();
}

} // namespace

PlacementGraph::PlacementGraph(mlir::ModuleOp module, ShardedProgram &program, PlannedCosts &costs,
                               const PlacementRules &rules)
    : rules(rules), addedWorkWeight(costs.addedWorkWeight()), placements(costs),
      modes(program.mesh(), placements, costs), program(program), rowsOfGroups(module) {
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal())
      collect(function.getBody().front(), 1);
  entry = stablehlo::entryFunctionOrNull(module);
  if (entry && !entry.isExternal())
    letBorderMove();
  for (auto function : module.getOps<mlir::func::FuncOp>())
    function.walk([&](mlir::Operation *op) {
      if (op != function && timesOf.contains(op->getBlock()))
        addUses(op);
    });
  for (Op &op : ops)
    op.mode = op.modeIfWhole = modes.chosen(kinds[&op - ops.data()], placementsOf(op));
}

/// Lets arguments and results move on which nothing is written.
void PlacementGraph::letBorderMove() {
  double held = 0;
  for (mlir::BlockArgument argument : entry.getArguments()) {
    Index value = find(argument);
    if (value == kNone)
      continue;
    Group &group = groups[values[value].group];
    held += placements.heldBytes(values[value].size, group.placement);
    group.isBorder = true;
    group.mayMove = importer::isUnwrittenArgument(entry, argument.getArgNumber()) &&
                    placements.at(group.placement).unreduced.empty();
  }
  mlir::Operation *terminator = entry.getBody().front().getTerminator();
  llvm::SmallVector<sdy::TensorShardingAttr> shardings = sdy::getFuncResultShardings(entry);
  for (auto [number, sharding] : llvm::enumerate(shardings)) {
    Index &index = resultGroups.emplace_back(kNone);
    mlir::Value returned = terminator->getOperand(unsigned(number));
    if (find(returned) == kNone)
      continue;
    Placements::Id placement =
        placements.findLasting(program.placementOf(sharding, returned.getType()));
    held += placements.heldBytes(placements.sizeOf(returned), placement);
    if (!importer::isUnwrittenResult(entry, unsigned(number)) ||
        !placements.at(placement).unreduced.empty())
      continue;
    index = static_cast<Index>(groups.size());
    Group &group = groups.emplace_back();
    group.placement = group.whole = placement;
    group.mayMove = group.isBorder = true;
  }
  room = std::max(kRoom * held, kRoomAtLeast);
}

/// Requires values or sources.
Placements::Id PlacementGraph::sizeOf(const Group &group) const {
  return values[group.values.empty() ? group.sources.front() : group.values.front()].size;
}

bool PlacementGraph::mayBeAt(Index number, Placements::Id placement) const {
  const Group &group = groups[number];
  if (!group.mayMove || !group.isBorder)
    return group.mayMove;
  if (group.values.empty() && group.sources.empty())
    return false;
  return placements.isPlain(sizeOf(group), placement) && growth(number, placement) <= room;
}

double PlacementGraph::growth(Index number, Placements::Id placement) const {
  const Group &group = groups[number];
  if (!group.isBorder || placement == group.placement)
    return 0;
  Placements::Id size = sizeOf(group);
  return placements.heldBytes(size, placement) - placements.heldBytes(size, group.placement);
}

PlacementGraph::Index PlacementGraph::find(mlir::Value value) const {
  auto found = numberOf.find(value);
  return found == numberOf.end() ? kNone : found->second;
}

const PlacementGraph::Op *PlacementGraph::findOp(mlir::Operation *op) const {
  auto found = opNumberOf.find(op);
  return found == opNumberOf.end() ? nullptr : &ops[found->second];
}

/// Adds `value` to `group`, or as a group of its own.
PlacementGraph::Index PlacementGraph::add(mlir::Value value, Index group) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()))
    return kNone;
  auto number = static_cast<Index>(values.size());
  if (group == kNone) {
    group = static_cast<Index>(groups.size());
    groups.emplace_back();
    groups.back().placement = groups.back().whole =
        placements.findLasting(program.placementOf(value));
  }
  groups[group].values.push_back(number);
  Value &added = values.emplace_back();
  added.value = value;
  added.size = placements.sizeOf(value);
  added.group = group;
  added.isFree = isRemakable(value);
  numberOf[value] = number;
  return number;
}

/// Lets the values of a group that `giver` gives move, unless a user wrote where they are. What is
/// unreduced at this point was written as well.
void PlacementGraph::letMove(Index group, mlir::Operation *giver) {
  groups[group].mayMove = placements.at(groups[group].placement).unreduced.empty() &&
                          !importer::hasWrittenSharding(giver);
}

/// Returns the kind of an op; none if it has no sheet.
std::optional<OpModes::Id> PlacementGraph::kindOf(mlir::Operation *op) {
  // To make a sheet takes long, so of ops that have the same it is made once.
  bool hasAlike = rowsOfGroups.empty() && rules::hasSheetOfKind(op);
  std::vector<const void *> types;
  if (hasAlike) {
    types = OpModes::typesOf(op);
    if (const OpModes::Id *known = kindsOfAlike.find(op, types))
      return *known;
  }
  std::optional<rules::OpSheet> sheet = rules::opSheet(op);
  if (!sheet)
    return std::nullopt;
  if (!rules.exchangesRows)
    rules::dropExchanges(*sheet);
  RowsOfGroups rows = rowsOfGroups.of(op, *sheet);
  OpModes::Id kind = modes.kindOf(op, std::move(*sheet), std::move(rows));
  if (hasAlike)
    kindsOfAlike.add(op, types, kind);
  return kind;
}

void PlacementGraph::addOp(mlir::Operation *op, double timesRun) {
  auto isTensorCut = [&](mlir::Value value) { return isCut(program.placementOf(value)); };
  // What is whole may become a partial sum, or be cut, if what it is computed from is.
  auto isGiven = [&](mlir::Value value) {
    Index number = find(value);
    return number != kNone && values[number].giver != kNone;
  };
  if (!llvm::any_of(op->getOperands(), isTensorCut) &&
      !llvm::any_of(op->getResults(), isTensorCut) && !llvm::any_of(op->getOperands(), isGiven))
    return;
  std::optional<OpModes::Id> kind = kindOf(op);
  if (!kind)
    return;
  auto number = static_cast<Index>(ops.size());
  Op &added = ops.emplace_back();
  added.op = op;
  kinds.push_back(*kind);
  added.timesRun = timesRun;
  for (mlir::Value operand : op->getOperands())
    added.tensors.push_back(find(operand));
  for (mlir::OpResult result : op->getResults()) {
    Index value = find(result);
    added.tensors.push_back(value);
    if (value == kNone)
      continue;
    values[value].giver = number;
    values[value].result = result.getResultNumber();
    letMove(values[value].group, op);
  }
  opNumberOf[op] = number;
}

void PlacementGraph::collect(mlir::Block &block, double timesRun) {
  timesOf[&block] = timesRun;
  for (mlir::BlockArgument argument : block.getArguments())
    if (!numberOf.contains(argument))
      add(argument);
  for (mlir::Operation &op : block) {
    for (mlir::Value result : op.getResults())
      add(result);
    double timesInside = timesRun;
    switch (roleOf(&op)) {
    case OpRole::Forward:
      for (mlir::OpResult result : op.getResults())
        if (Index value = find(result); value != kNone) {
          letMove(values[value].group, &op);
          for (mlir::Region &region : op.getRegions())
            add(region.getArgument(result.getResultNumber()), values[value].group);
        }
      if (!op.getRegions().empty())
        timesInside *= assumedRuns(&op);
      break;
    case OpRole::Branch:
      for (mlir::OpResult result : op.getResults())
        if (Index value = find(result); value != kNone)
          letMove(values[value].group, &op);
      break;
    case OpRole::Computation:
      break;
    case OpRole::Computes:
      addOp(&op, timesRun);
      continue;
    case OpRole::Terminator:
    case OpRole::Call:
    case OpRole::Constraint:
    case OpRole::Obsolete:
    case OpRole::Placed:
      continue;
    }
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &inner : region)
        collect(inner, timesInside);
  }
}

/// A reshard for a use stands before its op, or before the outermost loop that the value comes from
/// outside of.
void PlacementGraph::addNeed(mlir::OpOperand &use, Need need) {
  Index value = find(use.get());
  if (value == kNone || values[value].isFree)
    return;
  need.timesRun = timesOf.lookup(anchorOf(use.get(), use.getOwner())->getBlock());
  values[value].needs.push_back(need);
  if (need.kind == Need::Kind::OfGroup)
    groups[need.index].sources.push_back(value);
}

void PlacementGraph::addUses(mlir::Operation *op) {
  OpRole role = roleOf(op);
  switch (role) {
  case OpRole::Obsolete:
    return;
  case OpRole::Placed:
    for (mlir::OpOperand &use : op->getOpOperands()) {
      if (mlir::isa<sdy::CollectiveOpInterface>(op))
        if (Index value = find(use.get()); value != kNone)
          groups[values[value].group].mayMove = false;
      mlir::Value result = op->getResult(0);
      addNeed(use,
              {Need::Kind::Fixed, kNone, 0, placements.findLasting(program.placementOf(result))});
    }
    return;
  case OpRole::Computes: {
    auto found = opNumberOf.find(op);
    for (mlir::OpOperand &use : op->getOpOperands()) {
      Need need{Need::Kind::OfOp, found == opNumberOf.end() ? kNone : found->second,
                use.getOperandNumber()};
      if (need.index == kNone)
        need = {
            Need::Kind::Fixed, kNone, 0,
            placements.findLasting(program.replicated(sdy::getShardingRank(use.get().getType())))};
      addNeed(use, need);
    }
    return;
  }
  case OpRole::Terminator:
  case OpRole::Forward:
  case OpRole::Branch:
  case OpRole::Computation:
  case OpRole::Call:
  case OpRole::Constraint:
    for (mlir::OpOperand &use : op->getOpOperands()) {
      Destination destination = destinationOf(use);
      Index result = destination.result ? find(destination.result) : kNone;
      Index group = result != kNone ? values[result].group : kNone;
      if (entry && op == stablehlo::returnOrNull(entry))
        group = resultGroups[use.getOperandNumber()];
      if (group != kNone)
        addNeed(use, {Need::Kind::OfGroup, group, 0});
      else
        addNeed(use, {Need::Kind::Fixed, kNone, 0,
                      placements.findLasting(
                          program.placementOf(destination.get(), use.get().getType()))});
    }
    return;
  }
}

PlacementGraph::State PlacementGraph::state() const {
  State state;
  for (const Group &group : groups)
    state.placements.push_back({group.placement, group.whole});
  for (const Op &op : ops)
    state.modes.push_back({op.mode, op.modeIfWhole});
  state.room = room;
  return state;
}

void PlacementGraph::restore(const State &state) {
  for (auto [group, placement] : llvm::zip_equal(groups, state.placements)) {
    group.placement = placement[0];
    group.whole = placement[1];
  }
  for (auto [op, mode] : llvm::zip_equal(ops, state.modes)) {
    op.mode = mode[0];
    op.modeIfWhole = mode[1];
  }
  room = state.room;
}

void PlacementGraph::takeOver(const PlacementGraph &other) {
  room = other.room;
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].placement = placements.findAs(other.placements, other.groups[i].placement);
    groups[i].whole = placements.findAs(other.placements, other.groups[i].whole);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    OpModes::Id kind = modeOf(ops[i]).kind;
    ops[i].mode = modes.sameAs(kind, other.modes.mode(other.ops[i].mode));
    ops[i].modeIfWhole = modes.sameAs(kind, other.modes.mode(other.ops[i].modeIfWhole));
  }
}

double PlacementGraph::price() {
  double price = 0;
  for (const Op &op : ops) {
    const OpModes::Mode &mode = modeOf(op);
    double once = mode.cost.received + mode.cost.work * addedWorkWeight;
    for (size_t tensor = op.op->getNumOperands(); tensor < op.tensors.size(); ++tensor)
      if (Index number = op.tensors[tensor]; number != kNone)
        once += placements.cost(values[number].size, mode.implied[tensor],
                                groups[values[number].group].placement);
    price += once * op.timesRun;
  }
  for (const Value &value : values) {
    Placements::Needed places;
    for (const Need &need : value.needs)
      Placements::addNeeded(places, wanted(need), need.timesRun);
    price += placements.costOfAll(value.size, groups[value.group].placement, places);
  }
  return price;
}

Placements::Id PlacementGraph::wanted(const Need &need) const {
  switch (need.kind) {
  case Need::Kind::Fixed:
    break;
  case Need::Kind::OfGroup:
    return groups[need.index].placement;
  case Need::Kind::OfOp:
    return modeOf(ops[need.index]).implied[need.operand];
  }
  return need.fixed;
}

llvm::SmallVector<Placements::Id, 4> PlacementGraph::placementsOf(const Op &op) const {
  llvm::SmallVector<Placements::Id, 4> where;
  for (Index value : op.tensors)
    where.push_back(value == kNone ? Placements::kNone : groups[values[value].group].placement);
  return where;
}

} // namespace shardwise::reshard
