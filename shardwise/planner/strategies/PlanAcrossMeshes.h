// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans between two meshes: steps on the source mesh, one step that crosses, steps on the target.
//
// No collective spans both meshes, so data cross once. Before: what is unreduced is reduced, so
// that no partial values cross. After: an all_gather hands pieces on inside the target mesh, so
// that each element crosses once for a group of replicas instead of once for each. That receives
// as many bytes as crossing directly, but fewer over the links between the meshes; it is used
// where the modelled time says so. Slicing before an exchange saves nothing: of the replicas of a
// tile each sends a part anyway (Placement.h).

#pragma once

#include "shardwise/planner/strategies/PlanReshard.h"

namespace shardwise::planner {

/// Returns the plan that takes the least modelled time among: ways to reduce (scattered over one
/// dimension, or all_reduce), then a crossing to the target cut further by any set of the axes it
/// leaves idle, then the all_gather of these; the crossing is a permute where blocks move whole,
/// else an exchange in which every device receives each element it lacks once. Ties go to less
/// received, then to fewer steps.
///
/// `Proved` if it takes no more than any plan must: without reductions on a plain topology that is
/// always so. Else `BudgetStop`. Over 4,096 devices only the direct crossing is considered.
ReshardPlan planAcrossMeshes(const ReshardProblem &problem);

/// Returns the best plan whose steps are all uniform: `options.strategy` on the source mesh to
/// blocks as the target's, a permute to the target mesh, then `options.strategy` there; or the
/// permute first. Fails with Unsupported if the meshes have different numbers of devices, or no
/// sharding on one mesh has the blocks of the other.
Result<ReshardPlan> planUniformlyAcross(const ReshardProblem &problem, const PlanOptions &options);

} // namespace shardwise::planner
