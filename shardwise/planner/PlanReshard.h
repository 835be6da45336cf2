// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry of the planner: problem in, plan out.

#pragma once

#include "shardwise/planner/ReshardPlan.h"
#include "shardwise/planner/ReshardProblem.h"

namespace shardwise::planner {

/// How a plan is made.
enum class Strategy {
  Uniform, ///< Fewest bytes over uniform steps, by exact search (ExactPlanner.h).
  Greedy,  ///< Reduce, gather what differs, slice (GreedyPlanner.h).
};

/// What `Strategy::Uniform` does if its uniform plan has a state larger than source and target
/// shard. This happens only where dimensions divide unevenly or the boxes are tight.
enum class OverMemory {
  Allow,    ///< Use the best uniform plan all the same; its largest state is in the plan.
  Exchange, ///< Use a single exchange step.
};

struct PlanOptions {
  Strategy strategy = Strategy::Uniform;
  OverMemory overMemory = OverMemory::Allow;
  /// The default is what `sdy.all_to_all` can write.
  JointAllToAll jointAllToAll = JointAllToAll::DistinctDims;
  /// States the search may expand before it gives up and the greedy plan is used.
  int64_t maxExpansions = 20'000;
};

/// Returns a plan for `problem`. The same problem and options give the same plan in every process.
///
/// No state of a searched plan is larger than the larger of source and target shard, unless there
/// is no such plan and `overMemory` allows it. A step is used only where its cuts are plain
/// (`isPlainCut`); if there is no such path, the plan is one exchange step.
/// Fails with what `check(problem)` reports.
/// Example: [{"x"}, {}] to [{}, {"x"}] is one all_to_all.
Result<ReshardPlan> planReshard(const ReshardProblem &problem, const PlanOptions &options = {});

} // namespace shardwise::planner
