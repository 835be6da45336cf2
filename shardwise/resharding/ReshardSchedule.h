// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan in the terms of who copies what: which box of whose buffer goes to whom, step by step.
//
// The same value is carried out by threads that see all buffers (ExecuteHere.h) and by ranks that
// send each other messages (ExecuteOnRank.h).

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::resharding {

using core::CollectiveKind;

/// What of a dimension that does not divide a device's buffer has.
enum class ShardForm {
  Exact, ///< The elements of its box; no memory if that is empty.
  Padded ///< `core::localShape` on every device; what is behind the box is never data.
};

/// Which neighbours are adjacent in memory.
enum class MemoryOrder {
  RowMajor,   ///< Those along the last dimension, as in C.
  ColumnMajor ///< Those along the first, as in Fortran.
};

/// How the buffers of source and target lie in memory.
struct ShardLayout {
  ShardForm form = ShardForm::Exact;
  MemoryOrder order = MemoryOrder::RowMajor;

  bool operator==(const ShardLayout &) const = default;
};

/// What a device holds in one state.
struct ShardPlace {
  core::DeviceId device = 0;
  core::Box box;
  /// Of the buffer.
  core::Shape shape;
  /// Bytes between neighbours.
  std::vector<int64_t> strides;
  /// Devices with the same box and the same partial values hold the same elements: the coordinate
  /// along the axes that are unreduced.
  int64_t partial = 0;

  /// Bytes of the buffer.
  int64_t bytes(int64_t elementBytes) const { return core::numElements(shape) * elementBytes; }
  /// Byte offset of the element at global index `start`.
  int64_t offsetOf(const std::vector<int64_t> &start) const;
};

/// All devices of a mesh, by position.
using ShardState = std::vector<ShardPlace>;

/// A box that the device at position `source` has before a step, and the one at position `target`
/// has after it. They may be the same device.
struct Transfer {
  int64_t source = 0;
  int64_t target = 0;
  core::Box box;
  /// Position of a device that gets the same box in this step, for itself, and hands it on: ranks
  /// send from its buffer after the step (HostRelays.h). Absent: ranks send from the source's.
  std::optional<int64_t> relay = std::nullopt;
};

/// One step between two states.
struct ScheduledStep {
  CollectiveKind kind = CollectiveKind::AllSlice;
  /// By target. If the step moves values: boxes that do not overlap and make up the target's box.
  /// If it combines partial values: the target's whole box from each device that holds a summand,
  /// in the order in which they are combined.
  std::vector<Transfer> transfers;
  /// Position of the first transfer to each target, and the end.
  std::vector<size_t> firstTransfer;

  bool combines() const { return core::combinesPartialValues(kind); }
};

/// Sorts transfers by target, those of one target in the order that they have, and fills in where
/// each target's begin.
void sortByTarget(ScheduledStep &step, size_t numTargets);

/// States before, between and after the steps. There is at least one step.
struct ReshardSchedule {
  int64_t elementBytes = 0;
  core::Shape shape;
  /// One more than steps.
  std::vector<ShardState> states;
  std::vector<ScheduledStep> steps;
};

/// How a schedule follows a plan.
enum class Grain {
  /// Each step as it is planned, between the devices that the plan names. Between hosts, if the
  /// topology has some, a box moves once, and is handed on there.
  Steps,
  /// Steps that only move values, one behind the other, are one exchange. What is combined, and in
  /// which order, stays: the results are the same to the bit.
  Fused
};

/// Returns the schedule of `plan`. A plan without steps has one that copies every device's box.
/// Requires: `plan` is right for `problem`.
/// Costs devices times the size of their groups.
ReshardSchedule makeSchedule(const planner::ReshardProblem &problem,
                             const planner::ReshardPlan &plan, Grain grain,
                             const ShardLayout &source = {}, const ShardLayout &target = {});

/// A run of the elements of a buffer.
struct Share {
  int64_t first = 0;
  int64_t count = 0;
};

/// Returns the share that member number `member` of an all_reduce over `numMembers` devices
/// combines, of `numElements`. Example: 10 elements on 4 devices are shares of 3, 3, 3 and 1.
Share shareOf(int64_t member, int64_t numMembers, int64_t numElements);

/// Returns by position what the devices of `schedule` receive from others in step number `step`, in
/// bytes: what the plan predicts, and what ranks must count. Where dimensions divide, the most of
/// any device is the `receivedBytes` of the plan's step; padding does not count.
std::vector<int64_t> receivedBytes(const ReshardSchedule &schedule, size_t step);

} // namespace shardwise::resharding
