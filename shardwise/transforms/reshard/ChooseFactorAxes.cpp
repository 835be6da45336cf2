// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of factor axes by price. The steps, each a function:
//   1. `collectCandidates`: the lists that tensors have on a factor. One list is an agreement.
//   2. `unmarkContested`: an agreement does not count if another factor has a list with the same
//      axis, since only one of them can have it.
//   3. `offerMovable`: axes of a factor that may not be cut, or costs something then, may go to
//      another one, which is then open as well.
//   4. `widen`: where there is no agreement, parts of the lists are candidates too.
//   5. `Search`: the cheapest combination that is found, by `priceOf`. Two factors may share axes
//      only where rows are exchanged (core/IndexExchange.h).
//   6. `makeRealizable`: what is chosen is cut to what every tensor can have.
// Example: `([i, k], [k, j])->([i, j]) reduction={k}`, all of size 64, with `[{"x"}, {"y"}]`,
// `[{"y"}, {}]` and `[{"x"}, {}]`: i: {"x"}, k: {"y"} and j: {} are agreed on, nothing is searched;
// the result is partial over "y". With `[{}, {"x"}]` as second operand, "x" is wanted for i and j,
// and k has two lists: 3 factors are open.

#include "shardwise/transforms/reshard/ChooseFactorAxes.h"

#include "shardwise/core/EvenSharding.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

namespace shardwise::reshard {

using core::AxisList;
using core::Sharding;
using propagation::AxesPerFactor;
using propagation::FactorView;
using propagation::ShardingProjection;

namespace {

/// Combinations up to this many are all priced.
constexpr int64_t kMaxExhaustive = 96;

bool mayBeUneven(const FactorView &view, size_t factor) {
  return !view.paddings.empty() && view.paddings[factor] != core::Padding::Refused;
}

/// Cuts the axes of a window's factor until the blocks of all dimensions that have it are equal, if
/// the op needs that, read intervals that differ in their place only, and need not gather the
/// dimension for that: then nothing is won, and the op may as well have the dimension whole.
void fitWindow(const FactorView &view, const core::OperandWindow &window, AxisList &axes) {
  if (!mayBeUneven(view, window.factor))
    for (uint32_t index : view.projection.entriesOf(window.factor)) {
      const propagation::FactorEntry &entry = view.projection.entry(index);
      axes = core::evenPrefix(axes, view.tensors[entry.tensor].shape[entry.dim]);
    }
  int64_t size = view.tensors[window.operand].shape[window.dim];
  auto isFetched = [&](int64_t parts) {
    auto problem = core::fetchProblem(window, size, parts);
    return problem && core::wayOfFetch(*problem) != core::FetchPlan::Way::Gather;
  };
  while (!axes.empty() && !isFetched(core::shardedSize(axes)))
    axes.pop_back();
}

/// Takes off factors what cannot coexist with axes of factors before them: parts of one axis of
/// which no grid has both. Example: "p" of 6, a contracted dimension of 2 and rows of 12. Of
/// {"p"} the dimension keeps {"p":(1)2}; if rows were on {"p":(3)2}, devices 0 and 3 along "p"
/// would add up sums of different rows.
void clearWhatCannotCoexist(AxesPerFactor &axes) {
  auto coexists = [](const core::Axis &axis, const core::AxisList &others) {
    return llvm::all_of(others,
                        [&](const core::Axis &other) { return core::canCoexist(axis, other); });
  };
  for (size_t factor = 1; factor < axes.size(); ++factor)
    for (size_t other = 0; other < factor; ++other) {
      auto first = llvm::find_if(
          axes[factor], [&](const core::Axis &axis) { return !coexists(axis, axes[other]); });
      axes[factor].erase(first, axes[factor].end());
    }
}

} // namespace

bool clearStrided(const ShardingProjection &projection, AxesPerFactor &axes) {
  const core::ShardingRule &rule = projection.rule();
  auto clearIn = [&](const core::TensorMapping &mapping) {
    bool changed = false;
    for (const core::DimMapping &dim : mapping) {
      bool isFull = true;
      for (core::FactorIndex factor : dim) {
        if (!isFull && !axes[factor].empty()) {
          axes[factor].clear();
          changed = true;
        }
        isFull = isFull && core::shardedSize(axes[factor]) == rule.factorSizes[factor];
      }
    }
    return changed;
  };
  // Clearing a factor can make another tensor strided; every round clears one, so this ends.
  bool isChanged = false;
  for (bool again = true; again; isChanged |= again) {
    again = false;
    for (int64_t tensor = 0; tensor < projection.numTensors(); ++tensor)
      again |= clearIn(projection.mapping(tensor));
  }
  return isChanged;
}

void makeRealizable(const FactorView &view, AxesPerFactor &axes) {
  const core::ShardingRule &rule = view.projection.rule();
  assert(axes.size() == rule.factorSizes.size() && "axes and view are of different ops");
  // Nothing is won by cutting a factor of size 0: it stays whole, and counts as cut incompletely.
  for (size_t factor = 0; factor < axes.size(); ++factor)
    if (!view.uses[factor].mayBeCut() || rule.factorSizes[factor] == 0)
      axes[factor].clear();
    else if (!mayBeUneven(view, factor))
      axes[factor] = core::evenPrefix(axes[factor], rule.factorSizes[factor]);
  clearWhatCannotCoexist(axes);
  core::clearUnexchanged(view.exchanges, axes);
  for (const core::OperandWindow &window : view.windows)
    fitWindow(view, window, axes[window.factor]);
  clearStrided(view.projection, axes);
}

namespace {

/// Bytes that a device holds of the tensor.
double localBytes(const propagation::FactorTensor &tensor, const Sharding &sharding) {
  int64_t numElements = 1;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    int64_t parts = d < sharding.dims.size() ? core::shardedSize(sharding.dims[d].axes) : 1;
    numElements *= core::shardSize(tensor.shape[d], parts);
  }
  return double(numElements) * double(tensor.elementBytes);
}

/// Beyond this many blocks what each of them fetches of several operands is not added up by block.
constexpr int64_t kMaxAddedBlocks = 64;

/// Elements that each block receives.
std::vector<int64_t> receivedByBlock(const core::FetchProblem &problem) {
  core::FetchPlan plan = core::planFetch(problem);
  if (plan.way == core::FetchPlan::Way::Gather)
    return std::vector<int64_t>(problem.parts, core::receivedElements(problem));
  return core::receivedByBlock(plan.steps, problem.parts);
}

double priceOfReceived(const FactorView &view, double bytes, const core::AxisList &axes) {
  return view.fetchCost ? view.fetchCost(bytes, axes) : bytes;
}

/// What it costs that a device has what the op reads of operands: windows reach beyond the parts
/// that `axes` give it. Of several operands along one factor, those of a concatenation, some
/// devices lack one, and some another.
double priceOfFetches(const FactorView &view, const AxesPerFactor &axes) {
  double price = 0;
  std::map<core::FactorIndex, std::vector<double>> ofBlocks;
  for (const core::OperandWindow &window : view.windows) {
    int64_t parts = core::shardedSize(axes[window.factor]);
    if (parts == 1)
      continue;
    const propagation::FactorTensor &tensor = view.tensors[window.operand];
    core::FetchProblem problem =
        core::fetchProblem(window, tensor.shape[window.dim], parts).value();
    double all = localBytes(tensor, shardingOfFactors(view.projection, window.operand, axes));
    double ofElement = all / double(problem.width());
    auto isOfFactor = [&](const core::OperandWindow &one) { return one.factor == window.factor; };
    if (parts > kMaxAddedBlocks || std::ranges::count_if(view.windows, isOfFactor) == 1) {
      price += priceOfReceived(view, ofElement * double(core::receivedElements(problem)),
                               axes[window.factor]);
      continue;
    }
    std::vector<double> &sums = ofBlocks[window.factor];
    sums.resize(parts);
    std::vector<int64_t> received = receivedByBlock(problem);
    for (int64_t block = 0; block < parts; ++block)
      sums[block] += ofElement * double(received[block]);
  }
  for (const auto &[factor, sums] : ofBlocks)
    price += priceOfReceived(view, *std::ranges::max_element(sums), axes[factor]);
  return price;
}

/// Cost of bringing the candidates of all parts of the two-phase factors, which `axes` cut, to
/// every device. `implied` is where the op leaves result number `number`.
double priceOfCandidates(const FactorView &view, int64_t number, const AxesPerFactor &axes,
                         const Sharding &implied) {
  std::vector<int64_t> shape(view.tensors[number].shape.begin(), view.tensors[number].shape.end());
  Sharding from, to;
  from.dims = to.dims = implied.dims;
  for (size_t factor = 0; factor < axes.size(); ++factor) {
    if (!view.uses[factor].isTwoPhase() || axes[factor].empty())
      continue;
    int64_t parts = core::shardedSize(axes[factor]);
    int64_t candidates = std::min(view.uses[factor].candidates(),
                                  view.projection.rule().factorSizes[factor] / parts);
    std::optional<core::FactorPosition> position =
        core::findFactor(view.projection.mapping(number), core::FactorIndex(factor));
    size_t dim = position ? position->dim : shape.size();
    if (!position) {
      shape.push_back(0);
      from.dims.emplace_back();
      to.dims.emplace_back();
    }
    shape[dim] = candidates * parts;
    from.dims[dim].axes = axes[factor];
    to.dims[dim].axes.clear();
  }
  return core::isSamePlacement(from, to)
             ? 0
             : view.cost(shape, view.tensors[number].elementBytes, from, to);
}

} // namespace

namespace {

/// What an exchange of rows costs in the op. Owners have room for the indices of all devices, and
/// work on all of it.
struct ExchangeCost {
  double received = 0;
  double roomBytes = 0;
  int64_t numDevices = 1;
};

ExchangeCost costOfExchange(const FactorView &view, const AxesPerFactor &axes) {
  // Steps are dear beside a few bytes, wherever else one looks only at these: indices are sorted,
  // and three collectives stand against a gather and a reduction.
  constexpr double kNumSteps = core::kCollectivesPerExchange, kBytesForSteps = 256;
  const core::IndexExchange *exchange = core::findExchange(view.exchanges, axes);
  if (!exchange)
    return {};
  double bytes = localBytes(view.tensors[exchange->indices],
                            shardingOfFactors(view.projection, exchange->indices, axes));
  for (int64_t slices : exchange->slices)
    bytes += localBytes(view.tensors[slices], shardingOfFactors(view.projection, slices, axes));
  int64_t numDevices = core::shardedSize(axes[exchange->indexed]);
  double received = double(core::exchangedBytes(int64_t(bytes), numDevices)) / kNumSteps;
  return {kNumSteps * priceOfReceived(view, received, axes[exchange->indexed]) + kBytesForSteps,
          bytes * double(numDevices), numDevices};
}

} // namespace

OpCost costInOp(const FactorView &view, const AxesPerFactor &axes) {
  const ShardingProjection &projection = view.projection;
  ExchangeCost exchange = costOfExchange(view, axes);
  double candidates = 0;
  double bytes = exchange.roomBytes;
  for (int64_t number = 0; number < projection.numTensors(); ++number) {
    bool isOperand = number < projection.numOperands();
    Sharding implied = isOperand ? shardingOfFactors(projection, number, axes)
                                 : resultShardingOfFactors(projection, number, axes, view.uses);
    bytes += localBytes(view.tensors[number], implied);
    if (!isOperand)
      candidates += priceOfCandidates(view, number, axes, implied);
  }
  // The loop nest of the op, factor by factor: what a device computes.
  auto iterations = double(exchange.numDevices);
  for (size_t factor = 0; factor < axes.size(); ++factor)
    iterations *= double(
        core::shardSize(projection.rule().factorSizes[factor], core::shardedSize(axes[factor])));
  return {candidates + priceOfFetches(view, axes) + exchange.received,
          bytes * view.work.perByte + iterations * view.work.perIteration};
}

namespace {

/// Cost of `axes`; infinite if two factors want one axis that they cannot share. Operands are
/// priced from where they are to where the op needs them, results from where the op leaves them to
/// where they are wanted; the reduction of a partial result is part of that. Once the cost is
/// `enough`, it need not be all of it: plans are dear to make.
double priceOf(const FactorView &view, AxesPerFactor axes, double enough) {
  makeRealizable(view, axes);
  if (!core::areCompatible(view.exchanges, view.uses, axes))
    return std::numeric_limits<double>::infinity();
  const ShardingProjection &projection = view.projection;
  OpCost inOp = costInOp(view, axes);
  double price = 0;
  auto withOp = [&] { return price + inOp.received + inOp.work; };
  for (int64_t number = 0; number < projection.numTensors(); ++number) {
    if (withOp() >= enough)
      break;
    const propagation::FactorTensor &tensor = view.tensors[number];
    const Sharding &placement = *projection.sharding(number);
    bool isOperand = number < projection.numOperands();
    if (isOperand && tensor.isFree)
      continue;
    Sharding implied = isOperand ? shardingOfFactors(projection, number, axes)
                                 : resultShardingOfFactors(projection, number, axes, view.uses);
    if (core::isSamePlacement(placement, implied))
      continue;
    price += isOperand ? view.cost(tensor.shape, tensor.elementBytes, placement, implied)
                       : view.cost(tensor.shape, tensor.elementBytes, implied, placement);
  }
  return withOp();
}

/// The lists that occur on each factor.
struct Candidates {
  std::vector<std::vector<AxisList>> perFactor;
  /// All tensors that have the factor agree on it.
  std::vector<bool> isAgreed;
  /// Lists on factors along which a cut is impossible or costs something: others may take them.
  std::vector<std::pair<size_t, AxisList>> movable;
};

void addUnique(std::vector<AxisList> &lists, const AxisList &list) {
  if (std::find(lists.begin(), lists.end(), list) == lists.end())
    lists.push_back(list);
}

Candidates collectCandidates(const FactorView &view) {
  int64_t numFactors = view.projection.numFactors();
  Candidates found{
      std::vector<std::vector<AxisList>>(numFactors), std::vector<bool>(numFactors, true), {}};
  for (core::FactorIndex factor = 0; factor < numFactors; ++factor) {
    std::vector<AxisList> &lists = found.perFactor[factor];
    for (uint32_t index : view.projection.entriesOf(factor)) {
      std::span<const core::Axis> axes = view.projection.axes(view.projection.entry(index));
      core::FactorUse use = view.uses[factor];
      addUnique(lists, use.mayBeCut() ? AxisList(axes.begin(), axes.end()) : AxisList());
      if (!axes.empty() && (!use.mayBeCut() || !use.isFree()))
        found.movable.push_back({factor, AxisList(axes.begin(), axes.end())});
    }
    // A tensor that is whole along the factor disagrees with one that is cut; and a cut that costs
    // something in the op is weighed even if all want it.
    bool isCut = !lists.empty() && !lists.front().empty();
    found.isAgreed[factor] = lists.size() <= 1 && (view.uses[factor].isFree() || !isCut);
  }
  return found;
}

/// Unmarks agreed factors that share an axis with another factor's list.
void unmarkContested(Candidates &candidates) {
  size_t numFactors = candidates.perFactor.size();
  for (size_t a = 0; a < numFactors; ++a)
    for (size_t b = a + 1; b < numFactors; ++b)
      for (const AxisList &first : candidates.perFactor[a])
        for (const AxisList &second : candidates.perFactor[b])
          if (core::overlaps(first, second))
            candidates.isAgreed[a] = candidates.isAgreed[b] = false;
}

/// Adds common prefixes, the parts that no other factor wants, what divides, and the empty list. A
/// common prefix is what two tensors have without moving; a part that nobody else wants lets two
/// factors share a list that both want. Example: i has {"x", "y"}, j has {"y"}: {"x"} for i leaves
/// "y" to j.
void widen(const FactorView &view, Candidates &candidates) {
  std::vector<std::vector<AxisList>> occurring = candidates.perFactor;
  for (size_t factor = 0; factor < occurring.size(); ++factor) {
    if (candidates.isAgreed[factor])
      continue;
    std::vector<AxisList> &lists = candidates.perFactor[factor];
    for (const AxisList &first : occurring[factor]) {
      for (const AxisList &second : occurring[factor])
        addUnique(lists, core::commonPrefix(first, second));
      for (size_t other = 0; other < occurring.size(); ++other)
        if (other != factor)
          for (const AxisList &wanted : occurring[other])
            addUnique(lists, core::truncateByOverlap(first, wanted));
    }
    // What an uneven cut is weighed against: equal parts, on fewer devices.
    for (const AxisList &list : occurring[factor])
      addUnique(lists, core::evenPrefix(list, view.projection.rule().factorSizes[factor]));
    addUnique(lists, {});
    // The finest cut first: on equal prices the first candidate stays.
    std::sort(lists.begin(), lists.end(), [](const AxisList &a, const AxisList &b) {
      int64_t partsA = core::shardedSize(a), partsB = core::shardedSize(b);
      return partsA != partsB ? partsA > partsB : a < b;
    });
  }
}

/// Lets every factor that may be cut take the axes of one that may not, behind its own, if it has
/// room for them. Example: a sort along j of 32x64, where i has {} and j {"x"}: {"x"} is a
/// candidate for i, and the operand goes from `[{}, {"x"}]` to `[{"x"}, {}]` by all_to_all, the
/// result back.
void offerMovable(const FactorView &view, Candidates &candidates) {
  std::vector<std::vector<AxisList>> occurring = candidates.perFactor;
  for (size_t factor = 0; factor < occurring.size(); ++factor) {
    if (!view.uses[factor].mayBeCut())
      continue;
    for (const auto &[from, moved] : candidates.movable)
      for (const AxisList &own : occurring[factor]) {
        if (from == factor || core::overlaps(own, moved))
          continue;
        AxisList joined = own;
        for (const core::Axis &axis : moved)
          core::appendOrMerge(joined, axis);
        int64_t size = view.projection.rule().factorSizes[factor];
        if (size == 0 || core::evenPrefix(joined, size) != joined)
          continue;
        addUnique(candidates.perFactor[factor], joined);
        candidates.isAgreed[factor] = false;
      }
  }
}

/// The cheapest choice seen so far.
struct Search {
  const FactorView &view;
  const std::vector<std::vector<AxisList>> &candidates;
  std::vector<size_t> open; ///< Factors that are not agreed.
  AxesPerFactor best;
  double bestPrice = std::numeric_limits<double>::infinity();

  void offer(const AxesPerFactor &axes) {
    double price = priceOf(view, axes, bestPrice);
    if (price >= bestPrice)
      return;
    best = axes;
    bestPrice = price;
  }

  void enumerate(AxesPerFactor &axes, size_t position) {
    if (position == open.size())
      return offer(axes);
    for (const AxisList &list : candidates[open[position]]) {
      axes[open[position]] = list;
      enumerate(axes, position + 1);
    }
  }

  /// Changes one factor at a time while that is cheaper. Every round lowers the price.
  void descend(const AxesPerFactor &start) {
    AxesPerFactor current = start;
    double price = priceOf(view, current, std::numeric_limits<double>::infinity());
    // No neighbour is cheaper at the end. That is not the cheapest of all, hence the several
    // starts.
    bool improved = true;
    while (improved) {
      improved = false;
      for (size_t factor : open)
        for (const AxisList &list : candidates[factor]) {
          AxesPerFactor next = current;
          next[factor] = list;
          double nextPrice = priceOf(view, next, price);
          if (nextPrice < price) {
            current = std::move(next);
            price = nextPrice;
            improved = true;
          }
        }
    }
    offer(current);
  }

  /// Prices all combinations if they are few; else descends from `start` and from every change of
  /// one factor in it.
  void run(const AxesPerFactor &start) {
    int64_t combinations = 1;
    for (size_t factor : open)
      combinations =
          std::min<int64_t>(kMaxExhaustive + 1, combinations * int64_t(candidates[factor].size()));
    if (combinations <= kMaxExhaustive) {
      AxesPerFactor scratch = start;
      return enumerate(scratch, 0);
    }
    descend(start);
    for (size_t factor : open)
      for (const AxisList &list : candidates[factor]) {
        AxesPerFactor changed = start;
        changed[factor] = list;
        descend(changed);
      }
  }
};

} // namespace

Sharding shardingOfFactors(const ShardingProjection &projection, int64_t tensor,
                           const AxesPerFactor &axes) {
  Sharding sharding;
  sharding.dims = propagation::dimensionShardings(projection, tensor, axes);
  return sharding;
}

Sharding resultShardingOfFactors(const ShardingProjection &projection, int64_t tensor,
                                 const AxesPerFactor &axes, std::span<const core::FactorUse> uses) {
  AxesPerFactor axesOfResult = axes;
  for (size_t factor = 0; factor < axes.size(); ++factor)
    if (!uses[factor].cutsResults())
      axesOfResult[factor].clear();
  Sharding sharding = shardingOfFactors(projection, tensor, axesOfResult);
  AxisList unreduced;
  for (size_t factor = 0; factor < axes.size(); ++factor) {
    if (!uses[factor].isPartial() || axes[factor].empty())
      continue;
    // Rows that are exchanged are whole: where two factors share axes, nothing is left to combine.
    AxisList own = axes[factor];
    for (size_t other = 0; other < axes.size(); ++other)
      if (other != factor && core::overlaps(own, axes[other]))
        own = core::setDifference(own, axes[other]);
    unreduced.insert(unreduced.end(), own.begin(), own.end());
    sharding.reduction = uses[factor].combination();
  }
  sharding.unreduced = core::sortAndMerge(std::move(unreduced));
  return sharding;
}

AxesPerFactor chooseFactorAxes(const FactorView &view) {
  Candidates candidates = collectCandidates(view);
  unmarkContested(candidates);
  offerMovable(view, candidates);
  AxesPerFactor axes(view.projection.numFactors());
  std::vector<size_t> open;
  for (size_t factor = 0; factor < axes.size(); ++factor)
    if (!candidates.isAgreed[factor])
      open.push_back(factor);
    else if (!candidates.perFactor[factor].empty())
      axes[factor] = candidates.perFactor[factor].front();
  if (open.empty()) {
    makeRealizable(view, axes);
    return axes;
  }
  widen(view, candidates);
  // Without any finite price the op stays replicated; the reshard that cannot be planned is
  // reported where it is written.
  Search search{view, candidates.perFactor, open, AxesPerFactor(axes.size())};
  search.run(axes);
  // Factors on which all agree stay as they are, whatever it costs to replicate instead: partial
  // gradients are reduced, not activations gathered. Only if nothing can be planned all goes.
  AxesPerFactor undecided = axes;
  for (size_t factor : open)
    undecided[factor].clear();
  search.offer(undecided);
  AxesPerFactor best = std::move(search.best);
  makeRealizable(view, best);
  return best;
}

} // namespace shardwise::reshard
