// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best plan there is: uniform steps, local transposes and the unequal exchange.
//
// On a plain topology (one speed, no latency) time is the bytes of the slowest device, and an
// exchange attains their lower bound. A short A* looks for stock collectives at the bound; where
// they need more, the exchange is the plan. Either way the bound proves the plan optimal.
// With latencies, unequal links, reductions or a memory limit that excludes the single exchange,
// A* runs over all steps, the exchange from every reduced state included, by modelled time.
//
// "Proved" covers the step set of SearchSteps.h with these costs, without states larger than both
// ends; or the plan takes no more than any plan must (TimeBound.h). Else the plan is the best that
// the search met before its budget ended.

#pragma once

#include "shardwise/planner/strategies/PlanReshard.h"

namespace shardwise::planner {

/// Returns the plan. Fails with Infeasible if the memory limit leaves none.
/// Requires: `check(problem)` succeeds, and there is something to do.
Result<ReshardPlan> planOptimally(const ReshardProblem &problem, const PlanOptions &options);

} // namespace shardwise::planner
