// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler asks of the planner. That moves data and reduces; what makes a value unreduced
// moves nothing and stands behind its steps.

#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"

#include "shardwise/core/StepsToUnreduced.h"
#include "shardwise/core/Text.h"
#include "shardwise/planner/strategies/GreedyPlanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::reshard {

namespace {

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
  bool crosses = std::any_of(plan->steps.begin(), plan->steps.end(),
                             [](const planner::ReshardStep &step) { return step.changesMesh; });
  if (crosses)
    return plan;
  // Also where every device keeps its block: what follows is on the other mesh.
  planner::ReshardStep permute;
  permute.collective.kind = core::CollectiveKind::CollectivePermute;
  permute.collective.after = problem.target;
  permute.changesMesh = true;
  permute.localBytesAfter = planner::localBytes(problem, problem.target);
  permute.receivedBytes = start.targetMesh ? 0 : permute.localBytesAfter;
  plan->receivedBytes += permute.receivedBytes;
  plan->steps.push_back(std::move(permute));
  return plan;
}

Result<planner::ReshardPlan> planUniformSteps(const planner::ReshardProblem &problem) {
  planner::PlanOptions options;
  options.idleAxes = planner::IdleAxes::Leave;
  options.unevenCuts = planner::UnevenCuts::Any;
  if (problem.targetMesh)
    return planToOtherOrder(problem, options);
  Result<planner::ReshardPlan> plan = planner::planReshard(problem, options);
  bool hasExchange =
      plan.ok() &&
      std::any_of(plan->steps.begin(), plan->steps.end(), [](const planner::ReshardStep &step) {
        return step.collective.kind == core::CollectiveKind::Exchange;
      });
  // No uniform collective does an exchange; even shards always have a way without.
  return hasExchange ? Result<planner::ReshardPlan>(planner::planGreedily(problem)) : plan;
}

/// Puts a step behind `plan` that moves nothing.
void appendLocalStep(planner::ReshardPlan &plan, const planner::ReshardProblem &problem,
                     core::Collective collective) {
  const core::Sharding &before =
      plan.steps.empty() ? problem.source : plan.steps.back().collective.after;
  planner::ReshardStep step;
  step.localBytesAfter = planner::localBytes(problem, collective.after);
  plan.largestStateBytes = std::max(plan.largestStateBytes, step.localBytesAfter);
  plan.peakBytes =
      std::max(plan.peakBytes, planner::localBytes(problem, before) + step.localBytesAfter);
  step.collective = std::move(collective);
  plan.steps.push_back(std::move(step));
}

} // namespace

Result<planner::ReshardPlan> planCollectives(const planner::ReshardProblem &problem) {
  bool isOneMesh = planner::isOneMesh(problem);
  std::optional<core::StepsToUnreduced> steps =
      isOneMesh ? core::stepsToUnreduced(problem.source, problem.target) : std::nullopt;
  if (!steps)
    return planUniformSteps(problem);
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
  Result<planner::ReshardPlan> plan = planUniformSteps(moves);
  if (!plan.ok())
    return plan;
  for (core::Collective &collective : steps->collectives)
    appendLocalStep(*plan, problem, std::move(collective));
  plan->optimality = planner::Optimality::NotSearched;
  return plan;
}

} // namespace shardwise::reshard
