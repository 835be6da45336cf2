// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over devices of several hosts: within hosts first.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

namespace shardwise::planner {

/// Returns `plan` with steps in place of those that combine values of several hosts, where a
/// dimension divides, so that partial sums of a host cross to others and not every value:
///
/// - all_reduce: a reduce_scatter within hosts, an all_reduce between them, an all_gather within.
/// - reduce_scatter of hosts by devices: one within hosts, along another dimension, one between
///   them, and an all_to_all within hosts.
///
/// These take the time that the planner says of the step (planner/model/CostModel.h), up to the
/// all_to_all, and as much memory or less. Values are summed up in another order than by `plan`.
/// Without hosts in the problem's topology the plan stays as it is.
///
/// Example: all_reduce {"x", "y"} on <["x"=2, "y"=4]> with four devices to a host becomes
/// reduce_scatter [{"y"}], all_reduce {"x"}, all_gather [{"y"}].
ReshardPlan sumWithinHostsFirst(const ReshardProblem &problem, ReshardPlan plan);

} // namespace shardwise::planner
