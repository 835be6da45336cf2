// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reshard that is planned once and executed often.

#pragma once

#include "shardwise/planner/strategies/PlanReshard.h"
#include "shardwise/resharding/ExecuteHere.h"
#include "shardwise/resharding/ExecuteOnRank.h"
#include "shardwise/resharding/ReshardSchedule.h"
#include "shardwise/runtime/DataType.h"

#include <optional>

namespace shardwise::resharding {

/// How to plan, and what buffers are like.
struct ReshardOptions {
  planner::PlanOptions planning = {.strategy = planner::Strategy::Optimal};
  /// What the elements are. Needed if partial values are combined on the way; else they are bytes.
  std::optional<runtime::DataType> type = std::nullopt;
  ShardLayout source = {};
  ShardLayout target = {};
  /// How ranks follow the plan. Absent: step by step where the topology says something of links or
  /// hosts, as the plan was made for these; else as takes less time on one host
  /// (`scheduleSecondsInMemory`).
  std::optional<Grain> onRanks = std::nullopt;
};

/// A tensor's way from one sharding to another, ready to be executed. Immutable, so that many
/// threads may execute it at a time.
///
/// Example, a matrix from rows to columns of 4 devices:
///
///     auto planned = PlannedReshard::plan(problem);
///     auto traffic = planned->execute(rows, columns);      // all buffers are in this process
///     auto traffic = planned->execute(communicator, ...);  // every rank has some
class PlannedReshard {
public:
  /// Plans `problem`, whose topology and memory limit count. Sums over devices of several hosts are
  /// taken within hosts first (planner/strategies/HostSums.h). Fails with what `planReshard`
  /// reports, and if partial values are to be combined and there is no type, or one that does not
  /// add up.
  static Result<PlannedReshard> plan(planner::ReshardProblem problem,
                                     const ReshardOptions &options = {});
  /// Takes `plan` as it is. Requires: it is right for `problem`.
  static Result<PlannedReshard> follow(planner::ReshardProblem problem, planner::ReshardPlan plan,
                                       const ReshardOptions &options = {});

  const planner::ReshardProblem &problem() const { return reshardProblem; }
  const planner::ReshardPlan &plan() const { return reshardPlan; }
  /// What ranks execute.
  const ReshardSchedule &steps() const { return ranked; }
  /// What one process executes.
  const ReshardSchedule &fusedSteps() const { return fused; }

  /// What the devices hold before and after, by mesh position: boxes, and shapes of buffers.
  const ShardState &source() const { return fused.states.front(); }
  const ShardState &target() const { return fused.states.back(); }

  /// See ExecuteHere.h.
  Result<ReshardTraffic>
  execute(std::span<const std::byte *const> sources, std::span<std::byte *const> targets,
          runtime::WorkerThreads &workers = runtime::WorkerThreads::shared()) const;
  /// See ExecuteOnRank.h.
  Result<ReshardTraffic> execute(
      runtime::Communicator &communicator, std::span<const std::byte *const> sources,
      std::span<std::byte *const> targets,
      const RankOfDevice &rankOf = [](core::DeviceId id) { return id; }) const;

private:
  PlannedReshard() = default;

  planner::ReshardProblem reshardProblem;
  planner::ReshardPlan reshardPlan;
  ReshardSchedule ranked;
  ReshardSchedule fused;
  std::optional<runtime::Reducer> reducer;
};

} // namespace shardwise::resharding
