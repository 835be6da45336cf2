// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler asks of the planner.

#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"

#include "shardwise/planner/strategies/GreedyPlanner.h"

#include <algorithm>

namespace shardwise::reshard {

Result<planner::ReshardPlan> planCollectives(const planner::ReshardProblem &problem) {
  planner::PlanOptions options;
  options.idleAxes = planner::IdleAxes::Leave;
  options.unevenCuts = planner::UnevenCuts::Any;
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
