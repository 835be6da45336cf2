// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimension by dimension, and the basis.

#include "shardwise/planner/strategies/RulePlanners.h"

#include "shardwise/planner/model/StepList.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

using AtomVector = std::vector<AtomIndex>;

size_t commonLength(const AtomVector &a, const AtomVector &b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                             a.begin());
}

bool isStrictPrefix(const AtomVector &list, const AtomVector &of) {
  return list.size() < of.size() && commonLength(list, of) == list.size();
}

bool contains(const AtomVector &list, AtomIndex atom) {
  return std::find(list.begin(), list.end(), atom) != list.end();
}

/// Whether the last axis of dimension `dim` is not where the target has it.
bool isInTheWay(const StepList &steps, size_t dim) {
  const AtomVector &list = steps.lists()[dim];
  return !list.empty() && commonLength(list, steps.target()[dim]) < list.size();
}

bool tryMove(StepList &steps) {
  const AtomLists &lists = steps.lists();
  for (size_t from = 0; from < lists.size(); ++from) {
    for (size_t to = 0; isInTheWay(steps, from) && to < lists.size(); ++to) {
      const AtomVector &want = steps.target()[to];
      if (to != from && isStrictPrefix(lists[to], want) &&
          want[lists[to].size()] == lists[from].back()) {
        steps.move(from, to);
        return true;
      }
    }
  }
  return false;
}

bool trySlice(StepList &steps) {
  const AtomLists &lists = steps.lists();
  for (size_t dim = 0; dim < lists.size(); ++dim) {
    const AtomVector &want = steps.target()[dim];
    if (isStrictPrefix(lists[dim], want) && !steps.isUsed(want[lists[dim].size()])) {
      steps.slice(dim, {want[lists[dim].size()]});
      return true;
    }
  }
  return false;
}

bool trySwap(StepList &steps) {
  for (size_t dim = 0; dim < steps.lists().size(); ++dim) {
    const AtomVector &list = steps.lists()[dim];
    const AtomVector &want = steps.target()[dim];
    bool hasAll =
        std::all_of(want.begin(), want.end(), [&](AtomIndex atom) { return contains(list, atom); });
    if (want.empty() || !hasAll || commonLength(list, want) == want.size())
      continue;
    AtomLists next = steps.lists();
    next[dim] = want;
    for (AtomIndex atom : list)
      if (!contains(want, atom))
        next[dim].push_back(atom);
    steps.permute(std::move(next));
    return true;
  }
  return false;
}

void gatherObstacle(StepList &steps) {
  const AtomLists &lists = steps.lists();
  auto isWanted = [&](AtomIndex atom) {
    return std::any_of(steps.target().begin(), steps.target().end(),
                       [&](const AtomVector &want) { return contains(want, atom); });
  };
  size_t chosen = lists.size();
  for (size_t dim = 0; dim < lists.size(); ++dim) {
    if (!isInTheWay(steps, dim))
      continue;
    chosen = dim;
    if (!isWanted(lists[dim].back()))
      break;
  }
  steps.gather(chosen, 1);
}

} // namespace

Result<ReshardPlan> planDimensionByDimension(const ReshardProblem &problem) {
  Result<StepList> steps = StepList::create(problem);
  if (!steps)
    return steps.error();
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    const AtomVector &list = steps->lists()[dim];
    size_t extra = list.size() - commonLength(list, steps->target()[dim]);
    if (extra > 0)
      steps->gather(dim, extra);
  }
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    const AtomVector &want = steps->target()[dim];
    auto kept = static_cast<int64_t>(steps->lists()[dim].size());
    if (kept < static_cast<int64_t>(want.size()))
      steps->slice(dim, {want.begin() + kept, want.end()});
  }
  return steps->finish();
}

Result<ReshardPlan> planByBasis(const ReshardProblem &problem) {
  Result<StepList> steps = StepList::create(problem);
  if (!steps)
    return steps.error();
  // Every round brings an axis to its place, or takes one away that is in the way; swaps only
  // where a list then starts with its target.
  while (!steps->isDone())
    if (!tryMove(*steps) && !trySlice(*steps) && !trySwap(*steps))
      gatherObstacle(*steps);
  return steps->finish();
}

} // namespace shardwise::planner
