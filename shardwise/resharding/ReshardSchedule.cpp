// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a plan becomes transfers:
//
// 1. Steps are put into legs: one each, or all neighbours that only move values as one.
// 2. A leg that moves values: a device keeps what its box before and after have in common, and gets
//    the rest by messages: of an all_gather or all_to_all from its group, of all else, and of
//    legs of several steps, from whoever the planner's exchange lets send it.
// 3. A leg that combines values: a device takes its box after the step from each device of its
//    group, in group order, itself among them.
// 4. What several devices of a host get from another one is handed on by one (HostRelays.cpp).
// 5. If the last state is not the target's, as when there are no steps, one more leg keeps all.
//
// Buffers between legs are exact and row-major, but for those behind an all_reduce: they lie as the
// ones before it, so that devices can combine runs of them.
//
// Example: 4 elements on <["x"=2, "y"=2]>, [{"x"}] to [{"y"}], fused: device (0, 1) has 0-1, wants
// 2-3, and gets them from (1, 0) or (1, 1).

#include "shardwise/resharding/ReshardSchedule.h"

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/planner/model/Placement.h"
#include "shardwise/planner/verify/PlanMoves.h"
#include "shardwise/resharding/HostRelays.h"
#include "shardwise/runtime/StridedCopy.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>

namespace shardwise::resharding {
namespace {

using planner::Placement;

ShardState stateOf(const planner::ReshardProblem &problem, const Placement &placement,
                   const ShardLayout &layout) {
  ShardState state;
  core::Shape padded = core::localShape(problem.shape, placement.sharding());
  for (int64_t position = 0; position < placement.numDevices(); ++position) {
    ShardPlace &place = state.emplace_back();
    place.device = placement.idAt(position);
    place.box = placement.boxAt(position);
    place.shape = layout.form == ShardForm::Padded ? padded : place.box.size;
    if (layout.order == MemoryOrder::RowMajor) {
      place.strides = runtime::rowMajorStrides(place.shape, problem.elementBytes);
    } else {
      core::Shape reversed(place.shape.rbegin(), place.shape.rend());
      place.strides = runtime::rowMajorStrides(reversed, problem.elementBytes);
      std::reverse(place.strides.begin(), place.strides.end());
    }
    place.partial =
        core::coordinateAlong(placement.sharding().unreduced, placement.mesh(), position);
  }
  return state;
}

bool isSameState(const Placement &a, const Placement &b) {
  if (a.numDevices() != b.numDevices())
    return false;
  for (int64_t position = 0; position < a.numDevices(); ++position)
    if (a.idAt(position) != b.idAt(position) || a.boxAt(position) != b.boxAt(position))
      return false;
  return true;
}

/// Consecutive steps that are carried out as one: [first, last).
struct Leg {
  size_t first = 0;
  size_t last = 0;
};

std::vector<Leg> legsOf(const planner::ReshardPlan &plan, Grain grain) {
  std::vector<Leg> legs;
  bool canGrow = false;
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    bool moves = !core::combinesPartialValues(plan.steps[step].collective.kind);
    if (moves && canGrow && grain == Grain::Fused)
      legs.back().last = step + 1;
    else
      legs.push_back({step, step + 1});
    canGrow = moves;
  }
  return legs;
}

/// What devices keep, and the messages.
std::vector<Transfer> transfersOf(const Placement &before, const Placement &after,
                                  const std::vector<planner::Message> &messages) {
  std::vector<Transfer> transfers;
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    std::optional<int64_t> own = before.positionOrNull(after.idAt(position));
    if (!own)
      continue;
    core::Box kept = core::intersect(after.boxAt(position), before.boxAt(*own));
    if (kept.numElements() > 0)
      transfers.push_back({*own, position, std::move(kept)});
  }
  for (const planner::Message &message : messages) {
    transfers.push_back({*before.positionOrNull(message.source),
                         *after.positionOrNull(message.target), message.box});
  }
  return transfers;
}

std::vector<Transfer> summandsOf(const core::Collective &collective, const Placement &before,
                                 const Placement &after) {
  std::vector<Transfer> transfers;
  Result<core::Mesh> positions = core::Mesh::create(before.mesh().axes());
  assert(positions && "the axes of a mesh make a mesh");
  core::AxisList axes = core::groupAxes(collective);
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    core::Box box = after.boxAt(position);
    if (box.numElements() == 0)
      continue;
    for (int64_t member : core::replicaGroupOf(*positions, axes, position))
      transfers.push_back({member, position, box});
  }
  return transfers;
}

} // namespace

void sortByTarget(ScheduledStep &step, size_t numTargets) {
  // Stable: of sums the order of the operands stays.
  std::stable_sort(step.transfers.begin(), step.transfers.end(),
                   [](const Transfer &a, const Transfer &b) { return a.target < b.target; });
  step.firstTransfer.assign(numTargets + 1, 0);
  for (const Transfer &transfer : step.transfers)
    ++step.firstTransfer[transfer.target + 1];
  for (size_t target = 0; target < numTargets; ++target)
    step.firstTransfer[target + 1] += step.firstTransfer[target];
}

int64_t ShardPlace::offsetOf(const std::vector<int64_t> &start) const {
  int64_t offset = 0;
  for (size_t dim = 0; dim < start.size(); ++dim)
    offset += (start[dim] - box.start[dim]) * strides[dim];
  return offset;
}

ReshardSchedule makeSchedule(const planner::ReshardProblem &problem,
                             const planner::ReshardPlan &plan, Grain grain,
                             const ShardLayout &source, const ShardLayout &target) {
  ReshardSchedule schedule;
  schedule.elementBytes = problem.elementBytes;
  schedule.shape = problem.shape;
  std::vector<Placement> placements = planner::placementsOf(problem, plan);
  Placement goal(problem, problem.target, planner::OnMesh::Target);
  schedule.states.push_back(stateOf(problem, placements.front(), source));
  std::vector<Leg> legs = legsOf(plan, grain);
  bool endsAtGoal = !legs.empty() && isSameState(placements.back(), goal);
  ShardLayout layout = source;
  for (const Leg &leg : legs) {
    const core::Collective &collective = plan.steps[leg.first].collective;
    bool isOne = leg.last == leg.first + 1;
    // What the last state keeps on the way to the target is fused, too.
    if (!endsAtGoal && leg.last == plan.steps.size() && grain == Grain::Fused &&
        !core::combinesPartialValues(collective.kind)) {
      endsAtGoal = true;
      isOne = false;
      placements.back() = goal;
    }
    const Placement &before = placements[leg.first];
    const Placement &after = placements[leg.last];
    ScheduledStep &step = schedule.steps.emplace_back();
    step.kind = isOne ? collective.kind : CollectiveKind::Exchange;
    if (step.combines()) {
      step.transfers = summandsOf(collective, before, after);
    } else {
      step.transfers = transfersOf(before, after,
                                   isOne ? planner::movesOf(problem, plan, leg.first)
                                         : planner::exchangeMessages(problem, before, after));
    }
    bool isLast = endsAtGoal && leg.last == plan.steps.size();
    if (step.kind != CollectiveKind::AllReduce)
      layout = isLast ? target : ShardLayout{};
    schedule.states.push_back(stateOf(problem, after, layout));
    sortByTarget(step, schedule.states.back().size());
    if (grain == Grain::Steps)
      relayWithinHosts(step, {*std::prev(schedule.states.end(), 2), schedule.states.back(),
                              problem.topology.devicesPerHost, problem.elementBytes});
  }
  if (!endsAtGoal || layout != target) {
    ScheduledStep &step = schedule.steps.emplace_back();
    step.transfers = transfersOf(placements.back(), goal, {});
    schedule.states.push_back(stateOf(problem, goal, target));
    sortByTarget(step, schedule.states.back().size());
  }
  return schedule;
}

Share shareOf(int64_t member, int64_t numMembers, int64_t numElements) {
  int64_t size = (numElements + numMembers - 1) / numMembers;
  int64_t first = std::min(numElements, member * size);
  return {first, std::min(size, numElements - first)};
}

std::vector<int64_t> receivedBytes(const ReshardSchedule &schedule, size_t step) {
  const ShardState &before = schedule.states[step];
  const ShardState &after = schedule.states[step + 1];
  const ScheduledStep &scheduled = schedule.steps[step];
  std::vector<int64_t> received(after.size(), 0);
  for (size_t target = 0; target < after.size(); ++target) {
    size_t first = scheduled.firstTransfer[target];
    auto numMembers = static_cast<int64_t>(scheduled.firstTransfer[target + 1] - first);
    for (int64_t member = 0; member < numMembers; ++member) {
      const Transfer &transfer = scheduled.transfers[first + member];
      bool isOwn = before[transfer.source].device == after[target].device;
      int64_t elements = isOwn ? 0 : transfer.box.numElements();
      if (scheduled.kind == CollectiveKind::AllReduce) {
        // Its own share from each of the others, and theirs when they are combined.
        int64_t count = shareOf(member, numMembers, core::numElements(after[target].shape)).count;
        elements = isOwn ? (numMembers - 1) * count : count;
      }
      received[target] += elements * schedule.elementBytes;
    }
  }
  return received;
}

} // namespace shardwise::resharding
