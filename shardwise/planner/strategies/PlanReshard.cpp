// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the method: nothing to do, exact search, then the fallbacks.
//
// 1. The problem is wrong: an error.
// 2. Every device has its box already: no steps. On one mesh `Optimal` compares boxes, the
//    others axes.
// 3. The strategy makes a plan.
// 4. The plan needs more memory than the limit allows: an error, with what it needs.
//
// `Uniform` in turn: one collective at the lower bound of bytes, if these decide; a search among
// states no larger than both ends, by bytes or, where links differ, by time; if there is no path
// (uneven dimensions), one without that limit, if `overMemory` allows it; if there is none either,
// an exchange. A search that its budget ends gives the better of its best path and the greedy plan.
// Where all cuts are allowed, a plan with cuts that are not aligned may replace this one
// (UnevenPlanner.h).

#include "shardwise/planner/strategies/PlanReshard.h"

#include "shardwise/planner/model/Placement.h"
#include "shardwise/planner/search/ExactPlanner.h"
#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/search/PlanAssembly.h"
#include "shardwise/planner/search/SearchBudgets.h"
#include "shardwise/planner/search/TimeBound.h"
#include "shardwise/planner/strategies/GreedyPlanner.h"
#include "shardwise/planner/strategies/HeuristicPlanner.h"
#include "shardwise/planner/strategies/OptimalPlanner.h"
#include "shardwise/planner/strategies/PlanAcrossMeshes.h"
#include "shardwise/planner/strategies/RulePlanners.h"
#include "shardwise/planner/strategies/UnevenPlanner.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// What `Uniform` minimises: bytes, or seconds where links differ.
double costOf(const ReshardProblem &problem, const ReshardPlan &plan) {
  return problem.topology.isPlain() ? double(plan.receivedBytes) : measureSeconds(problem, plan);
}

/// The best plan of uniform steps that a search stopped by its budget knows of.
ReshardPlan bestKnown(const ReshardProblem &problem, const SearchSpace &space,
                      const SearchResult &found, const PlanOptions &options) {
  ReshardPlan plan = planWithoutSearch(problem, options);
  if (!found.path.empty()) {
    ReshardPlan searched =
        toPlan(problem, toSteps(problem, space, found.path), Optimality::BudgetStop, 0);
    plan = costOf(problem, searched) <= costOf(problem, plan) ? searched : plan;
  }
  plan.optimality = Optimality::BudgetStop;
  return plan;
}

/// The one collective at the lower bound, if there is such a plan: nothing is better. Looked for
/// over axes that are not taken apart, so that this costs the same for any number of devices.
std::optional<ReshardPlan> planOneStepAtBound(const ReshardProblem &problem,
                                              const PlanOptions &options, SearchOptions search) {
  std::optional<SearchSpace> space =
      SearchSpace::create(problem, options.idleAxes, AxisSplit::WhereNeeded);
  if (!space || !space->isEven())
    return std::nullopt;
  search.maxCost = lowerBound(problem).receivedBytes;
  search.maxSuccessors = kFirstSuccessors;
  SearchResult found = searchExactly(*space, search);
  if (found.status != SearchStatus::Found)
    return std::nullopt;
  ReshardPlan plan =
      toPlan(problem, toSteps(problem, *space, found.path), Optimality::Proved, found.expansions);
  bool isBest = plan.steps.size() == 1 && plan.receivedBytes == plan.lowerBoundBytes;
  return isBest ? std::optional(std::move(plan)) : std::nullopt;
}

/// The parts of axes between and within hosts.
core::AxisList hostCuts(const ReshardProblem &problem) {
  core::AxisList cuts;
  if (problem.sourceDevices.empty())
    for (int64_t axis = 0; axis < problem.mesh.numAxes(); ++axis)
      for (const core::Axis &part :
           splitAtHosts(problem.topology, problem.mesh, core::fullAxis(problem.mesh, axis)))
        cuts.push_back(part);
  return cuts;
}

ReshardPlan planUniformly(const ReshardProblem &problem, const PlanOptions &options) {
  SearchOptions search;
  search.maxExpansions = options.maxExpansions;
  search.maxSuccessors = kUniformSuccessors;
  search.limits.jointAllToAll = options.jointAllToAll;
  search.limits.localTranspose = options.localTranspose;
  search.limits.maxLocalBytes = memoryLimit(problem);
  search.limits.maxStepBytes =
      problem.memoryLimitBytes.value_or(std::numeric_limits<int64_t>::max());
  bool isTimed = !problem.topology.isPlain();
  if (!isTimed)
    if (std::optional<ReshardPlan> plan = planOneStepAtBound(problem, options, search))
      return *plan;
  std::optional<SearchSpace> space;
  if (isTimed && options.wholeAxes)
    space =
        SearchSpace::create(problem, options.idleAxes, AxisSplit::WhereNeeded, hostCuts(problem));
  // Where hosts cut an axis across what a list has of it there is no space with both.
  if (!space)
    space = SearchSpace::create(problem, options.idleAxes);
  if (!space)
    return planWithoutSearch(problem, options);
  if (isTimed) {
    search.subAxisLinks = subAxisLinks(problem, *space);
    search.maxSuccessors = kFullSuccessors;
  } else if (hasExchangeAtHand(options)) {
    search.maxCost = options.maxReceivedBytes;
    search.maxExpansions = std::min(options.maxExpansions, kAtBoundExpansions);
    search.maxSuccessors = kAtBoundSuccessors;
  }
  SearchResult found = searchWithinBudget(*space, search);
  int64_t expansions = found.expansions;
  // Uneven blocks or tight boxes: every uniform path goes through a larger state.
  if (found.status == SearchStatus::NoPath && options.overMemory == OverMemory::Allow) {
    search.limits.maxLocalBytes = std::numeric_limits<int64_t>::max();
    search.maxExpansions -= expansions;
    found = searchWithinBudget(*space, search);
    expansions += found.expansions;
  }
  ReshardPlan plan;
  switch (found.status) {
  case SearchStatus::Found:
    return toPlan(problem, toSteps(problem, *space, found.path), Optimality::Proved, expansions);
  case SearchStatus::OverBudget:
    plan = bestKnown(problem, *space, found, options);
    break;
  case SearchStatus::NoPath:
    plan = planExchange(problem);
    break;
  }
  plan.expansions = expansions;
  return plan;
}

/// Nothing to do: both shardings give every device the same box.
bool isDone(const ReshardProblem &problem) {
  if (isOneMesh(problem))
    return core::isSamePlacement(problem.source, problem.target);
  return problem.source.unreduced.empty() &&
         haveSameBoxes(Placement(problem, problem.source, OnMesh::Source),
                       Placement(problem, problem.target, OnMesh::Target));
}

/// Whether two shardings of one mesh differ in axes only, not in boxes: everything divides into the
/// same pieces, as when a dimension has one element.
bool isRelabelling(const ReshardProblem &problem) {
  return isOneMesh(problem) && problem.source.unreduced == problem.target.unreduced &&
         localBytes(problem, problem.source) == localBytes(problem, problem.target) &&
         lowerBound(problem).receivedBytes == 0 &&
         haveSameBoxes(Placement(problem, problem.source, OnMesh::Source),
                       Placement(problem, problem.target, OnMesh::Target));
}

Result<ReshardPlan> planByRules(const ReshardProblem &problem, Strategy strategy) {
  switch (strategy) {
  case Strategy::Heuristic:
    return planHeuristically(problem);
  case Strategy::DimensionByDimension:
    return planDimensionByDimension(problem);
  case Strategy::Enumeration:
    return planByEnumeration(problem);
  case Strategy::Basis:
    return planByBasis(problem);
  case Strategy::Uniform:
  case Strategy::Greedy:
  case Strategy::Optimal:
  case Strategy::Exchange:
    break;
  }
  return Error{ErrorKind::Internal, "not a strategy by rules"};
}

core::Sharding withoutUnitAxes(core::Sharding sharding) {
  for (core::DimSharding &dim : sharding.dims)
    std::erase_if(dim.axes, [](const core::Axis &axis) { return axis.size == 1; });
  return sharding;
}

/// Rules know nothing of axes of size 1: these are taken away and brought in by steps that move
/// nothing.
/// 1. Unreduced axes of size 1: an all_reduce over one device.
/// 2. In source lists: a permute to the lists without them.
/// 3. The plan between lists without such axes.
/// 4. In target lists: a permute to the lists with them.
/// Example: <["x"=2, "one"=1]>, [{"one"}, {"x"}] to [{"x"}, {}] goes through [{}, {"x"}].
Result<ReshardPlan> planAroundUnitAxes(const ReshardProblem &problem, Strategy strategy) {
  ReshardProblem bare = problem;
  std::vector<ReshardStep> steps;
  core::AxisList pending = pendingAxes(problem);
  if (!pending.empty() && core::shardedSize(pending) == 1) {
    bare.source.unreduced = problem.target.unreduced;
    ReshardStep &reduce = steps.emplace_back();
    reduce.collective.kind = CollectiveKind::AllReduce;
    reduce.collective.reducedAxes = pending;
    reduce.collective.after = bare.source;
  }
  bare.source = withoutUnitAxes(bare.source);
  bare.target = withoutUnitAxes(problem.target);
  const core::Sharding &reduced = steps.empty() ? problem.source : steps.back().collective.after;
  auto relabel = [&](const core::Sharding &after) {
    ReshardStep &step = steps.emplace_back();
    step.collective.kind = CollectiveKind::CollectivePermute;
    step.collective.after = after;
  };
  if (!core::isSamePlacement(reduced, bare.source))
    relabel(bare.source);
  Optimality optimality = Optimality::NotSearched;
  if (!core::isSamePlacement(bare.source, bare.target)) {
    Result<ReshardPlan> plan = planByRules(bare, strategy);
    if (!plan)
      return plan;
    optimality = plan->optimality;
    steps.insert(steps.end(), plan->steps.begin(), plan->steps.end());
  }
  if (!core::isSamePlacement(bare.target, problem.target))
    relabel(problem.target);
  return toPlan(problem, std::move(steps), optimality, 0);
}

Result<ReshardPlan> planBy(const ReshardProblem &problem, const PlanOptions &options) {
  bool areOneMesh = isOneMesh(problem);
  switch (options.strategy) {
  case Strategy::Optimal:
    return planOptimally(problem, options);
  case Strategy::Exchange:
    return areOneMesh ? planExchange(problem) : planAcrossMeshes(problem);
  case Strategy::Uniform:
    return areOneMesh ? withUnevenCuts(problem, options, planUniformly(problem, options))
                      : planUniformlyAcross(problem, options);
  case Strategy::Greedy:
    return areOneMesh ? planGreedily(problem) : planUniformlyAcross(problem, options);
  case Strategy::Heuristic:
  case Strategy::DimensionByDimension:
  case Strategy::Enumeration:
  case Strategy::Basis:
    break;
  }
  if (areOneMesh)
    return planAroundUnitAxes(problem, options.strategy);
  return unsupported(fmt::format("strategy {} plans on one mesh only; use optimal, uniform, greedy "
                                 "or exchange across meshes",
                                 toString(options.strategy)));
}

} // namespace

std::string_view toString(Strategy strategy) {
  switch (strategy) {
  case Strategy::Uniform:
    return "uniform";
  case Strategy::Greedy:
    return "greedy";
  case Strategy::Optimal:
    return "optimal";
  case Strategy::Heuristic:
    return "heuristic";
  case Strategy::DimensionByDimension:
    return "dimension-by-dimension";
  case Strategy::Enumeration:
    return "enumeration";
  case Strategy::Basis:
    return "basis";
  case Strategy::Exchange:
    return "exchange";
  }
  return "";
}

Result<Strategy> parseStrategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (Strategy strategy : kStrategies) {
    if (toString(strategy) == name)
      return strategy;
    names.push_back(toString(strategy));
  }
  return invalid(
      fmt::format("unknown strategy \"{}\"; expected one of {}", name, fmt::join(names, ", ")));
}

Result<ReshardPlan> planReshard(const ReshardProblem &problem, const PlanOptions &options) {
  if (Result<void> checked = check(problem); !checked)
    return checked.error();
  if (isDone(problem))
    return toPlan(problem, {}, Optimality::Proved, 0);
  if (options.strategy == Strategy::Optimal && isRelabelling(problem))
    return toPlan(problem, {}, Optimality::Proved, 0);
  Result<ReshardPlan> plan = planBy(problem, options);
  if (plan && problem.memoryLimitBytes && !plan->steps.empty() &&
      plan->peakBytes > *problem.memoryLimitBytes) {
    return Error{ErrorKind::Infeasible,
                 fmt::format("the {} plan needs {} bytes at once, the memory limit is {}; use "
                             "strategy optimal",
                             toString(options.strategy), plan->peakBytes,
                             *problem.memoryLimitBytes)};
  }
  return plan;
}

std::vector<StrategyResult> compareStrategies(const ReshardProblem &problem) {
  std::vector<StrategyResult> results;
  for (Strategy strategy : kStrategies) {
    PlanOptions options;
    options.strategy = strategy;
    options.jointAllToAll = JointAllToAll::AnyDims;
    options.localTranspose = true;
    results.push_back({strategy, planReshard(problem, options)});
  }
  return results;
}

} // namespace shardwise::planner
