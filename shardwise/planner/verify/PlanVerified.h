// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning for those who want the best plan there is: the command line and the Python package.

#pragma once

#include "shardwise/planner/strategies/PlanReshard.h"

namespace shardwise::planner {

/// Plans and verifies: a plan that does not replay is a mistake of ours, never an answer. The plan
/// may use what can be written as steps, also what the compiler does not: moves between any
/// dimensions at once, and transposes on a device.
Result<ReshardPlan> planVerified(const ReshardProblem &problem, Strategy strategy);

} // namespace shardwise::planner
