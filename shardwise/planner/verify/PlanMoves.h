// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What moves in each step of a plan, device by device: for pictures and reports.

#pragma once

#include "shardwise/planner/model/Placement.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

#include <vector>

namespace shardwise::planner {

/// Returns the placement of every state of `plan`: one more than steps, the source first. They
/// refer to the problem and the plan.
std::vector<Placement> placementsOf(const ReshardProblem &problem, const ReshardPlan &plan);

/// Returns what step number `step` moves, by receiver position: the parts that a device lacks and
/// who sends them. Reductions: the part of the receiver's box that each other device of its group
/// holds a summand of. A local slice moves nothing.
/// Costs devices times group size.
std::vector<Message> movesOf(const ReshardProblem &problem, const ReshardPlan &plan, size_t step);

} // namespace shardwise::planner
