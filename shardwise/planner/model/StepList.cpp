// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps lists of sub-axes and shardings in step.
//
// Planners by rule say what happens to the lists; each method then adds the collective, on axes as
// the sharding after it writes them: neighbouring sub-axes of one axis are merged. Whether the cuts
// are aligned is checked once, in `finish`.
//
// Example, from [{"x", "y"}, {}]: gather(0, 1) is an all_gather over "y" to [{"x"}, {}]. From there
// move(0, 1) is an all_to_all of "x" to [{}, {"x"}], and slice(1, {"y"}) an all_slice to
// [{"x"}, {"y"}].

#include "shardwise/planner/model/StepList.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/search/PlanAssembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardwise::planner {

Result<StepList> StepList::create(const ReshardProblem &problem) {
  std::vector<std::span<const core::Axis>> lists;
  for (const core::Sharding *sharding : {&problem.source, &problem.target}) {
    for (const core::DimSharding &dim : sharding->dims)
      lists.emplace_back(dim.axes);
    lists.emplace_back(sharding->unreduced);
  }
  std::optional<SubAxes> subAxes = SubAxes::create(problem.mesh, lists);
  if (!subAxes) {
    return unsupported(fmt::format("sub-axes of {} and {} have no common cuts; use strategy "
                                   "optimal or exchange",
                                   core::toString(problem.source, problem.mesh),
                                   core::toString(problem.target, problem.mesh)));
  }
  StepList list(problem, std::move(*subAxes));
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    list.current.push_back(list.subAxes.expand(problem.source.dims[dim].axes));
    list.goal.push_back(list.subAxes.expand(problem.target.dims[dim].axes));
  }
  // Reduced everywhere before anything moves, so that no rule need know of unreduced axes.
  core::AxisList pending = core::setDifference(problem.source.unreduced, problem.target.unreduced);
  if (!pending.empty()) {
    ReshardStep reduce;
    reduce.collective.kind = CollectiveKind::AllReduce;
    reduce.collective.reducedAxes = pending;
    list.push(std::move(reduce));
  }
  return list;
}

bool StepList::isUsed(SubAxisIndex subAxis) const {
  return std::any_of(current.begin(), current.end(), [&](const SubAxisIndices &list) {
    return std::find(list.begin(), list.end(), subAxis) != list.end();
  });
}

std::vector<int64_t> StepList::subAxisSizes() const {
  std::vector<int64_t> sizes;
  for (const core::Axis &subAxis : subAxes.all())
    sizes.push_back(subAxis.size);
  return sizes;
}

void StepList::gather(size_t dim, size_t count) {
  SubAxisIndices &list = current[dim];
  auto begin = list.end() - static_cast<int64_t>(count);
  ReshardStep step;
  step.collective.kind = CollectiveKind::AllGather;
  step.collective.dimAxes.resize(current.size());
  step.collective.dimAxes[dim] = toAxes({begin, list.end()});
  list.erase(begin, list.end());
  push(std::move(step));
}

void StepList::slice(size_t dim, const SubAxisIndices &added) {
  ReshardStep step;
  step.collective.kind = CollectiveKind::AllSlice;
  step.collective.dimAxes.resize(current.size());
  step.collective.dimAxes[dim] = toAxes(added);
  current[dim].insert(current[dim].end(), added.begin(), added.end());
  push(std::move(step));
}

void StepList::move(size_t from, size_t to) {
  SubAxisIndex subAxis = current[from].back();
  ReshardStep step;
  step.collective.kind = CollectiveKind::AllToAll;
  step.collective.moves = {
      {toAxes({subAxis}), static_cast<int64_t>(from), static_cast<int64_t>(to)}};
  current[from].pop_back();
  current[to].push_back(subAxis);
  push(std::move(step));
}

void StepList::permute(DimSubAxes lists) {
  ReshardStep step;
  step.collective.kind = CollectiveKind::CollectivePermute;
  current = std::move(lists);
  push(std::move(step));
}

core::AxisList StepList::toAxes(const SubAxisIndices &list) const {
  core::AxisList axes;
  for (SubAxisIndex subAxis : list)
    core::appendOrMerge(axes, subAxes[subAxis]);
  return axes;
}

void StepList::push(ReshardStep step) {
  step.collective.after.reduction = problem->source.reduction;
  step.collective.after.unreduced = problem->target.unreduced;
  for (const SubAxisIndices &list : current)
    step.collective.after.dims.push_back({toAxes(list), true, std::nullopt});
  steps.push_back(std::move(step));
}

Result<ReshardPlan> StepList::finish() const {
  const core::Sharding *before = &problem->source;
  for (const ReshardStep &step : steps) {
    if (!isAligned(step.collective, *before, problem->shape)) {
      return unsupported(fmt::format("{} would cut blocks unevenly in a tensor of shape [{}]; use "
                                     "strategy optimal or exchange",
                                     toString(step.collective, problem->mesh),
                                     fmt::join(problem->shape, ", ")));
    }
    before = &step.collective.after;
  }
  return toPlan(*problem, steps, Optimality::NotSearched, 0);
}

} // namespace shardwise::planner
