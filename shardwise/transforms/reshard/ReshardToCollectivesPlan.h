// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan by which a program reshards a value: the planner's, of uniform collectives and an
// exchange where that is cheaper. Used to price reshards and to write them, so both agree.

#pragma once

#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/strategies/PlanReshard.h"

namespace shardwise::reshard {

/// Whether what devices hand over beside a collective has a price.
enum class HandOver { Free, Counted };

/// Whether plans may have an exchange, which not everyone who reads programs has.
enum class Exchanges { Never, WhereCheaper };

/// What plans are made of.
struct CollectiveRules {
  HandOver handOver = HandOver::Counted;
  Exchanges exchanges = Exchanges::WhereCheaper;
  /// Whose prices say what is cheaper; null: those of the default machine.
  const planner::Machine *machine = nullptr;
};

/// Returns a plan of uniform collectives, with an exchange in place of those before, between or
/// behind its reductions where that has a lower price (planner/verify/Price.h) and no device
/// receives more than 16 messages: of fewest bytes over axes that the source or the target uses; of
/// least time over all axes where the problem's topology is not plain.
///
/// By bytes, with all axes the planner would sometimes find fewer bytes: a value that is replicated
/// along other axes can be sliced along these, reduced, and gathered again. That trades 1.5 L
/// for 1.25 L received bytes (groups of 4, two replicas) against two more latencies and a gather
/// that no reader expects. Example: [{"x"}] unreduced={"y"} to [{"x"}] is all_reduce {"y"}.
///
/// Axes that become unreduced do so in the last steps, by replicated_to_unreduced and
/// sharded_to_unreduced (core/StepsToUnreduced.h).
///
/// Where dimensions divide unevenly, cuts may cross block boundaries (`planner::UnevenCuts::Any`):
/// the shardings of the ops say what each does, and whoever runs it hands over what crosses a
/// boundary. Bytes are those on padded blocks and, unless `handOver` is free, those that are handed
/// over (core/BlockShift.h); then a plan with cuts along block boundaries is taken where it
/// receives less. An exchange hands nothing over.
///
/// Between two meshes, which must have the same axes, exactly one step changes the mesh.
///
/// Fails with what `planner::check` reports, and if other axes than those of sums become unreduced.
Result<planner::ReshardPlan> planCollectives(const planner::ReshardProblem &problem,
                                             const CollectiveRules &rules = {});

} // namespace shardwise::reshard
