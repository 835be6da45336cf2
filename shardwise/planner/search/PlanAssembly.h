// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a path of states to the steps of a plan, with bytes and totals.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"
#include "shardwise/planner/search/ExactPlanner.h"

#include <optional>
#include <span>
#include <vector>

namespace shardwise::planner {

/// Returns the steps of `path`: adjacent slices, gathers and reduce_scatters joined, the axes of
/// each step read off the states before and after it. Axes of size 1, which states leave out, are
/// taken away and brought in by steps that move nothing. Bytes are not filled in.
std::vector<ReshardStep> toSteps(const ReshardProblem &problem, const SearchSpace &space,
                                 std::span<const PathState> path);

/// Returns the plan of `steps`: fills in each step's bytes and the totals; the last sharding
/// becomes the target as it was given, if it is on the target's mesh. Requires: the steps are right
/// for `problem`.
ReshardPlan toPlan(const ReshardProblem &problem, std::vector<ReshardStep> steps,
                   Optimality optimality, int64_t expansions);

/// Calls `visit(rest, before, step)` for every step: `rest` is the problem on the mesh that the
/// step starts on (`onTargetMesh` once the plan has crossed), `before` the sharding there.
template <class Visit>
void forEachStep(const ReshardProblem &problem, const ReshardPlan &plan, Visit visit) {
  std::optional<ReshardProblem> arrived;
  const core::Sharding *before = &problem.source;
  for (const ReshardStep &step : plan.steps) {
    visit(arrived ? *arrived : problem, *before, step);
    before = &step.collective.after;
    if (step.changesMesh)
      arrived = onTargetMesh(problem, step.collective.after);
  }
}

/// Returns the plan of one exchange step, after an all_reduce if there is something to reduce.
ReshardPlan planExchange(const ReshardProblem &problem);

/// Returns the bytes a device receives in `step`, the largest over the devices: the formula of
/// core/Collective.h on the buffer the step works on.
int64_t stepBytes(const ReshardProblem &problem, const core::Sharding &before,
                  const ReshardStep &step);

} // namespace shardwise::planner
