// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates for what comes before and after the crossing, compared by modelled time.
//
// `planAcrossMeshes` tries every pair of
//
// 1. a reduction on the source mesh, if something is unreduced: a reduce_scatter over each
//    dimension that divides, or an all_reduce;
// 2. a landing on the target mesh: the target itself, or the target cut further by some of the axes
//    it leaves idle, followed by an all_gather over these. On plain links only the target itself:
//    there bytes decide, and landing directly receives the least. Over `kMaxCompared` devices as
//    well.
//
// Example: [{"x"}] on <["x"=2]> to [{}] on <["a"=2]> of other devices. Crossing directly sends the
// whole tensor over the slow links twice, once for each replica. Landing as [{"a"}] sends each half
// once, and the all_gather over "a" hands the halves on inside the target mesh.
//
// `planUniformlyAcross` has no exchange: a permute moves whole blocks, so both sides of the
// crossing must have as many blocks in every dimension. It tries the crossings
//
// 1. at any state of the plan on one mesh, if both meshes have the same axes;
// 2. on the source mesh, resharded to as many blocks as the target has;
// 3. at once, to as many blocks as the source has on the target mesh.

#include "shardwise/planner/strategies/PlanAcrossMeshes.h"

#include "shardwise/planner/model/SubAxes.h"
#include "shardwise/planner/search/PlanAssembly.h"
#include "shardwise/planner/search/TimeBound.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxCompared = 4'096;
/// Sets of idle axes are tried while there are few.
constexpr int64_t kMaxIdleAxes = 6;

using Steps = std::vector<ReshardStep>;

/// Ways to reduce `pending` on the source mesh: over one dimension that divides, or everywhere.
std::vector<Steps> reductions(const ReshardProblem &problem, const core::AxisList &pending) {
  std::vector<Steps> ways;
  if (pending.empty())
    return {Steps()};
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    int64_t blocks = core::shardedSize(problem.source.dims[dim].axes) * core::shardedSize(pending);
    if (problem.shape[dim] == 0 || problem.shape[dim] % blocks != 0)
      continue;
    ReshardStep step;
    step.collective.kind = CollectiveKind::ReduceScatter;
    step.collective.dimAxes.resize(problem.shape.size());
    step.collective.dimAxes[dim] = pending;
    step.collective.after = problem.source;
    step.collective.after.unreduced.clear();
    for (const core::Axis &axis : pending)
      core::appendOrMerge(step.collective.after.dims[dim].axes, axis);
    ways.push_back({std::move(step)});
  }
  ReshardStep step;
  step.collective.kind = CollectiveKind::AllReduce;
  step.collective.reducedAxes = pending;
  step.collective.after = problem.source;
  step.collective.after.unreduced.clear();
  ways.push_back({std::move(step)});
  return ways;
}

/// The target cut further by `axes`, each over the first dimension that divides; none if one does
/// not fit.
std::optional<core::Sharding> cutFurther(const ReshardProblem &problem,
                                         const core::AxisList &axes) {
  core::Sharding finer = problem.target;
  for (const core::Axis &axis : axes) {
    bool isPlaced = false;
    for (size_t dim = 0; dim < problem.shape.size() && !isPlaced; ++dim) {
      core::AxisList &list = finer.dims[dim].axes;
      if (problem.shape[dim] > 0 &&
          problem.shape[dim] % (core::shardedSize(list) * axis.size) == 0) {
        core::appendOrMerge(list, axis);
        isPlaced = true;
      }
    }
    if (!isPlaced)
      return std::nullopt;
  }
  return finer;
}

/// Shardings of the target mesh from which an all_gather leads to the target; itself first.
std::vector<core::Sharding> landings(const ReshardProblem &problem) {
  std::vector<core::Sharding> result = {problem.target};
  const core::Mesh &mesh = targetMeshOf(problem);
  core::AxisList idle;
  core::AxisList used = core::dimensionAxes(problem.target);
  for (int64_t index = 0; index < mesh.numAxes(); ++index) {
    core::Axis axis = core::fullAxis(mesh, index);
    if (axis.size > 1 && !core::overlaps(used, {&axis, 1}))
      idle.push_back(axis);
  }
  idle.resize(std::min<size_t>(idle.size(), kMaxIdleAxes));
  for (unsigned subset = 1; subset < 1U << idle.size(); ++subset) {
    core::AxisList axes;
    for (size_t i = 0; i < idle.size(); ++i)
      if ((subset >> i & 1U) != 0)
        axes.push_back(idle[i]);
    if (std::optional<core::Sharding> finer = cutFurther(problem, axes))
      result.push_back(std::move(*finer));
  }
  return result;
}

/// Whether both are on the same number of devices and every block moves whole: of no device that
/// changes is a part there already.
bool isPermute(const ReshardProblem &problem, const Placement &before, const Placement &after) {
  bool isSame = before.numDevices() == after.numDevices();
  for (size_t dim = 0; dim < problem.shape.size(); ++dim)
    isSame = isSame && before.numBlocks(dim) == after.numBlocks(dim);
  // Bytes of the boxes that change are the bytes missing only if no part of them is there already.
  int64_t whole = 0;
  for (int64_t position = 0; isSame && position < after.numDevices(); ++position) {
    core::Box box = after.boxAt(position);
    std::optional<int64_t> own = before.positionOrNull(after.idAt(position));
    bool stays = own && before.boxAt(*own) == box;
    whole += stays ? 0 : box.numElements() * problem.elementBytes;
  }
  return isSame && whole == missingBetween(problem, before, after).total;
}

/// Appends the step from the last sharding of `steps` to `landing` on the target mesh, if anything
/// moves, and the all_gather to the target.
void cross(const ReshardProblem &problem, Steps &steps, const core::Sharding &landing) {
  const core::Sharding reduced = steps.empty() ? problem.source : steps.back().collective.after;
  Placement before(problem, reduced, OnMesh::Source);
  Placement after(problem, landing, OnMesh::Target);
  bool isDirect = landing == problem.target;
  if (isDirect && haveSameBoxes(before, after))
    return;
  ReshardStep crossing;
  crossing.collective.kind = isPermute(problem, before, after) ? CollectiveKind::CollectivePermute
                                                               : CollectiveKind::Exchange;
  crossing.changesMesh = true;
  crossing.collective.after = landing;
  steps.push_back(std::move(crossing));
  if (isDirect)
    return;
  ReshardStep gather;
  gather.collective.kind = CollectiveKind::AllGather;
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    gather.collective.dimAxes.push_back(
        core::setDifference(landing.dims[dim].axes, problem.target.dims[dim].axes));
  }
  gather.collective.after = problem.target;
  steps.push_back(std::move(gather));
}

/// The sharding on `mesh` that has the blocks of `wanted` (by dimension) and keeps as much of
/// `start` as it can; none if the axes do not multiply to that.
std::optional<core::Sharding> withBlocks(const core::Mesh &mesh, const core::Sharding &start,
                                         const std::vector<int64_t> &wanted) {
  std::vector<std::span<const core::Axis>> lists;
  for (const core::DimSharding &dim : start.dims)
    lists.emplace_back(dim.axes);
  std::optional<SubAxes> subAxes = SubAxes::create(mesh, lists, AxisSplit::PrimeFactors);
  if (!subAxes)
    return std::nullopt;
  core::Sharding result = core::replicatedSharding(static_cast<int64_t>(wanted.size()));
  std::vector<bool> isUsed(subAxes->numSubAxes(), false);
  std::vector<int64_t> left = wanted;
  auto append = [&](size_t dim, SubAxisIndex subAxis) {
    const core::Axis &axis = (*subAxes)[subAxis];
    core::appendOrMerge(result.dims[dim].axes, axis);
    left[dim] /= axis.size;
    isUsed[subAxis] = true;
  };
  // First what `start` has already, as far as it divides; then unused sub-axes, in mesh order.
  for (size_t dim = 0; dim < wanted.size(); ++dim) {
    for (SubAxisIndex subAxis : subAxes->expand(start.dims[dim].axes)) {
      if (left[dim] % (*subAxes)[subAxis].size != 0)
        break;
      append(dim, subAxis);
    }
  }
  for (size_t dim = 0; dim < wanted.size(); ++dim) {
    for (SubAxisIndex subAxis = 0; subAxis < subAxes->numSubAxes(); ++subAxis)
      if (!isUsed[subAxis] && left[dim] % (*subAxes)[subAxis].size == 0)
        append(dim, subAxis);
    if (left[dim] != 1)
      return std::nullopt;
  }
  return result;
}

std::vector<int64_t> blockCounts(const core::Sharding &sharding) {
  std::vector<int64_t> counts;
  for (const core::DimSharding &dim : sharding.dims)
    counts.push_back(core::shardedSize(dim.axes));
  return counts;
}

/// Steps on the source mesh to `onSource`, a permute to `onTarget` (which has the same blocks),
/// steps to the target. Fails where `options.strategy` does.
Result<ReshardPlan> throughBlocks(const ReshardProblem &problem, const core::Sharding &onSource,
                                  const core::Sharding &onTarget, const PlanOptions &options) {
  ReshardProblem before = problem;
  before.targetMesh.reset();
  before.targetDevices.clear();
  before.target = onSource;
  Result<ReshardPlan> first = planReshard(before, options);
  if (!first)
    return first;
  Result<ReshardPlan> last = planReshard(onTargetMesh(problem, onTarget), options);
  if (!last)
    return last;
  Steps steps = first->steps;
  Placement from(problem, onSource, OnMesh::Source);
  Placement to(problem, onTarget, OnMesh::Target);
  ReshardStep permute;
  permute.collective.kind = CollectiveKind::CollectivePermute;
  permute.changesMesh = true;
  permute.collective.after = onTarget;
  if (!haveSameBoxes(from, to) || !last->steps.empty())
    steps.push_back(std::move(permute));
  steps.insert(steps.end(), last->steps.begin(), last->steps.end());
  bool isSearched = options.strategy == Strategy::Uniform;
  return toPlan(problem, std::move(steps),
                isSearched ? Optimality::BudgetStop : Optimality::NotSearched,
                first->expansions + last->expansions);
}

using Crossing = std::pair<core::Sharding, core::Sharding>;

/// Shardings on both meshes between which every block moves whole.
std::vector<Crossing> crossingsOf(const ReshardProblem &problem, const PlanOptions &options) {
  const core::Mesh &mesh = targetMeshOf(problem);
  core::Sharding start = problem.source;
  start.unreduced.clear();
  std::vector<Crossing> crossings;
  if (problem.mesh.axes() == mesh.axes()) {
    // The same axes in another order of devices: cross anywhere on the way.
    ReshardProblem inPlace = problem;
    inPlace.targetMesh.reset();
    inPlace.targetDevices.clear();
    if (Result<ReshardPlan> plan = planReshard(inPlace, options)) {
      if (problem.source.unreduced.empty())
        crossings.emplace_back(start, start);
      for (const ReshardStep &step : plan->steps)
        if (step.collective.after.unreduced.empty())
          crossings.emplace_back(step.collective.after, step.collective.after);
    }
  }
  if (auto onSource = withBlocks(problem.mesh, start, blockCounts(problem.target)))
    crossings.emplace_back(*onSource, problem.target);
  if (auto onTarget = withBlocks(mesh, problem.target, blockCounts(start)))
    crossings.emplace_back(start, *onTarget);
  return crossings;
}

} // namespace

ReshardPlan planAcrossMeshes(const ReshardProblem &problem) {
  core::AxisList pending = pendingAxes(problem);
  bool isSmall =
      std::max(problem.mesh.numDevices(), targetMeshOf(problem).numDevices()) <= kMaxCompared;
  bool isDirect = problem.topology.isPlain() || !isSmall;
  std::vector<core::Sharding> ends =
      isDirect ? std::vector<core::Sharding>{problem.target} : landings(problem);
  std::optional<ReshardPlan> best;
  // Whether the plan is over the memory limit comes first: among plans that keep it the cheapest is
  // taken, and only if there is none does the caller see, and refuse, one that does not.
  std::tuple<bool, double, int64_t, size_t> least;
  for (const Steps &reduction : reductions(problem, pending)) {
    for (const core::Sharding &end : ends) {
      Steps steps = reduction;
      cross(problem, steps, end);
      ReshardPlan plan = toPlan(problem, std::move(steps), Optimality::BudgetStop, 0);
      bool isOver = problem.memoryLimitBytes && plan.peakBytes > *problem.memoryLimitBytes;
      std::tuple cost(isOver, measureSeconds(problem, plan), plan.receivedBytes, plan.steps.size());
      if (!best || cost < least) {
        least = cost;
        best = std::move(plan);
      }
    }
  }
  if (std::get<double>(least) <= leastSeconds(problem) * (1 + 1e-9))
    best->optimality = Optimality::Proved;
  return *best;
}

Result<ReshardPlan> planUniformlyAcross(const ReshardProblem &problem, const PlanOptions &options) {
  const core::Mesh &mesh = targetMeshOf(problem);
  if (problem.mesh.numDevices() != mesh.numDevices()) {
    return unsupported(fmt::format("strategy {} cannot cross from {} to {} devices: no permute "
                                   "does; use optimal or exchange",
                                   toString(options.strategy), problem.mesh.numDevices(),
                                   mesh.numDevices()));
  }
  std::optional<ReshardPlan> best;
  std::optional<Error> refusal;
  std::tuple<int64_t, size_t> least;
  for (const auto &[onSource, onTarget] : crossingsOf(problem, options)) {
    Result<ReshardPlan> plan = throughBlocks(problem, onSource, onTarget, options);
    if (!plan) {
      refusal = plan.error();
      continue;
    }
    std::tuple cost(plan->receivedBytes, plan->steps.size());
    if (!best || cost < least) {
      least = cost;
      best = std::move(*plan);
    }
  }
  if (!best && refusal)
    return *refusal;
  if (!best) {
    return unsupported(fmt::format("strategy {} finds no blocks to permute from one mesh to the "
                                   "other; use optimal or exchange",
                                   toString(options.strategy)));
  }
  if (problem.topology.isPlain() && best->receivedBytes == best->lowerBoundBytes)
    best->optimality = Optimality::Proved;
  return *best;
}

} // namespace shardwise::planner
