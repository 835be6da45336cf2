// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the method: nothing to do, exact search, then the fallbacks.

#include "shardwise/planner/PlanReshard.h"

#include "shardwise/planner/ExactPlanner.h"
#include "shardwise/planner/GreedyPlanner.h"
#include "shardwise/planner/PlanAssembly.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

/// Returns the larger of source and target shard.
int64_t memoryLimit(const ReshardProblem &problem) {
  return std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
}

/// Returns the plan where the search does not apply or ran out of budget.
ReshardPlan planWithoutSearch(const ReshardProblem &problem, const PlanOptions &options) {
  ReshardPlan plan = planGreedily(problem);
  bool isOver = plan.largestStateBytes > memoryLimit(problem);
  return isOver && options.overMemory == OverMemory::Exchange ? planExchange(problem) : plan;
}

ReshardPlan planUniformly(const ReshardProblem &problem, const PlanOptions &options) {
  std::optional<SearchSpace> space = SearchSpace::create(problem);
  if (!space) {
    return planWithoutSearch(problem, options);
  }
  SearchOptions search;
  search.maxExpansions = options.maxExpansions;
  search.limits.jointAllToAll = options.jointAllToAll;
  search.limits.maxLocalBytes = memoryLimit(problem);
  SearchResult found = searchExactly(*space, search);
  int64_t expansions = found.expansions;
  if (found.status == SearchStatus::NoPath && options.overMemory == OverMemory::Allow) {
    search.limits.maxLocalBytes = std::numeric_limits<int64_t>::max();
    search.maxExpansions -= expansions;
    found = searchExactly(*space, search);
    expansions += found.expansions;
  }
  if (found.status == SearchStatus::Found) {
    return toPlan(problem, toSteps(problem, *space, found.path), Optimality::Proved, expansions);
  }
  bool isOverBudget = found.status == SearchStatus::OverBudget;
  ReshardPlan plan = isOverBudget ? planWithoutSearch(problem, options) : planExchange(problem);
  plan.expansions = expansions;
  if (isOverBudget) {
    plan.optimality = Optimality::BudgetStop;
  }
  return plan;
}

} // namespace

Result<ReshardPlan> planReshard(const ReshardProblem &problem, const PlanOptions &options) {
  if (Result<void> checked = check(problem); !checked) {
    return checked.error();
  }
  if (core::isSamePlacement(problem.source, problem.target)) {
    return toPlan(problem, {}, Optimality::Proved, 0);
  }
  if (options.strategy == Strategy::Greedy) {
    return planGreedily(problem);
  }
  return planUniformly(problem, options);
}

} // namespace shardwise::planner
