// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of stock collectives whose cuts may cross block boundaries, for uneven dimensions.

#pragma once

#include "shardwise/planner/strategies/PlanReshard.h"

namespace shardwise::planner {

/// Returns `aligned`, the plan of `Strategy::Uniform` with aligned cuts, or one whose cuts cross
/// block boundaries if `options.unevenCuts` allows that and
/// - one collective leads from source to target, and `aligned` takes more than one; or
/// - it receives less, or `aligned` is an exchange.
///
/// Bytes are those of the collectives on padded blocks; a state may be larger than both ends if
/// `options.overMemory` allows it. Even problems keep `aligned`.
/// Requires: one mesh. Example: 10 elements from [{"x"}] to [{"x", "y"}], x=2, y=3: one all_slice
/// instead of an all_gather and an all_slice.
ReshardPlan withUnevenCuts(const ReshardProblem &problem, const PlanOptions &options,
                           ReshardPlan aligned);

} // namespace shardwise::planner
