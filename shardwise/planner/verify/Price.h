// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What things cost on a machine. All that is chosen by price, and all that is reported as time,
// asks here: which plan reshards a value, which axes cut an op, where values are, what is gathered
// early.

#pragma once

#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace shardwise::planner {

/// What something costs one device.
struct Price {
  double seconds = 0;
  /// Received.
  int64_t bytes = 0;
  /// The seconds as bytes that the machine's link moves in them: what choices add up and compare.
  /// On a plain machine without a start-up time this is `bytes`, exactly.
  double weight = 0;
};

/// The prices of one machine and mesh.
class PriceList {
public:
  PriceList(const Machine &machine, const core::Mesh &mesh);

  /// What a problem needs as its topology, so that its plan is the one that is priced.
  const Topology &links() const { return topology; }

  /// Returns the price of `plan` for `problem`: CostModel.h on the links of each step, and the
  /// start-up time of a collective for each, of an exchange for each of its messages.
  Price of(const ReshardProblem &problem, const ReshardPlan &plan) const;
  /// Returns the seconds of one step that `before` stands before, start-up included; 0 if it moves
  /// nothing.
  double secondsOf(const ReshardProblem &problem, const core::Sharding &before,
                   const ReshardStep &step) const;
  /// The same of all steps.
  std::vector<double> secondsOfSteps(const ReshardProblem &problem, const ReshardPlan &plan) const;
  /// Returns the price of a collective over `axes` of which a device has `localBytes` (of a
  /// permute: receives them) and receives `receivedBytes`.
  Price ofCollective(CollectiveKind kind, int64_t localBytes, int64_t receivedBytes,
                     const core::AxisList &axes) const;
  /// The same over groups of `groupSize` devices, which are taken to be on the slowest links.
  Price ofGroups(CollectiveKind kind, int64_t localBytes, int64_t receivedBytes,
                 int64_t groupSize) const;

  /// Weights of what a device does by itself: for a byte that it reads or writes, as element-wise
  /// ops do or by another `access`; for patches of convolutions; for a multiplication and addition
  /// in a matrix product or convolution of `elementType`; for an element in another op.
  double weightOfByte() const { return weightOf(1 / machine.device.memoryBytesPerSecond); }
  double weightOfByte(Access access) const {
    return weightOf(machine.device.secondsPerByte(access));
  }
  double weightOfPatches(const PatchCopies &patches) const {
    return weightOf(machine.device.secondsOf(patches));
  }
  double weightOfProduct(std::string_view elementType) const;
  double weightOfElement() const { return weightOf(1 / machine.device.vectorFlopsPerSecond); }

  /// Whether ops that go through memory by `access` do it by themselves, at a rate of its own.
  bool isApart(Access access) const { return machine.device.isApart(access); }
  /// Whether devices that do the same do it faster than if each did its own.
  bool sharesCommonWork() const { return machine.device.commonWorkShare < 1; }
  /// What work takes that `times` devices do alike, of what it takes if each does its own.
  double shareOfCommonWork(int64_t times) const { return machine.device.shareOfCommonWork(times); }

  /// How much of the work counts that a choice adds.
  double addedWorkWeight() const { return machine.addedWorkWeight; }

  double weightOf(double seconds) const { return seconds * machine.link.bytesPerSecond; }
  double secondsOfWeight(double weight) const { return weight / machine.link.bytesPerSecond; }

private:
  Price ofLevels(CollectiveKind kind, int64_t localBytes, int64_t receivedBytes,
                 std::span<const LinkLevel> levels) const;

  Machine machine;
  core::Mesh mesh;
  Topology topology;
  bool countsBytes = true;
};

} // namespace shardwise::planner
