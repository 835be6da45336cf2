// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the collectives off a path of states and adds up a plan.
//
// A path says which state follows which, and by what kind of step; the axes are in the lists:
//
// 1. Adjacent slices are one step; gathers and reduce_scatters too, if dimensions divide evenly.
// 2. What a slice or reduce_scatter added, and what a gather removed, are the ends by which the
//    lists differ.
// 3. For an all_to_all, each gained end is taken apart into the suffixes that other lists lost.
//    Where that fails, the sub-axes arrive in another order than they left: a local transpose.
//    [{"x", "y"}, {}] to [{}, {"x", "y"}] moves {"x", "y"} at once; to [{}, {"y", "x"}] it moves
//    {"y", "x"}, with a transpose.
// 4. Axes of size 1 are in no state. Where source or target has some, a permute that moves nothing
//    (or an all_reduce, if they are unreduced) takes them away first or brings them in at the end.

#include "shardwise/planner/search/PlanAssembly.h"

#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace shardwise::planner {
namespace {

/// Whether two steps of `kind` in a row are one. Joint gathers of uneven dimensions are kept apart:
/// cutting off padding in between sends less.
bool isJoinable(const SearchSpace &space, CollectiveKind kind) {
  return kind == CollectiveKind::AllSlice ||
         (space.isEven() &&
          (kind == CollectiveKind::AllGather || kind == CollectiveKind::ReduceScatter));
}

/// Drops states between steps that can be joined.
std::vector<PathState> joinSteps(const SearchSpace &space, std::span<const PathState> path) {
  std::vector<PathState> joined;
  for (const PathState &next : path)
    if (!joined.empty() && joined.back().kind == next.kind && isJoinable(space, next.kind))
      joined.back() = next;
    else
      joined.push_back(next);
  return joined;
}

/// Returns the dimension whose list in `before` goes on with `subAxis` after `after`'s; -1 if none.
int findSource(const SearchSpace &space, const SearchState &before, const SearchState &after,
               int subAxis) {
  for (int d = 0; d < space.numDims(); ++d) {
    SubAxisList lost = before.lists[d].withoutPrefix(after.lists[d].length());
    if (!lost.isEmpty() && lost[0] == subAxis)
      return d;
  }
  return -1;
}

/// Returns the dimension from whose list `subAxis` is gone.
int findLoser(const SearchSpace &space, const SearchState &before, const SearchState &after,
              int subAxis) {
  for (int d = 0; d < space.numDims(); ++d) {
    SubAxisList lost = before.lists[d].withoutPrefix(after.lists[d].length());
    for (int i = 0; i < lost.length(); ++i)
      if (lost[i] == subAxis)
        return d;
  }
  assert(false && "an all_to_all moves what other lists have");
  return 0;
}

/// Moves with a local transpose: the gained sub-axes in order, those from one dimension together.
std::vector<AxisMove> findTransposedMoves(const SearchSpace &space, const SearchState &before,
                                          const SearchState &after) {
  std::vector<AxisMove> moves;
  for (int to = 0; to < space.numDims(); ++to) {
    SubAxisList gained = after.lists[to].withoutPrefix(before.lists[to].length());
    for (int i = 0; i < gained.length(); ++i) {
      int from = findLoser(space, before, after, gained[i]);
      core::AxisList axis = space.toAxes(SubAxisList{}.append(gained[i]));
      bool continues = i > 0 && moves.back().targetDim == to && moves.back().sourceDim == from;
      if (continues)
        core::appendOrMerge(moves.back().axes, axis.front());
      else
        moves.push_back({std::move(axis), from, to});
    }
  }
  return moves;
}

/// Reads the moves of an all_to_all off the lists: what a dimension gained is a sequence of the
/// suffixes that others lost. None if it needs a local transpose.
std::optional<std::vector<AxisMove>> findMoves(const SearchSpace &space, const SearchState &before,
                                               const SearchState &after) {
  std::vector<AxisMove> moves;
  for (int to = 0; to < space.numDims(); ++to) {
    SubAxisList gained = after.lists[to].withoutPrefix(before.lists[to].length());
    while (!gained.isEmpty()) {
      int from = findSource(space, before, after, gained[0]);
      if (from < 0)
        return std::nullopt;
      SubAxisList moved = before.lists[from].withoutPrefix(after.lists[from].length());
      if (gained.prefix(moved.length()) != moved)
        return std::nullopt;
      moves.push_back({space.toAxes(moved), from, to});
      gained = gained.withoutPrefix(moved.length());
    }
  }
  // In order of the sources where no target has two moves: then the order does not matter.
  auto sameTarget = [](const AxisMove &a, const AxisMove &b) { return a.targetDim == b.targetDim; };
  if (std::adjacent_find(moves.begin(), moves.end(), sameTarget) == moves.end()) {
    std::sort(moves.begin(), moves.end(),
              [](const AxisMove &a, const AxisMove &b) { return a.sourceDim < b.sourceDim; });
  }
  return moves;
}

ReshardStep toStep(const SearchSpace &space, const SearchState &before, const PathState &next) {
  ReshardStep step;
  core::Collective &collective = step.collective;
  collective.kind = next.kind;
  collective.after = space.toSharding(next.state);
  const SearchState &after = next.state;
  switch (collective.kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::ReduceScatter:
    for (int d = 0; d < space.numDims(); ++d)
      collective.dimAxes.push_back(
          space.toAxes(after.lists[d].withoutPrefix(before.lists[d].length())));
    break;
  case CollectiveKind::AllGather:
    for (int d = 0; d < space.numDims(); ++d)
      collective.dimAxes.push_back(
          space.toAxes(before.lists[d].withoutPrefix(after.lists[d].length())));
    break;
  case CollectiveKind::AllToAll:
    if (std::optional<std::vector<AxisMove>> moves = findMoves(space, before, after)) {
      collective.moves = std::move(*moves);
    } else {
      collective.moves = findTransposedMoves(space, before, after);
      collective.localTranspose = true;
    }
    break;
  case CollectiveKind::AllReduce:
    collective.reducedAxes =
        space.toAxes(static_cast<SubAxisSet>(before.unreduced & ~after.unreduced));
    break;
  case CollectiveKind::CollectivePermute:
  case CollectiveKind::Exchange: // The sharding after it says all.
    break;
  case CollectiveKind::CollectiveBroadcast:
  case CollectiveKind::RaggedAllToAll:
  case CollectiveKind::ShardedToUnreduced:
  case CollectiveKind::ReplicatedToUnreduced:
    assert(false && "no step of a search");
  }
  return step;
}

/// The sharding without axes of size 1: what decides who holds what.
core::Sharding withoutUnitAxes(core::Sharding sharding) {
  auto isUnit = [](const core::Axis &axis) { return axis.size == 1; };
  for (core::DimSharding &dim : sharding.dims)
    std::erase_if(dim.axes, isUnit);
  std::erase_if(sharding.unreduced, isUnit);
  return sharding;
}

/// Appends a permute to `after`, or makes the last step lead there if it is a permute.
void appendRelabel(std::vector<ReshardStep> &steps, const core::Sharding &after) {
  if (steps.empty() || steps.back().collective.kind != CollectiveKind::CollectivePermute)
    steps.emplace_back().collective.kind = CollectiveKind::CollectivePermute;
  steps.back().collective.after = after;
}

} // namespace

std::vector<ReshardStep> toSteps(const ReshardProblem &problem, const SearchSpace &space,
                                 std::span<const PathState> path) {
  std::vector<ReshardStep> steps;
  core::Sharding start = space.toSharding(space.source());
  core::Sharding reduced = problem.source;
  std::erase_if(reduced.unreduced, [&](const core::Axis &axis) {
    return axis.size == 1 && !core::overlaps(problem.target.unreduced, {&axis, 1});
  });
  if (reduced.unreduced != problem.source.unreduced) {
    ReshardStep &reduce = steps.emplace_back();
    reduce.collective.kind = CollectiveKind::AllReduce;
    reduce.collective.reducedAxes =
        core::setDifference(problem.source.unreduced, reduced.unreduced);
    reduce.collective.after = reduced;
  }
  if (!core::isSamePlacement(reduced, start) && !core::isSamePlacement(reduced, problem.target))
    appendRelabel(steps, start);
  const SearchState *before = &space.source();
  std::vector<PathState> joined = joinSteps(space, path);
  for (const PathState &next : joined) {
    steps.push_back(toStep(space, *before, next));
    before = &next.state;
  }
  const core::Sharding &last = steps.empty() ? reduced : steps.back().collective.after;
  if (!core::isSamePlacement(last, problem.target))
    appendRelabel(steps, problem.target);
  return steps;
}

int64_t stepBytes(const ReshardProblem &problem, const core::Sharding &before,
                  const ReshardStep &step) {
  if (step.changesMesh) {
    // Also for a permute: it is used only where every device that changes lacks its whole box.
    return missingBetween(problem, Placement(problem, before, OnMesh::Source),
                          Placement(problem, step.collective.after, OnMesh::Target))
        .largest;
  }
  // An exchange receives what is missing, which is what the bound counts.
  if (step.collective.kind == CollectiveKind::Exchange) {
    LowerBound bound = lowerBound(
        {problem.mesh, problem.shape, problem.elementBytes, before, step.collective.after});
    return bound.isAttained ? bound.receivedBytes : localBytes(problem, step.collective.after);
  }
  if (step.collective.kind == CollectiveKind::CollectivePermute &&
      core::isSamePlacement(withoutUnitAxes(before), withoutUnitAxes(step.collective.after))) {
    return 0;
  }
  int64_t sent = sentBufferBytes(step.collective, before, problem.shape, problem.elementBytes);
  return receivedBytes(step.collective.kind, sent, groupSize(step.collective));
}

ReshardPlan toPlan(const ReshardProblem &problem, std::vector<ReshardStep> steps,
                   Optimality optimality, int64_t expansions) {
  ReshardPlan plan;
  plan.optimality = optimality;
  plan.expansions = expansions;
  plan.lowerBoundBytes = lowerBound(problem).receivedBytes;
  plan.steps = std::move(steps);
  // Without a crossing the plan ends on the source mesh, with the boxes of the target.
  bool hasArrived =
      isOneMesh(problem) || std::any_of(plan.steps.begin(), plan.steps.end(),
                                        [](const ReshardStep &step) { return step.changesMesh; });
  if (!plan.steps.empty() && hasArrived)
    plan.steps.back().collective.after = problem.target;
  const core::Sharding *before = &problem.source;
  int64_t held = localBytes(problem, problem.source);
  plan.largestStateBytes = held;
  plan.peakBytes = held;
  std::optional<ReshardProblem> arrived;
  for (ReshardStep &step : plan.steps) {
    step.receivedBytes = stepBytes(arrived ? *arrived : problem, *before, step);
    step.localBytesAfter = localBytes(problem, step.collective.after);
    plan.receivedBytes += step.receivedBytes;
    plan.largestStateBytes = std::max(plan.largestStateBytes, step.localBytesAfter);
    plan.peakBytes = std::max(plan.peakBytes, held + step.localBytesAfter);
    held = step.localBytesAfter;
    before = &step.collective.after;
    if (step.changesMesh)
      arrived = onTargetMesh(problem, step.collective.after);
  }
  return plan;
}

ReshardPlan planExchange(const ReshardProblem &problem) {
  std::vector<ReshardStep> steps;
  core::AxisList pending = core::setDifference(problem.source.unreduced, problem.target.unreduced);
  if (!pending.empty()) {
    ReshardStep &reduce = steps.emplace_back();
    reduce.collective.kind = CollectiveKind::AllReduce;
    reduce.collective.reducedAxes = pending;
    reduce.collective.after = problem.source;
    reduce.collective.after.unreduced = problem.target.unreduced;
  }
  ReshardStep &exchange = steps.emplace_back();
  exchange.collective.kind = CollectiveKind::Exchange;
  exchange.collective.after = problem.target;
  return toPlan(problem, std::move(steps), Optimality::NotSearched, 0);
}

} // namespace shardwise::planner
