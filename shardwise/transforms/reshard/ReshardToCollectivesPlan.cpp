// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler asks of the planner. That moves data and reduces; what makes a value unreduced
// moves nothing and stands behind its steps.

#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"

#include "shardwise/core/BlockShift.h"
#include "shardwise/core/StepsToUnreduced.h"
#include "shardwise/core/Text.h"
#include "shardwise/planner/model/ExchangeParts.h"
#include "shardwise/planner/strategies/GreedyPlanner.h"
#include "shardwise/planner/strategies/UnevenPlanner.h"
#include "shardwise/planner/verify/MeasurePlan.h"
#include "shardwise/planner/verify/Price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace shardwise::reshard {

namespace {

/// As for the steps of a fetch: so many permutes an exchange becomes for XLA.
constexpr int64_t kMaxMessages = 16;
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

bool hasExchange(const planner::ReshardPlan &plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const planner::ReshardStep &step) {
    return step.collective.kind == core::CollectiveKind::Exchange;
  });
}

/// A permute to the target mesh, to blocks as `after` says; where every device keeps its block,
/// too: what follows is on the other mesh.
planner::ReshardStep crossing(const planner::ReshardProblem &problem, const core::Sharding &after,
                              bool movesNothing) {
  planner::ReshardStep permute;
  permute.collective.kind = core::CollectiveKind::CollectivePermute;
  permute.collective.after = after;
  permute.changesMesh = true;
  permute.localBytesAfter = planner::localBytes(problem, after);
  permute.receivedBytes = movesNothing ? 0 : permute.localBytesAfter;
  return permute;
}

void append(planner::ReshardPlan &plan, planner::ReshardPlan more) {
  plan.receivedBytes += more.receivedBytes;
  plan.largestStateBytes = std::max(plan.largestStateBytes, more.largestStateBytes);
  plan.peakBytes = std::max(plan.peakBytes, more.peakBytes);
  for (planner::ReshardStep &step : more.steps)
    plan.steps.push_back(std::move(step));
}

/// Gathers all, so that every device of both meshes has it, and cuts it there.
planner::ReshardPlan planOverWhole(const planner::ReshardProblem &problem) {
  planner::ReshardProblem gather = problem, cut = problem;
  gather.targetMesh.reset();
  cut.targetMesh.reset();
  cut.mesh = *problem.targetMesh;
  gather.target = cut.source = core::replicatedSharding(std::ssize(problem.shape));
  planner::ReshardPlan plan = planner::planGreedily(gather);
  plan.steps.push_back(crossing(problem, cut.source, /*movesNothing=*/true));
  append(plan, planner::planGreedily(cut));
  return plan;
}

/// A plan from a mesh to one of the same axes in another order of devices. Partial values are not
/// cut anew on the way: what is unreduced in the target crosses in the end.
Result<planner::ReshardPlan> planToOtherOrder(const planner::ReshardProblem &problem,
                                              planner::PlanOptions options) {
  planner::ReshardProblem start = problem;
  options.strategy = planner::Strategy::Uniform;
  if (!problem.target.unreduced.empty())
    start.targetMesh.reset();
  Result<planner::ReshardPlan> plan = planner::planReshard(start, options);
  if (!plan.ok())
    return plan;
  if (hasExchange(*plan)) {
    if (problem.target.unreduced.empty())
      return planOverWhole(problem);
    plan = planner::planGreedily(start);
  }
  bool crosses = std::any_of(plan->steps.begin(), plan->steps.end(),
                             [](const planner::ReshardStep &step) { return step.changesMesh; });
  if (crosses)
    return plan;
  plan->steps.push_back(
      crossing(problem, problem.target, /*movesNothing=*/start.targetMesh.has_value()));
  plan->receivedBytes += plan->steps.back().receivedBytes;
  return plan;
}

Result<planner::ReshardPlan> planByTime(const planner::ReshardProblem &problem,
                                        planner::UnevenCuts cuts);

planner::PlanOptions optionsOfSteps(planner::UnevenCuts cuts, int64_t maxReceivedBytes) {
  planner::PlanOptions options;
  options.maxReceivedBytes = maxReceivedBytes;
  options.idleAxes = planner::IdleAxes::Leave;
  options.unevenCuts = cuts;
  return options;
}

/// No uniform collective does an exchange; there is always a way over whole dimensions.
planner::ReshardPlan withoutExchange(const planner::ReshardProblem &problem,
                                     planner::ReshardPlan plan) {
  return hasExchange(plan) ? planner::planGreedily(problem) : plan;
}

Result<planner::ReshardPlan> planUniformSteps(const planner::ReshardProblem &problem,
                                              planner::UnevenCuts cuts, int64_t maxReceivedBytes) {
  if (!problem.topology.isPlain() && !problem.targetMesh)
    return planByTime(problem, cuts);
  planner::PlanOptions options = optionsOfSteps(cuts, maxReceivedBytes);
  if (problem.targetMesh)
    return planToOtherOrder(problem, options);
  Result<planner::ReshardPlan> plan = planner::planReshard(problem, options);
  return plan.ok() ? Result<planner::ReshardPlan>(withoutExchange(problem, *plan)) : plan;
}

/// The faster one of the plan of least time, whose search cuts axes where it must, and of fewest
/// bytes, whose search cuts them everywhere.
Result<planner::ReshardPlan> planByTime(const planner::ReshardProblem &problem,
                                        planner::UnevenCuts cuts) {
  planner::PlanOptions options;
  // Axes that nobody named can share what a slow one has to bring.
  options.idleAxes = planner::IdleAxes::Use;
  options.wholeAxes = true;
  options.unevenCuts = cuts;
  Result<planner::ReshardPlan> byTime = planner::planReshard(problem, options);
  planner::ReshardProblem plain = problem;
  plain.topology = {};
  Result<planner::ReshardPlan> byBytes = planUniformSteps(plain, cuts, kNoLimit);
  if (!byTime.ok() || hasExchange(*byTime) || !byBytes.ok())
    return byBytes;
  bool isFaster =
      planner::measureSeconds(problem, *byTime) <= planner::measureSeconds(problem, *byBytes);
  return isFaster ? byTime : byBytes;
}

/// Puts a step behind `plan` that moves nothing, but what is handed over.
void appendLocalStep(planner::ReshardPlan &plan, const planner::ReshardProblem &problem,
                     core::Collective collective, HandOver handOver) {
  const core::Sharding &before =
      plan.steps.empty() ? problem.source : plan.steps.back().collective.after;
  planner::ReshardStep step;
  step.localBytesAfter = planner::localBytes(problem, collective.after);
  if (handOver == HandOver::Counted)
    step.receivedBytes =
        core::handedOverBytes(before, collective.after, problem.shape, problem.elementBytes);
  plan.receivedBytes += step.receivedBytes;
  plan.largestStateBytes = std::max(plan.largestStateBytes, step.localBytesAfter);
  plan.peakBytes =
      std::max(plan.peakBytes, planner::localBytes(problem, before) + step.localBytesAfter);
  step.collective = std::move(collective);
  plan.steps.push_back(std::move(step));
}

/// Adds what devices hand over to the steps of `plan`.
void countHandOver(planner::ReshardPlan &plan, const planner::ReshardProblem &problem) {
  const core::Sharding *before = &problem.source;
  for (planner::ReshardStep &step : plan.steps) {
    int64_t bytes =
        core::handedOverBytes(*before, step.collective.after, problem.shape, problem.elementBytes);
    step.receivedBytes += bytes;
    plan.receivedBytes += bytes;
    before = &step.collective.after;
  }
}

/// Of `anywhere`, whose cuts may be anywhere, and the plan with cuts along block boundaries, which
/// `planAligned` makes, the one that receives less, with what devices hand over.
template <class PlanAligned>
Result<planner::ReshardPlan> cheaperOfCuts(const planner::ReshardProblem &problem,
                                           planner::ReshardPlan anywhere, PlanAligned planAligned) {
  int64_t bytes = anywhere.receivedBytes;
  countHandOver(anywhere, problem);
  if (anywhere.receivedBytes == bytes)
    return anywhere;
  Result<planner::ReshardPlan> aligned = planAligned();
  return aligned.ok() && aligned->receivedBytes < anywhere.receivedBytes ? aligned : anywhere;
}

/// The cheaper one of the plans with cuts anywhere and along block boundaries, none of which is
/// looked for if it receives more than `maxReceivedBytes`.
Result<planner::ReshardPlan> planByPrice(const planner::ReshardProblem &problem, HandOver handOver,
                                         int64_t maxReceivedBytes) {
  using Plan = Result<planner::ReshardPlan>;
  auto planSteps = [&](planner::UnevenCuts cuts) {
    return planUniformSteps(problem, cuts, maxReceivedBytes);
  };
  if (handOver == HandOver::Free)
    return planSteps(planner::UnevenCuts::Any);
  if (!problem.topology.isPlain() || problem.targetMesh) {
    Plan anywhere = planSteps(planner::UnevenCuts::Any);
    return anywhere.ok() ? cheaperOfCuts(problem, std::move(*anywhere),
                                         [&] { return planSteps(planner::UnevenCuts::Aligned); })
                         : anywhere;
  }
  // The search for cuts anywhere begins with the plan of aligned ones: it is made once.
  Plan aligned =
      planner::planReshard(problem, optionsOfSteps(planner::UnevenCuts::Aligned, maxReceivedBytes));
  if (!aligned.ok())
    return aligned;
  planner::ReshardPlan anywhere = planner::withUnevenCuts(
      problem, optionsOfSteps(planner::UnevenCuts::Any, maxReceivedBytes), *aligned);
  return cheaperOfCuts(problem, withoutExchange(problem, std::move(anywhere)),
                       [&] { return Plan(withoutExchange(problem, std::move(*aligned))); });
}

/// The steps [first, end) of a plan, none of which reduces, as a problem of their own, and whether
/// the plan has crossed to the other mesh before them.
planner::ReshardProblem problemOf(std::span<const planner::ReshardStep> steps,
                                  const planner::ReshardProblem &problem,
                                  const core::Sharding &before, bool hasCrossed) {
  planner::ReshardProblem moves = hasCrossed ? planner::onTargetMesh(problem, before) : problem;
  moves.source = before;
  moves.target = steps.back().collective.after;
  bool crosses = std::any_of(steps.begin(), steps.end(),
                             [](const planner::ReshardStep &step) { return step.changesMesh; });
  if (!crosses)
    moves.targetMesh.reset();
  return moves;
}

/// Whether one exchange may do `moves`.
bool mayExchange(const planner::ReshardProblem &moves) {
  return (planner::isOneMesh(moves) ||
          (moves.source.unreduced.empty() && moves.target.unreduced.empty())) &&
         planner::maxReceivedMessages(moves.shape, moves.source, moves.target) <= kMaxMessages;
}

Result<planner::ReshardPlan> planOneExchange(const planner::ReshardProblem &moves) {
  planner::PlanOptions options;
  options.strategy = planner::Strategy::Exchange;
  return planner::planReshard(moves, options);
}

/// What the steps of a plan can receive at most if an exchange does not have a lower price. The
/// search is much shorter for knowing it: an exchange receives the least there is. No limit where
/// bytes alone do not decide.
int64_t mostBesideExchange(const planner::ReshardProblem &problem,
                           const planner::Machine &machine) {
  bool reduces = problem.source.unreduced != problem.target.unreduced;
  if (!problem.topology.isPlain() || reduces || !planner::isOneMesh(problem) ||
      !mayExchange(problem))
    return kNoLimit;
  Result<planner::ReshardPlan> exchange = planOneExchange(problem);
  if (!exchange.ok())
    return kNoLimit;
  planner::PriceList prices(machine, problem.mesh);
  return std::llround(prices.of(problem, *exchange).weight - prices.weightOf(machine.startSeconds));
}

/// How many of `steps` hand something over: that is a permute beside the step.
int64_t numHandOvers(const planner::ReshardProblem &problem, const core::Sharding &source,
                     std::span<const planner::ReshardStep> steps) {
  const core::Sharding *before = &source;
  int64_t count = 0;
  for (const planner::ReshardStep &step : steps) {
    if (core::handedOverBytes(*before, step.collective.after, problem.shape, problem.elementBytes) >
        0)
      ++count;
    before = &step.collective.after;
  }
  return count;
}

/// `steps`, which lead from source to target of `moves`, or one exchange instead if that has a
/// lower price. At the same price too if something is handed over: that is a value more between the
/// steps, with what is put together of it, and an exchange has none.
planner::ReshardPlan orExchange(const planner::ReshardProblem &moves,
                                std::span<const planner::ReshardStep> steps,
                                const planner::Machine &machine) {
  planner::ReshardPlan plan;
  plan.largestStateBytes = plan.peakBytes = planner::localBytes(moves, moves.source);
  for (const planner::ReshardStep &step : steps) {
    int64_t held = plan.steps.empty() ? plan.largestStateBytes : plan.steps.back().localBytesAfter;
    plan.receivedBytes += step.receivedBytes;
    plan.largestStateBytes = std::max(plan.largestStateBytes, step.localBytesAfter);
    plan.peakBytes = std::max(plan.peakBytes, held + step.localBytesAfter);
    plan.steps.push_back(step);
  }
  if (plan.receivedBytes == 0 || !mayExchange(moves))
    return plan;
  Result<planner::ReshardPlan> exchange = planOneExchange(moves);
  if (!exchange.ok())
    return plan;
  planner::PriceList prices(machine, moves.mesh);
  int64_t handOvers = numHandOvers(moves, moves.source, steps);
  double weight = prices.of(moves, plan).weight +
                  prices.weightOf(machine.startSeconds) * static_cast<double>(handOvers);
  double ofExchange = prices.of(moves, *exchange).weight;
  bool isCheaper = ofExchange < weight || (handOvers > 0 && ofExchange == weight);
  return isCheaper ? std::move(*exchange) : plan;
}

/// Returns `plan` with an exchange for each run of steps between reductions where that is cheaper.
planner::ReshardPlan withExchanges(const planner::ReshardProblem &problem,
                                   planner::ReshardPlan plan, const planner::Machine &machine) {
  if (plan.receivedBytes <= plan.lowerBoundBytes &&
      numHandOvers(problem, problem.source, plan.steps) == 0)
    return plan;
  planner::ReshardPlan result;
  result.lowerBoundBytes = plan.lowerBoundBytes;
  result.optimality = plan.optimality;
  result.expansions = plan.expansions;
  result.largestStateBytes = result.peakBytes = planner::localBytes(problem, problem.source);
  const core::Sharding *before = &problem.source;
  bool hasCrossed = false;
  std::span<const planner::ReshardStep> rest = plan.steps;
  while (!rest.empty()) {
    auto reduces = [](const planner::ReshardStep &step) {
      return core::combinesPartialValues(step.collective.kind);
    };
    auto end = std::find_if(rest.begin(), rest.end(), reduces);
    if (end == rest.begin()) {
      result.receivedBytes += rest.front().receivedBytes;
      result.largestStateBytes = std::max(result.largestStateBytes, rest.front().localBytesAfter);
      // What a reduction holds in addition is what the plan counted.
      result.peakBytes = std::max(result.peakBytes, plan.peakBytes);
      result.steps.push_back(rest.front());
      ++end;
    } else {
      std::span<const planner::ReshardStep> moves(rest.begin(), end);
      append(result, orExchange(problemOf(moves, problem, *before, hasCrossed), moves, machine));
    }
    for (const planner::ReshardStep &step : std::span(rest.begin(), end)) {
      hasCrossed |= step.changesMesh;
      before = &step.collective.after;
    }
    rest = {end, rest.end()};
  }
  return result;
}

/// core::stepsToUnreduced between meshes. An axis of one has no meaning on the other: what is
/// unreduced before is reduced, and what has come to the target mesh becomes unreduced there.
std::optional<core::StepsToUnreduced> stepsAcrossMeshes(const core::Sharding &source,
                                                        const core::Sharding &target) {
  if (core::setDifference(target.unreduced, source.unreduced).empty())
    return std::nullopt;
  core::Sharding arrived = target;
  arrived.unreduced.clear();
  return core::stepsToUnreduced(arrived, target);
}

} // namespace

Result<planner::ReshardPlan> planCollectives(const planner::ReshardProblem &problem,
                                             const CollectiveRules &rules) {
  bool isOneMesh = planner::isOneMesh(problem);
  std::optional<core::StepsToUnreduced> steps =
      isOneMesh ? core::stepsToUnreduced(problem.source, problem.target)
                : stepsAcrossMeshes(problem.source, problem.target);
  auto planMoves = [&](const planner::ReshardProblem &moves) {
    const planner::Machine &machine = rules.machine ? *rules.machine : planner::defaultMachine();
    bool mayHaveExchange = rules.exchanges == Exchanges::WhereCheaper;
    Result<planner::ReshardPlan> plan = planByPrice(
        moves, rules.handOver, mayHaveExchange ? mostBesideExchange(moves, machine) : kNoLimit);
    if (plan.ok() && mayHaveExchange)
      plan = withExchanges(moves, std::move(*plan), machine);
    return plan;
  };
  if (!steps)
    return planMoves(problem);
  // Zeros add nothing to a sum; there are no such elements for other functions in every type.
  bool isSum =
      problem.target.reduction == core::ReductionKind::Sum &&
      (steps->moved.unreduced.empty() || problem.source.reduction == core::ReductionKind::Sum);
  if (!isSum)
    return Error{
        ErrorKind::Unsupported,
        fmt::format("target is unreduced by {} along {}, source along {}; only sums can be "
                    "introduced",
                    core::toString(problem.target.reduction),
                    core::toString(problem.target.unreduced, problem.mesh),
                    core::toString(problem.source.unreduced, problem.mesh))};
  planner::ReshardProblem moves = problem;
  moves.target = std::move(steps->moved);
  Result<planner::ReshardPlan> plan = planMoves(moves);
  if (!plan.ok())
    return plan;
  // What every device holds is on either mesh: no step needs to lead from one to the other.
  bool isOnTarget = isOneMesh || std::ranges::any_of(plan->steps, [](const auto &step) {
                      return step.changesMesh;
                    });
  for (core::Collective &collective : steps->collectives) {
    appendLocalStep(*plan, problem, std::move(collective), rules.handOver);
    plan->steps.back().changesMesh = !isOnTarget;
    isOnTarget = true;
  }
  plan->optimality = planner::Optimality::NotSearched;
  return plan;
}

} // namespace shardwise::reshard
