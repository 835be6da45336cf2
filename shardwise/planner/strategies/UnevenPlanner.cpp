// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where blocks do not nest, few cuts are aligned: lists that differ can often only be gathered as a
// whole. A sharding says what every device holds, so a collective is defined for any cut; what it
// costs more than the table says is what crosses a boundary, at most a block for each step. That is
// less than gathering everything.
//
// 1. A plan of one aligned collective stays, and so does what costs nothing.
// 2. One collective that leads from source to target is the plan: nothing is simpler to run.
// 3. Otherwise the search over all cuts, for less than the aligned plan receives. In ties it
//    prefers paths with fewer crossings (ExactPlanner.cpp).
//
// Example: 16x8x8 on <["x"=4, "y"=2, "z"=4]>, [{}, {"y", "z", "x"}, {}] to [{"x", "y"}, {}, {"z"}].
// Eight elements in 32 blocks: no suffix of the list is aligned, so all of it would be gathered,
// 31 blocks of 128 elements. A permute to {"x", "y", "z"} receives one such block, the all_to_all
// of "z" 3/4 of it and that of {"x", "y"} 7/8 of the 32 elements that then are left.

#include "shardwise/planner/strategies/UnevenPlanner.h"

#include "shardwise/planner/search/ExactPlanner.h"
#include "shardwise/planner/search/PlanAssembly.h"
#include "shardwise/planner/search/SearchBudgets.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

bool hasExchange(const ReshardPlan &plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const ReshardStep &step) {
    return step.collective.kind == CollectiveKind::Exchange;
  });
}

SearchOptions searchOptions(const ReshardProblem &problem, const PlanOptions &options) {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  SearchOptions search;
  search.maxExpansions = options.maxExpansions;
  search.maxSuccessors = kAnyCutsSuccessors;
  if (hasExchangeAtHand(options)) {
    search.maxCost = options.maxReceivedBytes;
    search.maxExpansions = std::min(options.maxExpansions, kAtBoundExpansions);
    search.maxSuccessors = kAtBoundSuccessors;
  }
  search.limits.jointAllToAll = options.jointAllToAll;
  search.limits.unevenCuts = UnevenCuts::Any;
  if (options.overMemory == OverMemory::Exchange) {
    search.limits.maxLocalBytes =
        std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
  }
  search.limits.maxStepBytes = problem.memoryLimitBytes.value_or(kNoLimit);
  return search;
}

/// The cheapest single step to the target, if there is one.
std::optional<ReshardPlan> planOneStep(const ReshardProblem &problem, const SearchSpace &space,
                                       const SearchOptions &search) {
  std::vector<Successor> successors;
  StepFilter filter;
  filter.maxCount = search.maxSuccessors;
  appendSuccessors(space, space.source(), search.limits, successors, filter);
  const Successor *best = nullptr;
  for (const Successor &successor : successors)
    if (successor.state == space.target() &&
        (best == nullptr || successor.receivedBytes < best->receivedBytes))
      best = &successor;
  if (best == nullptr)
    return std::nullopt;
  PathState only{best->state, best->kind};
  return toPlan(problem, toSteps(problem, space, {&only, 1}), Optimality::NotSearched, 1);
}

/// The first parts into which a sub-axis can be cut in two.
core::AxisList firstParts(const core::Axis &axis) {
  core::AxisList parts;
  for (int64_t size = 2; size < axis.size; ++size)
    if (axis.size % size == 0)
      parts.push_back({axis.index, axis.preSize, size});
  return parts;
}

/// Ways to cut sub-axes in two, each given by the first parts: none is cut, then one, then all that
/// can be. A search over more sub-axes takes longer and is over soon if a plan that must cost less
/// is known.
/// Example: sizes 4, 8 and 3: none; 4 = 2 * 2; 8 = 2 * 4; 8 = 4 * 2; the first and one of these.
std::vector<core::AxisList> waysToCut(const SearchSpace &space) {
  std::vector<core::AxisList> ways = {{}};
  std::vector<core::AxisList> all = {{}};
  for (int subAxis = 0; subAxis < space.numSubAxes(); ++subAxis) {
    core::AxisList parts = firstParts(space.axisOf(subAxis));
    std::vector<core::AxisList> longer;
    for (const core::Axis &part : parts) {
      ways.push_back({part});
      for (core::AxisList way : all) {
        way.push_back(part);
        longer.push_back(std::move(way));
      }
    }
    if (!longer.empty())
      all = std::move(longer);
    all.resize(std::min(all.size(), kAnyCutsSplits));
  }
  if (all.front().size() > 1)
    ways.insert(ways.end(), all.begin(), all.end());
  return ways;
}

} // namespace

ReshardPlan withUnevenCuts(const ReshardProblem &problem, const PlanOptions &options,
                           ReshardPlan aligned) {
  bool isStock = !hasExchange(aligned);
  if (options.unevenCuts == UnevenCuts::Aligned ||
      (isStock && (aligned.steps.size() == 1 || aligned.receivedBytes == 0))) {
    return aligned;
  }
  std::optional<SearchSpace> whole =
      SearchSpace::create(problem, options.idleAxes, AxisSplit::WhereNeeded);
  if (!whole || whole->isEven())
    return aligned;
  SearchOptions search = searchOptions(problem, options);
  if (std::optional<ReshardPlan> plan = planOneStep(problem, *whole, search))
    return *plan;
  if (isStock)
    search.maxCost = std::min(search.maxCost, aligned.receivedBytes - 1);
  ReshardPlan best = std::move(aligned);
  int64_t expansions = best.expansions;
  best.optimality = Optimality::Proved;
  int64_t successorsLeft = kAnyCutsSuccessorsInAll;
  for (const core::AxisList &cuts : waysToCut(*whole)) {
    search.maxSuccessors = std::min(search.maxSuccessors, successorsLeft);
    if (search.maxSuccessors <= 0) {
      best.optimality = Optimality::BudgetStop;
      break;
    }
    std::optional<SearchSpace> space =
        SearchSpace::create(problem, options.idleAxes, AxisSplit::WhereNeeded, cuts);
    if (!space)
      continue;
    SearchResult found = searchWithinBudget(*space, search);
    expansions += found.expansions;
    successorsLeft -= found.successors;
    Optimality optimality =
        found.status == SearchStatus::OverBudget ? Optimality::BudgetStop : best.optimality;
    if (!found.path.empty()) {
      best = toPlan(problem, toSteps(problem, *space, found.path), optimality, 0);
      search.maxCost = best.receivedBytes - 1;
    }
    best.optimality = optimality;
  }
  best.expansions = expansions;
  return best;
}

} // namespace shardwise::planner
