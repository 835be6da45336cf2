// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special cases in front of the planner.

#include "shardwise/transforms/export/ReshardToCollectivesPlan.h"

#include "shardwise/planner/CostModel.h"
#include "shardwise/planner/GreedyPlanner.h"

#include <algorithm>

namespace shardwise::transforms {

namespace {

bool haveEqualDims(const core::Sharding &a, const core::Sharding &b) {
  return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const core::DimSharding &left, const core::DimSharding &right) {
                      return left.axes == right.axes;
                    });
}

/// One all_reduce over what is unreduced in the source only.
planner::ReshardPlan planReduction(const planner::ReshardProblem &problem) {
  planner::ReshardStep step;
  step.kind = planner::StepKind::AllReduce;
  step.reducedAxes = core::setDifference(problem.source.unreduced, problem.target.unreduced);
  step.after = problem.target;
  step.localBytesAfter = planner::localBytes(problem, problem.target);
  step.receivedBytes =
      planner::receivedBytes(step.kind, step.localBytesAfter, core::shardedSize(step.reducedAxes));
  planner::ReshardPlan plan;
  plan.receivedBytes = step.receivedBytes;
  plan.largestStateBytes = step.localBytesAfter;
  plan.peakBytes = 2 * step.localBytesAfter;
  plan.steps.push_back(std::move(step));
  return plan;
}

} // namespace

Result<planner::ReshardPlan> planCollectives(const planner::ReshardProblem &problem) {
  if (Result<void> checked = planner::check(problem); !checked.ok())
    return checked.error();
  if (haveEqualDims(problem.source, problem.target) &&
      problem.source.unreduced != problem.target.unreduced)
    return planReduction(problem);
  Result<planner::ReshardPlan> plan = planner::planReshard(problem);
  bool hasExchange = plan.ok() && std::any_of(plan->steps.begin(), plan->steps.end(),
                                              [](const planner::ReshardStep &step) {
                                                return step.kind == planner::StepKind::Exchange;
                                              });
  // No uniform collective does an exchange; even shards always have a way without.
  return hasExchange ? Result<planner::ReshardPlan>(planner::planGreedily(problem)) : plan;
}

} // namespace shardwise::transforms
