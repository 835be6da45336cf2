// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimension by dimension, and the basis. The rules are in the header; here is one function for each
// rule of the basis, in the order in which they are tried.
//
// Why the basis ends: a move or a slice puts a sub-axis where the target has it, directly behind
// others that are in place, and none of the rules takes these away again. A gather removes one that
// is not in place. A swap makes a list start with its whole target.

#include "shardwise/planner/strategies/RulePlanners.h"

#include "shardwise/planner/model/StepList.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

size_t commonLength(const SubAxisIndices &a, const SubAxisIndices &b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                             a.begin());
}

bool isStrictPrefix(const SubAxisIndices &list, const SubAxisIndices &of) {
  return list.size() < of.size() && commonLength(list, of) == list.size();
}

bool contains(const SubAxisIndices &list, SubAxisIndex subAxis) {
  return std::find(list.begin(), list.end(), subAxis) != list.end();
}

/// Whether the last axis of dimension `dim` is not where the target has it.
bool isInTheWay(const StepList &steps, size_t dim) {
  const SubAxisIndices &list = steps.lists()[dim];
  return !list.empty() && commonLength(list, steps.target()[dim]) < list.size();
}

/// Rule 1: the last axis of a list goes where it is lacked next.
bool tryMove(StepList &steps) {
  const DimSubAxes &lists = steps.lists();
  for (size_t from = 0; from < lists.size(); ++from) {
    for (size_t to = 0; isInTheWay(steps, from) && to < lists.size(); ++to) {
      const SubAxisIndices &want = steps.target()[to];
      if (to != from && isStrictPrefix(lists[to], want) &&
          want[lists[to].size()] == lists[from].back()) {
        steps.move(from, to);
        return true;
      }
    }
  }
  return false;
}

/// Rule 2: an unused axis is cut where it is lacked next.
bool trySlice(StepList &steps) {
  const DimSubAxes &lists = steps.lists();
  for (size_t dim = 0; dim < lists.size(); ++dim) {
    const SubAxisIndices &want = steps.target()[dim];
    if (isStrictPrefix(lists[dim], want) && !steps.isUsed(want[lists[dim].size()])) {
      steps.slice(dim, {want[lists[dim].size()]});
      return true;
    }
  }
  return false;
}

/// Rule 3: a list with all axes of its target gets these to its front; the others keep their order.
bool trySwap(StepList &steps) {
  for (size_t dim = 0; dim < steps.lists().size(); ++dim) {
    const SubAxisIndices &list = steps.lists()[dim];
    const SubAxisIndices &want = steps.target()[dim];
    bool hasAll = std::all_of(want.begin(), want.end(),
                              [&](SubAxisIndex subAxis) { return contains(list, subAxis); });
    if (want.empty() || !hasAll || commonLength(list, want) == want.size())
      continue;
    DimSubAxes next = steps.lists();
    next[dim] = want;
    for (SubAxisIndex subAxis : list)
      if (!contains(want, subAxis))
        next[dim].push_back(subAxis);
    steps.permute(std::move(next));
    return true;
  }
  return false;
}

/// Rule 4: an axis in the way is gathered, one that the target does not use if there is such.
void gatherObstacle(StepList &steps) {
  const DimSubAxes &lists = steps.lists();
  auto isWanted = [&](SubAxisIndex subAxis) {
    return std::any_of(steps.target().begin(), steps.target().end(),
                       [&](const SubAxisIndices &want) { return contains(want, subAxis); });
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
    const SubAxisIndices &list = steps->lists()[dim];
    size_t extra = list.size() - commonLength(list, steps->target()[dim]);
    if (extra > 0)
      steps->gather(dim, extra);
  }
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    const SubAxisIndices &want = steps->target()[dim];
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
