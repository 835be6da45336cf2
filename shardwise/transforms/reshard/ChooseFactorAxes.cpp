// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of factor axes: legality, candidates, prices, search.

#include "shardwise/transforms/reshard/ChooseFactorAxes.h"

#include <algorithm>
#include <limits>

namespace shardwise::reshard {

using core::AxisList;
using core::Sharding;

namespace {

/// Combinations up to this many are all priced.
constexpr int64_t kMaxExhaustive = 96;

/// Byte-equivalents of one loop iteration and of one byte read or written locally: small against
/// any communication, but enough to prefer computing on parts when communication is equal.
constexpr double kIterationWeight = 1.0 / 512;
constexpr double kLocalByteWeight = 1.0 / 8;

/// Cuts `axes` until every tensor can be laid out as they say.
void makeRealizable(const FactorProblem &problem, FactorAxes &axes) {
  for (size_t factor = 0; factor < axes.size(); ++factor)
    if (!problem.uses[factor].mayBeCut())
      axes[factor].clear();
    else
      axes[factor] = evenPrefix(axes[factor], problem.factorSizes[factor]);
  auto clearStrided = [&](const TensorOnFactors &tensor) {
    bool changed = false;
    for (const core::DimMapping &dim : tensor.mapping) {
      bool isFull = true;
      for (core::FactorIndex factor : dim) {
        if (!isFull && !axes[factor].empty()) {
          axes[factor].clear();
          changed = true;
        }
        isFull = isFull && core::shardedSize(axes[factor]) == problem.factorSizes[factor];
      }
    }
    return changed;
  };
  // Clearing a factor can make another tensor strided; every round clears one, so this ends.
  bool changed = true;
  while (changed) {
    changed = false;
    for (const TensorOnFactors &tensor : problem.operands)
      changed |= clearStrided(tensor);
    for (const TensorOnFactors &tensor : problem.results)
      changed |= clearStrided(tensor);
  }
}

bool haveOverlap(const FactorAxes &axes) {
  AxisList seen;
  for (const AxisList &list : axes) {
    if (core::overlaps(list, seen))
      return true;
    seen.insert(seen.end(), list.begin(), list.end());
  }
  return false;
}

int64_t numElements(const core::Shape &shape, const Sharding &sharding) {
  return core::numElements(core::localShape(shape, sharding));
}

/// Cost of `axes`; infinite if two factors want one axis.
double priceOf(const FactorProblem &problem, FactorAxes axes) {
  makeRealizable(problem, axes);
  if (haveOverlap(axes))
    return std::numeric_limits<double>::infinity();
  double price = 0;
  double localBytes = 0;
  for (const TensorOnFactors &tensor : problem.operands) {
    Sharding implied = shardingOfFactors(tensor.mapping, axes);
    localBytes += double(numElements(tensor.shape, implied)) * double(tensor.elementBytes);
    if (!tensor.isFree && !core::isSamePlacement(tensor.placement, implied))
      price += problem.cost(tensor.shape, tensor.elementBytes, tensor.placement, implied);
  }
  for (const TensorOnFactors &tensor : problem.results) {
    Sharding implied = resultShardingOfFactors(tensor.mapping, axes, problem.uses);
    localBytes += double(numElements(tensor.shape, implied)) * double(tensor.elementBytes);
    if (!core::isSamePlacement(implied, tensor.placement))
      price += problem.cost(tensor.shape, tensor.elementBytes, implied, tensor.placement);
  }
  double iterations = 1;
  for (size_t factor = 0; factor < axes.size(); ++factor)
    iterations *= double(problem.factorSizes[factor]) / double(core::shardedSize(axes[factor]));
  return price + localBytes * kLocalByteWeight + iterations * kIterationWeight;
}

/// The lists that occur on each factor.
struct Candidates {
  std::vector<std::vector<AxisList>> perFactor;
  /// All tensors that have the factor agree on it.
  std::vector<bool> isAgreed;
};

void addUnique(std::vector<AxisList> &lists, const AxisList &list) {
  if (std::find(lists.begin(), lists.end(), list) == lists.end())
    lists.push_back(list);
}

Candidates collectCandidates(const FactorProblem &problem) {
  size_t numFactors = problem.factorSizes.size();
  Candidates found{std::vector<std::vector<AxisList>>(numFactors),
                   std::vector<bool>(numFactors, true)};
  auto visit = [&](const TensorOnFactors &tensor) {
    std::vector<std::optional<AxisList>> axes = axesOfFactors(tensor, problem.factorSizes);
    for (size_t factor = 0; factor < numFactors; ++factor) {
      if (!axes[factor])
        continue;
      std::vector<AxisList> &lists = found.perFactor[factor];
      if (!problem.uses[factor].mayBeCut())
        axes[factor]->clear();
      addUnique(lists, *axes[factor]);
      found.isAgreed[factor] = lists.size() == 1;
    }
  };
  for (const TensorOnFactors &tensor : problem.operands)
    visit(tensor);
  for (const TensorOnFactors &tensor : problem.results)
    visit(tensor);
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

/// Adds common prefixes, the parts that no other factor wants, and the empty list.
void widen(Candidates &candidates) {
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
    addUnique(lists, {});
    // The finest cut first: on equal prices the first candidate stays.
    std::sort(lists.begin(), lists.end(), [](const AxisList &a, const AxisList &b) {
      int64_t partsA = core::shardedSize(a), partsB = core::shardedSize(b);
      return partsA != partsB ? partsA > partsB : a < b;
    });
  }
}

/// The cheapest choice seen so far.
struct Search {
  const FactorProblem &problem;
  const std::vector<std::vector<AxisList>> &candidates;
  std::vector<size_t> open; ///< Factors that are not agreed.
  FactorAxes best;
  double bestPrice = std::numeric_limits<double>::infinity();

  void offer(const FactorAxes &axes) {
    double price = priceOf(problem, axes);
    if (price >= bestPrice)
      return;
    best = axes;
    bestPrice = price;
  }

  void enumerate(FactorAxes &axes, size_t position) {
    if (position == open.size())
      return offer(axes);
    for (const AxisList &list : candidates[open[position]]) {
      axes[open[position]] = list;
      enumerate(axes, position + 1);
    }
  }

  /// Changes one factor at a time while that is cheaper. Every round lowers the price.
  void descend(const FactorAxes &start) {
    FactorAxes current = start;
    double price = priceOf(problem, current);
    bool improved = true;
    while (improved) {
      improved = false;
      for (size_t factor : open)
        for (const AxisList &list : candidates[factor]) {
          FactorAxes next = current;
          next[factor] = list;
          double nextPrice = priceOf(problem, next);
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
  void run(const FactorAxes &start) {
    int64_t combinations = 1;
    for (size_t factor : open)
      combinations =
          std::min<int64_t>(kMaxExhaustive + 1, combinations * int64_t(candidates[factor].size()));
    if (combinations <= kMaxExhaustive) {
      FactorAxes scratch = start;
      return enumerate(scratch, 0);
    }
    descend(start);
    for (size_t factor : open)
      for (const AxisList &list : candidates[factor]) {
        FactorAxes changed = start;
        changed[factor] = list;
        descend(changed);
      }
  }
};

} // namespace

FactorAxes chooseFactorAxes(const FactorProblem &problem) {
  Candidates candidates = collectCandidates(problem);
  unmarkContested(candidates);
  FactorAxes axes(problem.factorSizes.size());
  std::vector<size_t> open;
  for (size_t factor = 0; factor < axes.size(); ++factor)
    if (!candidates.isAgreed[factor])
      open.push_back(factor);
    else if (!candidates.perFactor[factor].empty())
      axes[factor] = candidates.perFactor[factor].front();
  if (open.empty()) {
    makeRealizable(problem, axes);
    return axes;
  }
  widen(candidates);
  // Without any finite price the op stays replicated; the reshard that cannot be planned is
  // reported where it is written.
  Search search{problem, candidates.perFactor, open, FactorAxes(axes.size())};
  search.run(axes);
  // Factors on which all agree stay as they are, whatever it costs to replicate instead: partial
  // gradients are reduced, not activations gathered. Only if nothing can be planned all goes.
  FactorAxes undecided = axes;
  for (size_t factor : open)
    undecided[factor].clear();
  search.offer(undecided);
  FactorAxes best = std::move(search.best);
  makeRealizable(problem, best);
  return best;
}

} // namespace shardwise::reshard
