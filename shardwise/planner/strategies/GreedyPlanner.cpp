// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Works on the axis lists themselves, so it also serves sub-axes that no common cut exists for.

#include "shardwise/planner/strategies/GreedyPlanner.h"

#include "shardwise/planner/search/PlanAssembly.h"

namespace shardwise::planner {
namespace {

using core::AxisList;

/// Returns what `list` has after `prefix`. Requires: `prefix` is a prefix of `list`.
AxisList afterPrefix(const AxisList &list, const AxisList &prefix) {
  AxisList rest;
  for (size_t i = 0; i < list.size(); ++i)
    if (i >= prefix.size())
      rest.push_back(list[i]);
    else if (list[i] != prefix[i])
      rest.push_back(*core::suffixWithoutOverlap(list[i], prefix[i]));
  return rest;
}

bool isEmpty(const std::vector<AxisList> &lists) {
  for (const AxisList &list : lists)
    if (!list.empty())
      return false;
  return true;
}

/// Appends a step of `kind` and its effect, unless it does nothing.
void append(std::vector<ReshardStep> &steps, ReshardStep step, const core::Sharding &after) {
  bool doesNothing = isEmpty(step.collective.dimAxes) && step.collective.reducedAxes.empty();
  if (!doesNothing) {
    step.collective.after = after;
    steps.push_back(std::move(step));
  }
}

} // namespace

ReshardPlan planGreedily(const ReshardProblem &problem) {
  ReshardStep reduce;
  reduce.collective.kind = CollectiveKind::AllReduce;
  reduce.collective.reducedAxes =
      core::setDifference(problem.source.unreduced, problem.target.unreduced);
  ReshardStep gather;
  gather.collective.kind = CollectiveKind::AllGather;
  ReshardStep slice;
  slice.collective.kind = CollectiveKind::AllSlice;

  core::Sharding reduced = problem.source;
  reduced.unreduced = problem.target.unreduced;
  core::Sharding gathered = reduced;
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    const AxisList &from = problem.source.dims[dim].axes;
    const AxisList &to = problem.target.dims[dim].axes;
    AxisList kept = core::commonPrefix(from, to);
    // If cuts behind the common prefix are not aligned, the list is gathered as a whole: a single
    // block can be cut in any way.
    auto isAligned = [&](const AxisList &added) {
      return core::isAlignedCut(problem.shape[dim], core::shardedSize(kept),
                                core::shardedSize(added));
    };
    if (!isAligned(afterPrefix(from, kept)) || !isAligned(afterPrefix(to, kept)))
      kept.clear();
    gather.collective.dimAxes.push_back(afterPrefix(from, kept));
    slice.collective.dimAxes.push_back(afterPrefix(to, kept));
    gathered.dims[dim] = {std::move(kept), true, std::nullopt};
  }

  std::vector<ReshardStep> steps;
  append(steps, std::move(reduce), reduced);
  append(steps, std::move(gather), gathered);
  append(steps, std::move(slice), problem.target);
  return toPlan(problem, std::move(steps), Optimality::NotSearched, 0);
}

} // namespace shardwise::planner
