// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses between stock collectives at the bound, the exchange, and the full search.

#include "shardwise/planner/OptimalPlanner.h"

#include "shardwise/planner/ExactPlanner.h"
#include "shardwise/planner/GreedyPlanner.h"
#include "shardwise/planner/LowerBound.h"
#include "shardwise/planner/MeasurePlan.h"
#include "shardwise/planner/PlanAssembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace shardwise::planner {
namespace {

/// States the short search may expand: an exchange is at hand if it finds nothing.
constexpr int64_t kShortSearch = 48;
/// Steps the short and the full search may look at: milliseconds, and some tens of them.
constexpr int64_t kShortSuccessors = 20'000;
constexpr int64_t kFullSuccessors = 150'000;
/// Up to so many devices, totals decide between plans of equal time.
constexpr int64_t kCompareTotals = 256;

bool fits(const ReshardProblem &problem, const ReshardPlan &plan) {
  return !problem.memoryLimitBytes || plan.steps.empty() ||
         plan.peakBytes <= *problem.memoryLimitBytes;
}

core::AxisList pendingAxes(const ReshardProblem &problem) {
  core::AxisList kept = isOneMesh(problem) ? problem.target.unreduced : core::AxisList{};
  return core::setDifference(problem.source.unreduced, kept);
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
  if (!problem.topology.isPlain()) {
    for (int atom = 0; atom < space.numAtoms(); ++atom) {
      search.atomLinks.push_back(linkAlong(problem.topology, problem.mesh, space.atomAxis(atom)));
    }
  }
  return search;
}

/// Whether every byte received counts: no device gets what it has or will not need.
bool hasLeastTotal(const ReshardProblem &problem, const ReshardPlan &plan) {
  if (problem.mesh.numDevices() > kCompareTotals) {
    return true;
  }
  Placement before(problem, problem.source, false);
  Placement after(problem, problem.target, true);
  return measure(problem, plan).receivedBytesTotal == missingBetween(problem, before, after).total;
}

Error tooLittleMemory(const ReshardProblem &problem) {
  return {ErrorKind::Infeasible,
          fmt::format("no plan keeps the memory limit of {} bytes; a single exchange needs {}",
                      *problem.memoryLimitBytes, planExchange(problem).peakBytes)};
}

/// Reduces along `pending` where the reduced pieces can stay scattered, else everywhere.
std::vector<ReshardStep> reductionSteps(const ReshardProblem &problem,
                                        const core::AxisList &pending) {
  std::vector<ReshardStep> steps;
  if (pending.empty()) {
    return steps;
  }
  ReshardStep &step = steps.emplace_back();
  step.after = problem.source;
  step.after.unreduced = core::setDifference(problem.source.unreduced, pending);
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    core::AxisList axes = problem.source.dims[dim].axes;
    int64_t blocks = core::shardedSize(axes) * core::shardedSize(pending);
    if (problem.shape[dim] > 0 && problem.shape[dim] % blocks == 0) {
      step.kind = StepKind::ReduceScatter;
      step.dimAxes.resize(problem.shape.size());
      step.dimAxes[dim] = pending;
      for (const core::Axis &axis : pending) {
        core::appendOrMerge(step.after.dims[dim].axes, axis);
      }
      return steps;
    }
  }
  step.kind = StepKind::AllReduce;
  step.reducedAxes = pending;
  return steps;
}

/// Full search by bytes or by time, exchange included.
Result<ReshardPlan> searchFully(const ReshardProblem &problem, const SearchSpace &space,
                                const PlanOptions &options) {
  SearchOptions search = searchOptions(problem, space, options);
  search.limits.exchange = true;
  search.maxSuccessors = kFullSuccessors;
  SearchResult found = searchExactly(space, search);
  ReshardPlan exchange = planExchange(problem);
  exchange.expansions = found.expansions;
  if (found.status == SearchStatus::Found) {
    ReshardPlan plan =
        toPlan(problem, toSteps(problem, space, found.path), Optimality::Proved, found.expansions);
    bool isBetter = !space.isEven() && fits(problem, exchange) &&
                    measure(problem, exchange).seconds < measure(problem, plan).seconds;
    exchange.optimality = Optimality::Proved;
    return isBetter ? exchange : plan;
  }
  bool isDecided = found.status == SearchStatus::NoPath;
  exchange.optimality = isDecided ? Optimality::Proved : Optimality::BudgetStop;
  if (fits(problem, exchange)) {
    return exchange;
  }
  ReshardPlan greedy = planGreedily(problem);
  if (!isDecided && fits(problem, greedy)) {
    greedy.optimality = Optimality::BudgetStop;
    return greedy;
  }
  return tooLittleMemory(problem);
}

} // namespace

ReshardPlan planAcrossMeshes(const ReshardProblem &problem) {
  std::vector<ReshardStep> steps = reductionSteps(problem, pendingAxes(problem));
  const core::Sharding &reduced = steps.empty() ? problem.source : steps.back().after;
  Placement before(problem, reduced, false);
  Placement after(problem, problem.target, true);
  Optimality optimality =
      steps.empty() && problem.topology.isPlain() ? Optimality::Proved : Optimality::NotSearched;
  if (haveSameBoxes(before, after)) {
    return toPlan(problem, std::move(steps), optimality, 0);
  }
  ReshardStep cross;
  cross.changesMesh = true;
  cross.after = problem.target;
  cross.kind = StepKind::Exchange;
  bool sameDevices = before.numDevices() == after.numDevices();
  bool sameBlocks = true;
  for (int64_t position = 0; sameDevices && position < after.numDevices(); ++position) {
    sameDevices = before.positionOrNull(after.idAt(position)).has_value();
  }
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    sameBlocks = sameBlocks && before.numBlocks(dim) == after.numBlocks(dim);
  }
  if (sameDevices && sameBlocks) {
    // Of equal volume or not: a device whose box overlaps its new one only in part would receive
    // it whole.
    int64_t whole = 0;
    for (int64_t position = 0; position < after.numDevices(); ++position) {
      core::Box box = after.boxAt(position);
      bool stays = before.boxAt(*before.positionOrNull(after.idAt(position))) == box;
      whole += stays ? 0 : box.numElements() * problem.elementBytes;
    }
    if (whole == missingBetween(problem, before, after).total) {
      cross.kind = StepKind::CollectivePermute;
    }
  }
  steps.push_back(std::move(cross));
  return toPlan(problem, std::move(steps), optimality, 0);
}

Result<ReshardPlan> planOptimally(const ReshardProblem &problem, const PlanOptions &options) {
  if (!isOneMesh(problem)) {
    ReshardPlan plan = planAcrossMeshes(problem);
    return fits(problem, plan) ? Result<ReshardPlan>(plan) : tooLittleMemory(problem);
  }
  std::optional<SearchSpace> space = SearchSpace::create(problem);
  bool reduces = core::shardedSize(pendingAxes(problem)) > 1;
  LowerBound bound = lowerBound(problem);
  ReshardPlan exchange = planExchange(problem);
  bool isPlain = problem.topology.isPlain() && !reduces && fits(problem, exchange);
  if (space && !isPlain) {
    return searchFully(problem, *space, options);
  }
  if (space) {
    SearchOptions search = searchOptions(problem, *space, options);
    search.maxCost = bound.receivedBytes;
    search.maxExpansions = std::min(options.maxExpansions, kShortSearch);
    search.maxSuccessors = kShortSuccessors;
    SearchResult found = searchExactly(*space, search);
    exchange.expansions = found.expansions;
    if (found.status == SearchStatus::Found) {
      ReshardPlan plan = toPlan(problem, toSteps(problem, *space, found.path), Optimality::Proved,
                                found.expansions);
      if (plan.receivedBytes == bound.receivedBytes && hasLeastTotal(problem, plan)) {
        return plan;
      }
    }
  }
  if (!fits(problem, exchange)) {
    return tooLittleMemory(problem);
  }
  bool isProved = exchange.receivedBytes == bound.receivedBytes && problem.topology.isPlain();
  exchange.optimality = isProved ? Optimality::Proved : Optimality::BudgetStop;
  return exchange;
}

} // namespace shardwise::planner
