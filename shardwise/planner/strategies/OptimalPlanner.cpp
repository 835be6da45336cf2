// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses between stock collectives at the bound, the exchange, and the full search.
//
// 1. Between two meshes: PlanAcrossMeshes.h.
// 2. Plain links, nothing to reduce, and the exchange fits into memory: the exchange receives the
//    lower bound. Stock collectives that receive no more, nor more in total, are preferred; they
//    are looked for in a short search. [{"x"}, {}] to [{}, {"x"}] is an all_to_all.
// 3. Otherwise the full search, or the exchange if the problem has no search space. If its budget
//    ends, the faster of its path and the exchange; the greedy plan if neither fits into memory.
//
// A plan is proved if the search ended by itself, or if it takes no more than any plan must.

#include "shardwise/planner/strategies/OptimalPlanner.h"

#include "shardwise/planner/search/ExactPlanner.h"
#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/search/PlanAssembly.h"
#include "shardwise/planner/search/SearchBudgets.h"
#include "shardwise/planner/search/TimeBound.h"
#include "shardwise/planner/strategies/GreedyPlanner.h"
#include "shardwise/planner/strategies/PlanAcrossMeshes.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace shardwise::planner {
namespace {

/// Up to so many devices costs that grow with the number of devices are counted: totals, which
/// decide between plans of equal time, and exchanges of unevenly divided dimensions.
constexpr int64_t kMaxCountedDevices = 256;

bool fits(const ReshardProblem &problem, const ReshardPlan &plan) {
  return !problem.memoryLimitBytes || plan.steps.empty() ||
         plan.peakBytes <= *problem.memoryLimitBytes;
}

SearchOptions searchOptions(const ReshardProblem &problem, const SearchSpace &space,
                            const PlanOptions &options) {
  SearchOptions search;
  search.maxExpansions = options.maxExpansions;
  search.limits.maxLocalBytes =
      std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
  search.limits.maxStepBytes =
      problem.memoryLimitBytes.value_or(std::numeric_limits<int64_t>::max());
  search.limits.localTranspose = true;
  search.limits.splitMoves = true;
  if (!problem.topology.isPlain())
    search.subAxisLinks = subAxisLinks(problem, space);
  return search;
}

/// Whether every byte received counts: no device gets what it has or will not need.
bool hasLeastTotal(const ReshardProblem &problem, const ReshardPlan &plan) {
  if (problem.mesh.numDevices() > kMaxCountedDevices)
    return true;
  Placement before(problem, problem.source, OnMesh::Source);
  Placement after(problem, problem.target, OnMesh::Target);
  return measure(problem, plan).receivedBytesTotal == missingBetween(problem, before, after).total;
}

Error tooLittleMemory(const ReshardProblem &problem) {
  int64_t needed =
      (isOneMesh(problem) ? planExchange(problem) : planAcrossMeshes(problem)).peakBytes;
  return {ErrorKind::Infeasible,
          fmt::format("no plan keeps the memory limit of {} bytes; a single exchange needs {}",
                      *problem.memoryLimitBytes, needed)};
}

/// Bytes of an exchange from a state to the target where dimensions divide unevenly: by
/// coordinates. None on meshes with too many.
std::function<int64_t(const SearchState &)> unevenExchange(const ReshardProblem &problem,
                                                           const SearchSpace &space) {
  if (problem.mesh.numDevices() > kMaxCountedDevices)
    return {};
  return [&problem, &space](const SearchState &state) {
    ReshardProblem rest = problem;
    rest.source = space.toSharding(state);
    return lowerBound(rest).receivedBytes;
  };
}

/// Whether no plan can take less time.
bool isAtTimeBound(const ReshardProblem &problem, double seconds) {
  return seconds <= leastSeconds(problem) * (1 + 1e-9);
}

/// Full search by bytes or by time, exchange included.
Result<ReshardPlan> searchFully(const ReshardProblem &problem, const SearchSpace &space,
                                const PlanOptions &options) {
  SearchOptions search = searchOptions(problem, space, options);
  search.limits.exchange = true;
  search.maxSuccessors = space.isEven() ? kFullSuccessors : kUnevenSuccessors;
  if (!space.isEven())
    search.limits.unevenExchangeBytes = unevenExchange(problem, space);
  bool isComplete = space.isEven() || search.limits.unevenExchangeBytes;
  SearchResult found = searchWithinBudget(space, search);
  bool isProved = isComplete && found.status != SearchStatus::OverBudget;
  std::vector<ReshardPlan> candidates;
  if (!found.path.empty()) {
    candidates.push_back(toPlan(problem, toSteps(problem, space, found.path),
                                Optimality::BudgetStop, found.expansions));
  }
  // A proved path is best; where the search did not end, the exchange may be better.
  if (!isProved || candidates.empty())
    candidates.push_back(planExchange(problem));
  const ReshardPlan *best = nullptr;
  double leastTime = 0;
  for (const ReshardPlan &plan : candidates) {
    double seconds = measureSeconds(problem, plan);
    if (fits(problem, plan) && (best == nullptr || seconds < leastTime)) {
      best = &plan;
      leastTime = seconds;
    }
  }
  ReshardPlan greedy;
  if (best == nullptr && !isProved) {
    // Its states may be larger than both ends; the limit allows it.
    greedy = planGreedily(problem);
    best = fits(problem, greedy) ? &greedy : nullptr;
  }
  if (best == nullptr)
    return tooLittleMemory(problem);
  ReshardPlan plan = *best;
  plan.expansions = found.expansions;
  bool isLeast = isProved || isAtTimeBound(problem, measureSeconds(problem, plan));
  plan.optimality = isLeast ? Optimality::Proved : Optimality::BudgetStop;
  return plan;
}

/// Looks for stock collectives at the bound: over the axes as they are, then over their factors.
std::optional<ReshardPlan> searchAtBound(const ReshardProblem &problem, const PlanOptions &options,
                                         int64_t bound) {
  int numSubAxes = 0;
  for (AxisSplit cut : {AxisSplit::WhereNeeded, AxisSplit::PrimeFactors}) {
    std::optional<SearchSpace> space = SearchSpace::create(problem, options.idleAxes, cut);
    if (!space || space->numSubAxes() == numSubAxes)
      continue;
    numSubAxes = space->numSubAxes();
    SearchOptions search = searchOptions(problem, *space, options);
    search.maxCost = bound;
    search.maxExpansions = std::min(options.maxExpansions, kAtBoundExpansions);
    search.maxSuccessors = kAtBoundSuccessors;
    SearchResult found = searchExactly(*space, search);
    if (found.status != SearchStatus::Found)
      continue;
    ReshardPlan plan =
        toPlan(problem, toSteps(problem, *space, found.path), Optimality::Proved, found.expansions);
    if (plan.receivedBytes == bound && hasLeastTotal(problem, plan))
      return plan;
  }
  return std::nullopt;
}

} // namespace

Result<ReshardPlan> planOptimally(const ReshardProblem &problem, const PlanOptions &options) {
  if (!isOneMesh(problem)) {
    ReshardPlan plan = planAcrossMeshes(problem);
    return fits(problem, plan) ? Result<ReshardPlan>(plan) : tooLittleMemory(problem);
  }
  bool reduces = core::shardedSize(pendingAxes(problem)) > 1;
  ReshardPlan exchange = planExchange(problem);
  bool isPlain = problem.topology.isPlain() && !reduces && fits(problem, exchange);
  if (!isPlain) {
    if (std::optional<SearchSpace> space = SearchSpace::create(problem, options.idleAxes))
      return searchFully(problem, *space, options);
    if (!fits(problem, exchange))
      return tooLittleMemory(problem);
  }
  int64_t bound = exchange.lowerBoundBytes;
  if (isPlain) {
    if (std::optional<ReshardPlan> plan = searchAtBound(problem, options, bound))
      return *plan;
  }
  bool isProved = exchange.receivedBytes == bound && problem.topology.isPlain();
  exchange.optimality = isProved ? Optimality::Proved : Optimality::BudgetStop;
  return exchange;
}

} // namespace shardwise::planner
