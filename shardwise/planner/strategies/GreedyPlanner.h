// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan without search: reduce, gather what differs, slice. Right for every problem, and the
// fallback where the exact search does not apply or runs out of budget.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

namespace shardwise::planner {

/// Returns the plan: all_reduce over what must be reduced, one all_gather that leaves the common
/// prefix of each list (nothing, where the prefix would not divide evenly), one all_slice.
/// Makes no claim on bytes or memory: a state may be as large as the whole tensor.
/// Requires: `check(problem)` succeeds. Costs the length of the axis lists.
ReshardPlan planGreedily(const ReshardProblem &problem);

} // namespace shardwise::planner
