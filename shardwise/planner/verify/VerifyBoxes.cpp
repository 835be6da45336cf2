// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay on boxes: is what a device ends a step with covered by what it can hear of?
//
// For each step and each device, its box after the step must be covered by boxes before the step:
//
// 1. Exchange: its own box and the messages to it. A sender must hold what it sends, nobody is sent
//    what it holds.
// 2. collective_permute: one device holds the whole box.
// 3. all_gather, all_to_all: the boxes of its replica group.
// 4. Every other step: its own box alone.
//
// The end of the plan is compared with the boxes of the target, so a plan that keeps to its own
// shardings but has the wrong ones is found. Only boxes of shardings, replica groups and messages
// are used: not the search, not the table of what collectives do to shardings (core/Collective.h),
// no formula of bytes. Whether values are added up rightly is left to VerifyElements.cpp; here axes
// may stop being unreduced only in a step that reduces them.
//
// Example, 4 elements on <["x"=2]>: an all_to_all that claims to lead from [{"x"}] to [{}] over no
// axes has groups of one device: device 0 gets 2 of the 4 elements, and the plan is refused.

#include "shardwise/planner/verify/VerifyPlan.h"

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/core/Text.h"
#include "shardwise/planner/model/Placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxDevices = 4'096;
constexpr int64_t kMaxElements = int64_t{1} << 16;

using BoxKey = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

BoxKey keyOf(const core::Box &box) {
  return {box.start, box.size};
}

Error wrong(std::string message) {
  return {ErrorKind::Internal, std::move(message)};
}

/// Elements of `want` in `boxes`, which are equal or disjoint.
int64_t numCovered(const core::Box &want, const std::vector<core::Box> &boxes) {
  std::set<BoxKey> seen;
  int64_t covered = 0;
  for (const core::Box &box : boxes)
    if (seen.insert(keyOf(box)).second)
      covered += core::intersect(want, box).numElements();
  return covered;
}

Result<void> checkCovered(const Placement &after, int64_t position, int64_t covered) {
  core::Box want = after.boxAt(position);
  if (covered != want.numElements()) {
    return wrong(fmt::format("device {} gets {} of the {} elements at [{}] of size [{}]",
                             after.idAt(position), covered, want.numElements(),
                             fmt::join(want.start, ", "), fmt::join(want.size, ", ")));
  }
  return {};
}

Result<void> checkMessages(const ReshardProblem &problem, const Placement &before,
                           const Placement &after) {
  std::vector<std::vector<core::Box>> received(after.numDevices());
  for (const Message &message : exchangeMessages(problem, before, after)) {
    std::optional<int64_t> sender = before.positionOrNull(message.source);
    std::optional<int64_t> receiver = after.positionOrNull(message.target);
    if (!sender || !receiver || core::intersect(before.boxAt(*sender), message.box) != message.box)
      return wrong(fmt::format("device {} is to send what it does not hold", message.source));
    received[*receiver].push_back(message.box);
  }
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    std::vector<core::Box> &boxes = received[position];
    // What the device has stays, and counts beside the messages, which must not overlap it.
    if (std::optional<int64_t> own = before.positionOrNull(after.idAt(position))) {
      core::Box kept = core::intersect(before.boxAt(*own), after.boxAt(position));
      for (const core::Box &box : boxes)
        if (core::intersect(kept, box).numElements() > 0)
          return wrong(fmt::format("device {} is sent what it holds", after.idAt(position)));
      boxes.push_back(kept);
    }
    if (Result<void> checked =
            checkCovered(after, position, numCovered(after.boxAt(position), boxes));
        !checked) {
      return checked;
    }
  }
  return {};
}

Result<void> checkPermute(const Placement &before, const Placement &after) {
  std::set<BoxKey> held;
  for (int64_t position = 0; position < before.numDevices(); ++position)
    held.insert(keyOf(before.boxAt(position)));
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    core::Box box = after.boxAt(position);
    if (box.numElements() > 0 && held.count(keyOf(box)) == 0)
      return wrong(fmt::format("no device holds the whole box of device {}", after.idAt(position)));
  }
  return {};
}

Result<void> checkStep(const ReshardProblem &problem, const ReshardStep &step,
                       const Placement &before, const Placement &after) {
  if (step.collective.kind == CollectiveKind::Exchange)
    return checkMessages(problem, before, after);
  if (step.collective.kind == CollectiveKind::CollectivePermute)
    return checkPermute(before, after);
  bool isLocal = step.collective.kind != CollectiveKind::AllGather &&
                 step.collective.kind != CollectiveKind::AllToAll;
  core::AxisList axes = isLocal ? core::AxisList{} : groupAxes(step.collective);
  // Groups of positions: the order of physical devices plays no part in who is in a group.
  Result<core::Mesh> positions = core::Mesh::create(problem.mesh.axes());
  if (!positions)
    return positions.error();
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    std::vector<core::Box> boxes;
    for (int64_t member : core::replicaGroupOf(*positions, axes, position))
      boxes.push_back(before.boxAt(member));
    if (Result<void> checked =
            checkCovered(after, position, numCovered(after.boxAt(position), boxes));
        !checked) {
      return checked;
    }
  }
  return {};
}

/// Axes may only stop being unreduced in a reduction, and only those it reduces.
Result<void> checkReduction(const ReshardStep &step, const core::Sharding &before) {
  bool reduces = combinesPartialValues(step.collective.kind);
  core::AxisList lost = core::setDifference(before.unreduced, step.collective.after.unreduced);
  core::AxisList allowed = reduces ? groupAxes(step.collective) : core::AxisList{};
  bool isRight = core::setDifference(lost, allowed).empty() &&
                 core::setDifference(step.collective.after.unreduced, before.unreduced).empty();
  return isRight ? Result<void>() : wrong("unreduced axes vanish or appear without a reduction");
}

} // namespace

Result<void> verifyOnBoxes(const ReshardProblem &problem, const ReshardPlan &plan) {
  const core::Sharding *before = &problem.source;
  OnMesh where = OnMesh::Source;
  std::optional<ReshardProblem> arrived;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ReshardStep &step = plan.steps[i];
    auto inStep = [&](const Error &error) {
      return Error{error.kind, fmt::format("step {}: {}: {}", i, toString(step.collective.kind),
                                           error.message)};
    };
    if (where == OnMesh::Target && step.changesMesh)
      return inStep(wrong("the mesh changes twice"));
    const ReshardProblem &rest = arrived ? *arrived : problem;
    if (Result<void> checked = checkReduction(step, *before); !checked)
      return inStep(checked.error());
    Result<void> checked = checkStep(rest, step, Placement(rest, *before, OnMesh::Source),
                                     Placement(rest, step.collective.after, meshAfter(step)));
    if (!checked)
      return inStep(checked.error());
    before = &step.collective.after;
    if (step.changesMesh) {
      where = OnMesh::Target;
      arrived = onTargetMesh(problem, step.collective.after);
    }
  }
  Placement last(problem, *before, where);
  Placement target(problem, problem.target, OnMesh::Target);
  for (int64_t position = 0; position < target.numDevices(); ++position) {
    core::Box box = target.boxAt(position);
    std::optional<int64_t> own = last.positionOrNull(target.idAt(position));
    if (box.numElements() > 0 && (!own || last.boxAt(*own) != box))
      return wrong(fmt::format("device {} does not end with its box", target.idAt(position)));
  }
  core::AxisList kept = isOneMesh(problem) ? problem.target.unreduced : core::AxisList{};
  if (where == OnMesh::Source &&
      core::shardedSize(core::setDifference(before->unreduced, kept)) > 1)
    return wrong("the plan ends with axes that are not reduced");
  return {};
}

Result<void> verifyPlan(const ReshardProblem &problem, const ReshardPlan &plan) {
  bool isSmallMesh =
      problem.mesh.numDevices() <= kMaxDevices && targetMeshOf(problem).numDevices() <= kMaxDevices;
  if (isSmallMesh) {
    if (Result<void> checked = verifyOnBoxes(problem, plan); !checked)
      return checked;
  }
  // A plan without steps may end with another sharding of the same boxes.
  bool isTrivial = plan.steps.empty() && isSmallMesh;
  if (isTrivial)
    return {};
  bool isOne = isOneMesh(problem);
  if (Result<void> checked = isOne ? verifyOnBlocks(problem, plan) : Result<void>(); !checked)
    return checked;
  int64_t largest = std::max(plan.largestStateBytes / problem.elementBytes, int64_t{1});
  int64_t devices = std::max(problem.mesh.numDevices(), targetMeshOf(problem).numDevices());
  bool isSmall = largest <= kMaxElements / devices;
  return isSmall ? verifyOnElements(problem, plan) : Result<void>();
}

} // namespace shardwise::planner
