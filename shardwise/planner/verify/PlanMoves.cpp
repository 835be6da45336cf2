// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts by groups for uniform steps, by holders for permutes, messages for exchanges. These are the
// messages of one way to carry a step out, the one that sends no element to who has it: for
// drawings and counts of messages. Bytes are counted elsewhere (MeasurePlan.cpp).

#include "shardwise/planner/verify/PlanMoves.h"

#include "shardwise/core/ReplicaGroups.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

/// Whole boxes from the first holder that has not sent yet: a permute has each device send once if
/// it can. Who keeps its box counts as having sent it, so that it is asked only when nobody else is
/// left.
std::vector<Message> permuted(const Placement &before, const Placement &after) {
  std::vector<Message> moves;
  std::vector<bool> hasSent(before.numDevices(), false);
  std::vector<int64_t> receivers;
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    std::optional<int64_t> own = before.positionOrNull(after.idAt(position));
    core::Box box = after.boxAt(position);
    if (own && before.boxAt(*own) == box)
      hasSent[*own] = true;
    else if (box.numElements() > 0)
      receivers.push_back(position);
  }
  for (int64_t position : receivers) {
    core::Box box = after.boxAt(position);
    const std::vector<int64_t> &holders = before.holders(after.blocksAt(position));
    auto free = std::find_if(holders.begin(), holders.end(),
                             [&](int64_t holder) { return !hasSent[holder]; });
    int64_t sender = free == holders.end() ? holders.front() : *free;
    hasSent[sender] = true;
    moves.push_back({before.idAt(sender), after.idAt(position), std::move(box)});
  }
  return moves;
}

std::vector<Message> movedInGroups(const ReshardStep &step, const Placement &before,
                                   const Placement &after) {
  std::vector<Message> moves;
  Result<core::Mesh> positions = core::Mesh::create(before.mesh().axes());
  bool reduces = combinesPartialValues(step.collective.kind);
  core::AxisList axes = groupAxes(step.collective);
  for (int64_t position = 0; positions && position < after.numDevices(); ++position) {
    core::Box want = after.boxAt(position);
    for (int64_t member : core::replicaGroupOf(*positions, axes, position)) {
      core::Box part = core::intersect(want, before.boxAt(member));
      bool isKept = !reduces && part.numElements() > 0 &&
                    core::intersect(part, before.boxAt(position)) == part;
      if (member != position && part.numElements() > 0 && !isKept)
        moves.push_back({before.idAt(member), after.idAt(position), std::move(part)});
    }
  }
  return moves;
}

} // namespace

std::vector<Placement> placementsOf(const ReshardProblem &problem, const ReshardPlan &plan) {
  std::vector<Placement> states;
  states.emplace_back(problem, problem.source, OnMesh::Source);
  OnMesh where = OnMesh::Source;
  for (const ReshardStep &step : plan.steps) {
    // A plan crosses at most once, and stays.
    if (step.changesMesh)
      where = OnMesh::Target;
    states.emplace_back(problem, step.collective.after, where);
  }
  return states;
}

std::vector<Message> movesOf(const ReshardProblem &problem, const ReshardPlan &plan, size_t step) {
  const ReshardStep &taken = plan.steps[step];
  std::vector<Placement> states = placementsOf(problem, plan);
  switch (taken.collective.kind) {
  case CollectiveKind::AllSlice:
    return {};
  case CollectiveKind::Exchange:
    return exchangeMessages(problem, states[step], states[step + 1]);
  case CollectiveKind::CollectivePermute:
    // Of partial values a holder of the block must have the receiver's, too.
    return states[step].sharding().unreduced.empty()
               ? permuted(states[step], states[step + 1])
               : exchangeMessages(problem, states[step], states[step + 1]);
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllReduce:
  case CollectiveKind::CollectiveBroadcast:
  case CollectiveKind::RaggedAllToAll:
  case CollectiveKind::ShardedToUnreduced:
  case CollectiveKind::ReplicatedToUnreduced:
    break;
  }
  return movedInGroups(taken, states[step], states[step + 1]);
}

} // namespace shardwise::planner
