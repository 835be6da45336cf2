// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds of ops and their modes. A mode is made once for each kind and choice of axes, with what it
// implies and costs; what leads from one mode to another is remembered as well. So a move that
// offers something to a thousand ops of eighty alike layers looks numbers up.
//
// Four ways lead to a mode. In all of them axes are cut to what every tensor of the op can have.
//   1. `chosen`: the cheapest for tensors that are where they are (ChooseFactorAxes.h).
//   2. `following`: one tensor is moved, and the op goes with it. Factors of that tensor get the
//      axes that it has there; other factors keep theirs, but for what these have taken.
//   3. `passing`: an operand becomes a partial sum, and the op, if it is linear in it, lets the sum
//      pass: operands of the linear set and all results are unreduced. No factor may be cut along
//      the axes of the sum.
//      Rows of groups (RowsOfGroups.h) pass in the same way, and through ragged_dots, whose groups
//      are cut along the axes of the rows. `leavingRows` is the same from the result.
//   4. `alternatives`: where an op that pays something could work instead: where one of its tensors
//      is (2), alone or with the other factors kept; with rows and indices exchanged, where both
//      are; with axes of that tensor, which the op cannot have on its factor, gone or on another
//      factor that they divide; and so with the axes of a partial factor.
//
// Example, a product `([i, k], [k, j])->([i, j])` with k on {"x"}: operands `[{}, {"x"}]` and
// `[{"x"}, {}]`, result `[{}, {}], unreduced={"x"}`.
//   following the result to `[{"x"}, {}]`: i has {"x"}, so that k loses it; the operands are needed
//     at `[{"x"}, {}]` and `[{}, {}]`
//   alternatives, among others: k without axes; i with {"x"}; j with {"x"}
// and a negation, to whose operand `[{}, {}], unreduced={"x"}` is offered, passes it to its result.

#include "shardwise/transforms/reshard/OpModes.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/transforms/reshard/ReshardBuilder.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include <algorithm>

namespace shardwise::reshard {

using core::AxisList;
using core::Sharding;
using propagation::AxesPerFactor;

namespace {

/// Whether ops of the same types, with these sheets, have the same modes.
bool isSameSheet(const rules::OpSheet &a, const rules::OpSheet &b) {
  return a.rule == b.rule && a.uses == b.uses && a.paddings == b.paddings &&
         a.linearSets == b.linearSets && a.windows == b.windows && a.exchanges == b.exchanges;
}

/// Whether the two factors may be on the same axes, as rows are exchanged along them.
bool mayShare(llvm::ArrayRef<core::IndexExchange> exchanges, core::FactorIndex a,
              core::FactorIndex b) {
  return llvm::any_of(exchanges, [&](const core::IndexExchange &exchange) {
    return (exchange.indexed == a && llvm::is_contained(exchange.batch, b)) ||
           (exchange.indexed == b && llvm::is_contained(exchange.batch, a));
  });
}

/// Takes the axes of `taken` off all lists of `axes`, and what is minor to them, but where
/// `exchanges` let factors share them.
void takeOff(AxesPerFactor &axes, const AxesPerFactor &taken,
             llvm::ArrayRef<core::IndexExchange> exchanges) {
  for (size_t factor = 0; factor < axes.size(); ++factor)
    for (size_t other = 0; other < taken.size(); ++other)
      if (core::overlaps(axes[factor], taken[other]) &&
          !mayShare(exchanges, core::FactorIndex(factor), core::FactorIndex(other)))
        axes[factor] = core::truncateByOverlap(axes[factor], taken[other]);
}

const core::TensorMapping &mappingOf(const core::ShardingRule &rule, int64_t tensor) {
  auto numOperands = int64_t(rule.operands.size());
  return tensor < numOperands ? rule.operands[tensor] : rule.results[tensor - numOperands];
}

} // namespace

std::vector<const void *> OpModes::typesOf(mlir::Operation *op) {
  // Types say shapes and element sizes. What can be made in any sharding is no reason to move.
  std::vector<const void *> key;
  key.reserve(2 * (op->getNumOperands() + op->getNumResults()) + 1);
  auto add = [&](mlir::Value value) {
    const void *type = value.getType().getAsOpaquePointer();
    key.push_back(type);
    key.push_back(isRemakable(value) ? type : nullptr);
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);
  return key;
}

OpModes::Id OpModes::kindOf(mlir::Operation *op, rules::OpSheet sheet, RowsOfGroups rows) {
  llvm::SmallVector<Id, 1> &alike = kindsOfTypes[typesOf(op)];
  propagation::WorkCost work = costs.workOf(op);
  for (Id id : alike)
    if (isSameSheet(kinds[id].sheet, sheet) && kinds[id].work == work && kinds[id].rows == rows)
      return id;
  alike.push_back(Id(kinds.size()));
  Kind &added = kinds.emplace_back();
  added.sheet = std::move(sheet);
  added.work = work;
  added.rows = std::move(rows);
  auto addShape = [&](mlir::Value value) { added.shapes.push_back(shapeOf(value)); };
  llvm::for_each(op->getOperands(), addShape);
  llvm::for_each(op->getResults(), addShape);
  auto addTensor = [&](mlir::Value value) {
    added.tensors.push_back(
        {added.shapes[added.tensors.size()], elementBytesOf(value), isRemakable(value)});
  };
  llvm::for_each(op->getOperands(), addTensor);
  llvm::for_each(op->getResults(), addTensor);
  return alike.back();
}

/// The tensors at `where`; those that are not said are whole. Good until the next view is made.
propagation::FactorView OpModes::viewAt(const Kind &kind, llvm::ArrayRef<Placements::Id> where) {
  std::vector<const Sharding *> shardings;
  for (size_t tensor = 0; tensor < kind.tensors.size(); ++tensor) {
    Placements::Id placement = tensor < where.size() ? where[tensor] : Placements::kNone;
    if (placement == Placements::kNone)
      placement = placements.whole(int64_t(mappingOf(kind.sheet.rule, int64_t(tensor)).size()));
    shardings.push_back(&placements.at(placement));
  }
  projection.fill(kind.sheet.rule, shardings, propagation::Remainder::CutOffInProducts);
  auto fetch = [this](double bytes, const core::AxisList &axes) {
    return costs.fetch(bytes, axes);
  };
  return {projection,         kind.tensors,         mesh,
          kind.sheet.uses,    kind.sheet.paddings,  std::ref(costs),
          kind.sheet.windows, kind.sheet.exchanges, fetch,
          kind.work};
}

/// The axes that a tensor has on its factors at `placement`.
AxesPerFactor OpModes::axesAt(const Kind &kind, int64_t tensor, Placements::Id placement) {
  std::vector<Placements::Id> where(kind.tensors.size(), Placements::kNone);
  where[tensor] = placement;
  return propagation::axesOfTensor(viewAt(kind, where).projection, tensor);
}

OpModes::Id OpModes::modeOf(Id kindId, AxesPerFactor axes, Passing passing) {
  std::vector<unsigned> set(passing.linear.begin(), passing.linear.end());
  auto [entry, isNew] = modeNumbers.try_emplace(
      {kindId, axes, passing.staying, std::move(set), passing.takesRows, passing.givesRows},
      Id(modes.size()));
  if (!isNew)
    return entry->second;
  const Kind &kind = kinds[kindId];
  propagation::FactorView view = viewAt(kind, {});
  Mode &mode = modes.emplace_back();
  mode.kind = kindId;
  mode.axes = std::move(axes);
  mode.staying = std::move(passing.staying);
  mode.linear = std::move(passing.linear);
  mode.takesRows = passing.takesRows;
  mode.givesRows = passing.givesRows;
  mode.cost = costInOp(view, mode.axes);
  for (int64_t tensor = 0; tensor < projection.numTensors(); ++tensor) {
    bool isOperand = tensor < projection.numOperands();
    Sharding implied =
        isOperand ? shardingOfFactors(projection, tensor, mode.axes)
                  : resultShardingOfFactors(projection, tensor, mode.axes, kind.sheet.uses);
    bool isLinear = isOperand && llvm::is_contained(mode.linear, tensor);
    // What a ragged_dot leaves along its groups follows from these.
    bool stays = isLinear || (!isOperand && !kind.rows.groups);
    if (!mode.staying.empty() && stays) {
      llvm::append_range(implied.unreduced, mode.staying);
      implied.unreduced = core::sortAndMerge(std::move(implied.unreduced));
    }
    bool hasRows = isOperand ? isLinear && mode.takesRows : mode.givesRows;
    mode.implied.push_back(placements.find(implied, hasRows));
  }
  return entry->second;
}

OpModes::Id OpModes::chosen(Id kindId, llvm::ArrayRef<Placements::Id> where) {
  auto [entry, isNew] = knownChoices.try_emplace({kindId, where.vec()}, kNone);
  if (isNew)
    entry->second = modeOf(kindId, chooseFactorAxes(viewAt(kinds[kindId], where)));
  return entry->second;
}

OpModes::Id OpModes::following(Id modeId, int64_t tensor, Placements::Id placement) {
  if (auto known = knownFollowing.find({modeId, tensor, placement}); known != knownFollowing.end())
    return known->second;
  const Mode &mode = modes[modeId];
  const Kind &kind = kinds[mode.kind];
  const AxesPerFactor taken = axesAt(kind, tensor, placement);
  const core::TensorMapping &mapping = mappingOf(kind.sheet.rule, tensor);
  auto follow = [&](llvm::ArrayRef<core::IndexExchange> exchanges) {
    AxesPerFactor axes = mode.axes;
    takeOff(axes, taken, exchanges);
    for (size_t factor = 0; factor < axes.size(); ++factor)
      if (core::findFactor(mapping, core::FactorIndex(factor)))
        axes[factor] = taken[factor];
    makeRealizable(viewAt(kind, {}), axes);
    return axes;
  };
  // Rows and indices go on sharing axes if they can.
  AxesPerFactor axes = follow(kind.sheet.exchanges);
  if (!core::areCompatible(kind.sheet.exchanges, kind.sheet.uses, axes))
    axes = follow({});
  return knownFollowing[{modeId, tensor, placement}] = modeOf(mode.kind, std::move(axes));
}

OpModes::Id OpModes::passing(Id modeId, int64_t operand, Placements::Id partial) {
  if (placements.hasOwnRows(partial))
    return passingRows(modeId, operand, partial);
  auto [entry, isNew] = knownPassing.try_emplace({modeId, operand, partial}, kNone);
  if (!isNew)
    return entry->second;
  const Mode &mode = modes[modeId];
  const Kind &kind = kinds[mode.kind];
  const auto *set = llvm::find_if(kind.sheet.linearSets, [&](const rules::LinearOperands &linear) {
    return llvm::is_contained(linear, operand);
  });
  if (set == kind.sheet.linearSets.end() || !mode.staying.empty())
    return kNone;
  const AxisList &staying = placements.at(partial).unreduced;
  Sharding dims = placements.at(partial);
  dims.unreduced.clear();
  AxesPerFactor axes = mode.axes;
  if (mode.implied[operand] != placements.find(dims)) {
    axes = axesAt(kind, operand, partial);
    makeRealizable(viewAt(kind, {}), axes);
  }
  // The other operands are the same on all devices that hold parts of one sum.
  if (llvm::any_of(axes, [&](const AxisList &list) { return core::overlaps(list, staying); }))
    return kNone;
  Id passing = modeOf(mode.kind, std::move(axes), {staying, *set});
  if (modes[passing].implied[operand] == partial)
    knownPassing[{modeId, operand, partial}] = passing;
  else
    passing = kNone;
  return passing;
}

/// A ragged_dot that works with `axes` and takes rows of groups, if it can, and leaves them, if it
/// can; kNone if its groups are whole, or cut by axes that are not in the order of the mesh, in
/// which unreduced axes are: with another order a device has other groups.
OpModes::Id OpModes::raggedMode(Id kindId, AxesPerFactor axes) {
  const Kind &kind = kinds[kindId];
  core::FactorIndex groups = *kind.rows.groups;
  if (axes[groups].empty() || core::sortAndMerge(axes[groups]) != axes[groups])
    return kNone;
  Passing passing;
  if (!kind.rows.operands.empty())
    passing = {axes[groups], kind.rows.operands, /*takesRows=*/true};
  passing.givesRows = kind.rows.ofResults;
  // What is a sum along other factors is right in no row.
  for (size_t factor = 0; factor < axes.size(); ++factor)
    if (core::FactorIndex(factor) != groups && !axes[factor].empty() &&
        kind.sheet.uses[factor].isPartial())
      passing.givesRows = false;
  return modeOf(kindId, std::move(axes), std::move(passing));
}

/// The mode in which tensor number `tensor` has the rows of groups at `rows`; kNone if there is
/// none.
OpModes::Id OpModes::passingRows(Id modeId, int64_t tensor, Placements::Id rows) {
  const Kind &kind = kinds[modes[modeId].kind];
  auto numOperands = int64_t(kind.sheet.rule.operands.size());
  if (tensor < numOperands ? !llvm::is_contained(kind.rows.operands, tensor) : !kind.rows.ofResults)
    return kNone;
  Sharding dims = placements.at(rows);
  const AxisList along = std::exchange(dims.unreduced, {});
  const Mode &mode = modes[following(modeId, tensor, placements.find(dims))];
  AxesPerFactor axes = mode.axes;
  Id found = kNone;
  if (kind.rows.groups) {
    AxesPerFactor taken(axes.size());
    taken[*kind.rows.groups] = along;
    takeOff(axes, taken, {});
    axes[*kind.rows.groups] = along;
    makeRealizable(viewAt(kind, {}), axes);
    found = raggedMode(mode.kind, std::move(axes));
  } else if (llvm::none_of(axes,
                           [&](const AxisList &list) { return core::overlaps(list, along); })) {
    found = modeOf(mode.kind, std::move(axes), {along, kind.rows.operands, true, true});
  }
  return found != kNone && modes[found].implied[tensor] == rows ? found : kNone;
}

OpModes::Id OpModes::leavingRows(Id mode, int64_t result, Placements::Id rows) {
  const core::ShardingRule &rule = kinds[modes[mode].kind].sheet.rule;
  return passingRows(mode, int64_t(rule.operands.size()) + result, rows);
}

OpModes::Id OpModes::leavingRows(Id modeId) {
  const Mode &mode = modes[modeId];
  const Kind &kind = kinds[mode.kind];
  if (!kind.rows.groups || !kind.rows.ofResults || mode.givesRows)
    return kNone;
  Id found = raggedMode(mode.kind, mode.axes);
  return found != kNone && modes[found].givesRows ? found : kNone;
}

std::vector<OpModes::Id> OpModes::alternatives(Id modeId, llvm::ArrayRef<Placements::Id> where,
                                               bool givesAxes) {
  std::vector<Id> found;
  const Mode &mode = modes[modeId];
  const Kind &kind = kinds[mode.kind];
  auto add = [&](Id id) {
    if (id != modeId && !llvm::is_contained(found, id))
      found.push_back(id);
  };
  auto addAxes = [&](AxesPerFactor axes) {
    makeRealizable(viewAt(kind, {}), axes);
    if (core::areCompatible(kind.sheet.exchanges, kind.sheet.uses, axes))
      add(modeOf(mode.kind, std::move(axes)));
  };
  // Gives `moved`, which no factor has in `axes`, to each one that it divides, but for `taken`.
  auto giveToOthers = [&](const AxesPerFactor &axes, const AxisList &moved,
                          llvm::ArrayRef<core::FactorIndex> taken) {
    for (size_t other = 0; other < axes.size(); ++other) {
      if (llvm::is_contained(taken, core::FactorIndex(other)) ||
          !kind.sheet.uses[other].mayBeCut() || core::overlaps(axes[other], moved))
        continue;
      AxesPerFactor changed = axes;
      for (const core::Axis &axis : moved)
        core::appendOrMerge(changed[other], axis);
      if (core::evenPrefix(changed[other], kind.sheet.rule.factorSizes[other]) == changed[other])
        addAxes(std::move(changed));
    }
  };
  for (size_t tensor = 0; tensor < where.size(); ++tensor) {
    if (where[tensor] == Placements::kNone || where[tensor] == mode.implied[tensor])
      continue;
    Id followed = following(modeId, int64_t(tensor), where[tensor]);
    add(followed);
    addAxes(axesAt(kind, int64_t(tensor), where[tensor]));
    // Where the op cannot have the axes along a dimension, it works on the whole dimension. They go
    // to another one if it splits or merges this one.
    const Sharding &wanted = placements.at(where[tensor]);
    const Sharding &had = placements.at(modes[followed].implied[tensor]);
    for (size_t dim = 0; dim < wanted.dims.size(); ++dim) {
      const core::DimMapping &factors = mappingOf(kind.sheet.rule, int64_t(tensor))[dim];
      if (!givesAxes || wanted.dims[dim].axes == had.dims[dim].axes)
        continue;
      AxesPerFactor axes = mode.axes;
      for (core::FactorIndex factor : factors)
        axes[factor].clear();
      if (factors.size() > 1)
        giveToOthers(axes, wanted.dims[dim].axes, factors);
      addAxes(std::move(axes));
    }
  }
  // The rows stay where they are, and so do the indices.
  for (const core::IndexExchange &exchange : kind.sheet.exchanges) {
    if (where.empty() || where[0] == Placements::kNone)
      continue;
    const AxesPerFactor rows = axesAt(kind, 0, where[0]);
    for (int64_t tensor : {exchange.indices, exchange.slices.front()}) {
      if (where[tensor] == Placements::kNone)
        continue;
      AxesPerFactor axes = axesAt(kind, tensor, where[tensor]);
      axes[exchange.indexed] = rows[exchange.indexed];
      addAxes(std::move(axes));
    }
  }
  for (size_t factor = 0; factor < mode.axes.size(); ++factor) {
    const AxisList &moved = mode.axes[factor];
    if (moved.empty() || !kind.sheet.uses[factor].isPartial())
      continue;
    AxesPerFactor axes = mode.axes;
    axes[factor].clear();
    addAxes(axes);
    giveToOthers(axes, moved, core::FactorIndex(factor));
  }
  return found;
}

} // namespace shardwise::reshard
