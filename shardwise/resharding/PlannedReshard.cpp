// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/resharding/PlannedReshard.h"

#include "shardwise/planner/strategies/HostSums.h"
#include "shardwise/resharding/ScheduleTime.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::resharding {
namespace {

/// How ranks follow a plan if nobody says. Where links have prices, or there are hosts, the planner
/// has weighed the steps by these; in one memory each step costs a copy.
Grain grainFor(const planner::Topology &topology, const ReshardSchedule &steps,
               const ReshardSchedule &fused) {
  bool isOneMemory = topology.isPlain() && topology.devicesPerHost == 0;
  bool isFused = isOneMemory && scheduleSecondsInMemory(fused) <= scheduleSecondsInMemory(steps);
  return isFused ? Grain::Fused : Grain::Steps;
}

} // namespace

Result<PlannedReshard> PlannedReshard::plan(planner::ReshardProblem problem,
                                            const ReshardOptions &options) {
  Result<planner::ReshardPlan> plan = planner::planReshard(problem, options.planning);
  if (!plan)
    return plan.error();
  planner::ReshardPlan byHosts = planner::sumWithinHostsFirst(problem, std::move(*plan));
  return follow(std::move(problem), std::move(byHosts), options);
}

Result<PlannedReshard> PlannedReshard::follow(planner::ReshardProblem problem,
                                              planner::ReshardPlan plan,
                                              const ReshardOptions &options) {
  PlannedReshard planned;
  if (options.type && runtime::byteSize(*options.type) != problem.elementBytes) {
    return invalid(fmt::format("elements of {} B are to be of type {}, which has {} B",
                               problem.elementBytes, runtime::toString(*options.type),
                               runtime::byteSize(*options.type)));
  }
  planned.ranked = makeSchedule(problem, plan, Grain::Steps, options.source, options.target);
  planned.fused = makeSchedule(problem, plan, Grain::Fused, options.source, options.target);
  Grain onRanks = options.onRanks ? *options.onRanks
                                  : grainFor(problem.topology, planned.ranked, planned.fused);
  if (onRanks == Grain::Fused)
    planned.ranked = planned.fused;
  if (std::any_of(planned.fused.steps.begin(), planned.fused.steps.end(),
                  [](const ScheduledStep &step) { return step.combines(); })) {
    if (!options.type) {
      return invalid("partial values are combined on the way, of elements of unknown type; give "
                     "their type");
    }
    Result<runtime::Reducer> made = runtime::makeReducer(problem.source.reduction, *options.type);
    if (!made)
      return made.error();
    planned.reducer = std::move(*made);
  }
  planned.reshardProblem = std::move(problem);
  planned.reshardPlan = std::move(plan);
  return planned;
}

Result<ReshardTraffic> PlannedReshard::execute(std::span<const std::byte *const> sources,
                                               std::span<std::byte *const> targets,
                                               runtime::WorkerThreads &workers) const {
  return executeHere(fused, sources, targets, reducer ? &*reducer : nullptr, workers);
}

Result<ReshardTraffic> PlannedReshard::execute(runtime::Communicator &communicator,
                                               std::span<const std::byte *const> sources,
                                               std::span<std::byte *const> targets,
                                               const RankOfDevice &rankOf) const {
  return executeOnRank(ranked, communicator, sources, targets, reducer ? &*reducer : nullptr,
                       rankOf);
}

} // namespace shardwise::resharding
