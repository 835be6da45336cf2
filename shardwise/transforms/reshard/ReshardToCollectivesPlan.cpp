// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler asks of the planner.

#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"

#include "shardwise/planner/strategies/GreedyPlanner.h"

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

} // namespace

Result<planner::ReshardPlan> planCollectives(const planner::ReshardProblem &problem) {
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

} // namespace shardwise::reshard
