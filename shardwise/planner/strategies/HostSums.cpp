// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes that cross hosts in part are split (planner/model/Topology.h): "x" of 8 devices, 4 to a
// host, is "x":(1)2 between hosts and "x":(2)4 within.
//
// The steps of a reduce_scatter [{"x", "y"}, {}] of hosts "x" by devices "y":
//
//     reduce_scatter [{}, {"y"}]     within hosts: device y of each has columns y, of its host's
//     sum reduce_scatter [{"x"}, {}]     between hosts: rows x of these columns all_to_all {"y"}:
//     1->0         within hosts: rows x, y, all columns
//
// The rows could not be cut by "y" first: "x" has to be the major axis.

#include "shardwise/planner/strategies/HostSums.h"

#include "shardwise/planner/search/PlanAssembly.h"

#include <optional>
#include <utility>
#include <vector>

namespace shardwise::planner {
namespace {

using core::AxisList;
using core::Collective;
using core::CollectiveKind;

/// Parts of axes within hosts and between them.
struct SplitAxes {
  AxisList near;
  AxisList far;
  /// All of `far` comes before all of `near`.
  bool isFarFirst = true;

  bool areBoth() const { return !near.empty() && !far.empty(); }
};

SplitAxes split(const ReshardProblem &problem, const AxisList &axes) {
  SplitAxes result;
  for (const core::Axis &axis : axes)
    for (const core::Axis &part : splitAtHosts(problem.topology, problem.mesh, axis)) {
      bool isFar = linkAlong(problem, part) == problem.topology.hostLink;
      result.isFarFirst = result.isFarFirst && !(isFar && !result.near.empty());
      (isFar ? result.far : result.near).push_back(part);
    }
  return result;
}

/// Steps in the making, each on the sharding behind the one before it.
class SumSteps {
public:
  SumSteps(const ReshardProblem &problem, const core::Sharding &before)
      : problem(problem), sharding(before) {}

  void add(Collective collective) {
    Result<core::Sharding> after = core::apply(collective, sharding, problem.mesh);
    if (!after) {
      isPossible = false;
      return;
    }
    after->reduction = problem.source.reduction;
    sharding = *after;
    collective.after = std::move(*after);
    steps.emplace_back().collective = std::move(collective);
  }
  void add(CollectiveKind kind, int64_t dim, const AxisList &axes) {
    Collective collective;
    collective.kind = kind;
    collective.dimAxes.resize(problem.shape.size());
    collective.dimAxes[dim] = axes;
    add(std::move(collective));
  }

  /// None if some step was not possible.
  std::optional<std::vector<ReshardStep>> take() {
    return isPossible ? std::optional(std::move(steps)) : std::nullopt;
  }

private:
  const ReshardProblem &problem;
  core::Sharding sharding;
  std::vector<ReshardStep> steps;
  bool isPossible = true;
};

/// The first dimension but `other` of which the shards can be cut by `axes` evenly.
std::optional<int64_t> evenDim(const ReshardProblem &problem, const core::Sharding &before,
                               const AxisList &axes, int64_t other) {
  int64_t parts = core::shardedSize(axes);
  for (int64_t dim = 0; dim < std::ssize(problem.shape); ++dim)
    if (dim != other &&
        problem.shape[dim] % (core::shardedSize(before.dims[dim].axes) * parts) == 0)
      return dim;
  return std::nullopt;
}

std::optional<std::vector<ReshardStep>> splitStep(const ReshardProblem &problem,
                                                  const core::Sharding &before,
                                                  const Collective &collective) {
  SumSteps steps(problem, before);
  if (collective.kind == CollectiveKind::AllReduce) {
    SplitAxes axes = split(problem, collective.reducedAxes);
    std::optional<int64_t> dim = evenDim(problem, before, axes.near, -1);
    if (!axes.areBoth() || !dim)
      return std::nullopt;
    Collective between;
    between.kind = CollectiveKind::AllReduce;
    between.reducedAxes = axes.far;
    steps.add(CollectiveKind::ReduceScatter, *dim, axes.near);
    steps.add(std::move(between));
    steps.add(CollectiveKind::AllGather, *dim, axes.near);
    return steps.take();
  }
  if (collective.kind != CollectiveKind::ReduceScatter)
    return std::nullopt;
  int64_t target = -1;
  for (int64_t dim = 0; dim < std::ssize(collective.dimAxes); ++dim) {
    if (collective.dimAxes[dim].empty())
      continue;
    if (target >= 0)
      return std::nullopt;
    target = dim;
  }
  SplitAxes axes = split(problem, target >= 0 ? collective.dimAxes[target] : AxisList{});
  std::optional<int64_t> other = evenDim(problem, before, axes.near, target);
  bool isEven =
      target >= 0 && problem.shape[target] % (core::shardedSize(before.dims[target].axes) *
                                              core::shardedSize(collective.dimAxes[target])) ==
                         0;
  if (!axes.areBoth() || !axes.isFarFirst || !other || !isEven)
    return std::nullopt;
  Collective back;
  back.kind = CollectiveKind::AllToAll;
  back.moves = {{axes.near, *other, target}};
  steps.add(CollectiveKind::ReduceScatter, *other, axes.near);
  steps.add(CollectiveKind::ReduceScatter, target, axes.far);
  steps.add(std::move(back));
  return steps.take();
}

} // namespace

ReshardPlan sumWithinHostsFirst(const ReshardProblem &problem, ReshardPlan plan) {
  if (problem.topology.devicesPerHost == 0 || !problem.topology.axisLinks.empty() ||
      problem.topology.link == problem.topology.hostLink)
    return plan;
  std::vector<ReshardStep> steps;
  const core::Sharding *before = &problem.source;
  bool isOnSource = true;
  bool isChanged = false;
  for (const ReshardStep &step : plan.steps) {
    isOnSource = isOnSource && !step.changesMesh;
    auto instead = isOnSource ? splitStep(problem, *before, step.collective) : std::nullopt;
    isChanged = isChanged || instead;
    if (instead)
      steps.insert(steps.end(), instead->begin(), instead->end());
    else
      steps.push_back(step);
    before = &step.collective.after;
  }
  return isChanged ? toPlan(problem, std::move(steps), plan.optimality, plan.expansions) : plan;
}

} // namespace shardwise::planner
