// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan costs, device by device: bytes, slow links, time and memory, beside the bounds.
//
// Planning needs only the slowest device and has closed forms for it. Totals and host traffic are
// measured here, for reports: the cost grows with the number of devices.

#pragma once

#include "shardwise/planner/model/Placement.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

#include <vector>

namespace shardwise::planner {

/// Bytes that devices lack.
struct MissingBytes {
  int64_t largest = 0; ///< Of one device.
  int64_t total = 0;
};

/// Returns what devices of `after` do not hold in `before`: the bounds of an exchange.
MissingBytes missingBetween(const ReshardProblem &problem, const Placement &before,
                            const Placement &after);

/// Whether both are on the same devices and every device has the same box.
bool haveSameBoxes(const Placement &before, const Placement &after);

/// Costs of one step.
struct StepMeasure {
  int64_t receivedBytesMax = 0; ///< Of the slowest device.
  int64_t receivedBytesTotal = 0;
  int64_t slowLinkBytes = 0; ///< Between hosts, all together; 0 without hosts.
  double seconds = 0;        ///< Modelled, see CostModel.h.
  int64_t bytesBefore = 0;   ///< A device's buffer.
  int64_t bytesAfter = 0;
};

/// Sums over the steps; `peakBytes` is the largest buffer before plus after a step.
struct PlanMeasure {
  std::vector<StepMeasure> steps;
  int64_t receivedBytesMax = 0;
  int64_t receivedBytesTotal = 0;
  int64_t slowLinkBytes = 0;
  double seconds = 0;
  int64_t peakBytes = 0;
};

/// Returns the costs of `plan`. Traffic between hosts is that of collectives that cross slow links
/// as little as they can: gathers first across hosts, reductions last.
/// Requires: `plan` is right for `problem`.
PlanMeasure measure(const ReshardProblem &problem, const ReshardPlan &plan);

/// What the devices of one host lack.
struct HostNeed {
  /// What they need and none of them has, counted once.
  int64_t importBytes = 0;
  /// What each lacks, added up.
  int64_t missingBytes = 0;
};

/// Returns the needs of every host with target devices, by host number; none without hosts.
/// Requires: nothing is to be reduced.
std::vector<HostNeed> hostNeeds(const ReshardProblem &problem);

/// What no plan can undercut.
struct PlanBounds {
  int64_t receivedBytesMax = 0;
  int64_t receivedBytesTotal = 0;
  /// Every host must import what its devices need and none of them has; counted once per host.
  int64_t slowLinkBytesMax = 0;
  int64_t slowLinkBytesTotal = 0;
  /// Modelled time that no plan can undercut (TimeBound.h).
  double seconds = 0;
};

/// Returns the bounds of `problem`.
PlanBounds measureBounds(const ReshardProblem &problem);

/// Returns how many messages a device starts one after another in `step`: one, but of an exchange
/// one for each device that it receives from.
int64_t numMessages(const ReshardProblem &problem, const core::Sharding &before,
                    const ReshardStep &step);

/// Returns the modelled seconds of `step`: CostModel.h on the links of the axes it works over.
double stepSeconds(const ReshardProblem &problem, const core::Sharding &before,
                   const ReshardStep &step);
/// Returns the modelled seconds of `plan`: those of `measure`, without the totals.
double measureSeconds(const ReshardProblem &problem, const ReshardPlan &plan);

} // namespace shardwise::planner
