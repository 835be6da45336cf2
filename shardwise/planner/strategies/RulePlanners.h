// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planners that follow a rule or a table instead of searching: baselines to compare with.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

namespace shardwise::planner {

/// Returns the plan that treats each dimension on its own: every dimension, in order, gathers what
/// its list has beyond the common prefix with the target's; then each slices what it lacks.
/// Example: [{"x"}, {"y"}] to [{"y"}, {"x"}] is two gathers and two slices.
Result<ReshardPlan> planDimensionByDimension(const ReshardProblem &problem);

/// Returns the plan of one-axis basis steps {slice, gather, move, swap order}. In each round the
/// first rule that applies:
/// 1. the last axis of a list is what another dimension lacks next, and that dimension's list is a
///    prefix of its target: move it there (all_to_all);
/// 2. an unused axis is what a dimension lacks next: slice;
/// 3. a list has all axes of its target, but not at its front: swap the order (permute);
/// 4. gather the last axis that is in the way: one the target does not use, else the one of the
///    last such dimension.
/// Example: [{"x"}, {"y"}] to [{"y"}, {"x"}]: gather "y", move "x" to dimension 1, slice "y".
Result<ReshardPlan> planByBasis(const ReshardProblem &problem);

/// Returns the cheapest path of one-axis slices, gathers and moves, looked up in a table of all
/// shardings reachable from the source. The table is made once for a mesh, shape and source and
/// kept for later calls, the latest 16 tables; safe from several threads.
/// Fails with Unsupported if there are more than 20,000 shardings.
Result<ReshardPlan> planByEnumeration(const ReshardProblem &problem);

} // namespace shardwise::planner
