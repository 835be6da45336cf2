// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/planner/verify/PlanVerified.h"

#include "shardwise/planner/verify/VerifyPlan.h"

namespace shardwise::planner {

Result<ReshardPlan> planVerified(const ReshardProblem &problem, Strategy strategy) {
  PlanOptions options;
  options.strategy = strategy;
  options.jointAllToAll = JointAllToAll::AnyDims;
  options.localTranspose = true;
  Result<ReshardPlan> plan = planReshard(problem, options);
  if (!plan)
    return plan;
  if (Result<void> verified = verifyPlan(problem, *plan); !verified)
    return verified.error();
  return plan;
}

} // namespace shardwise::planner
