// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reshards cost by the planner.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/planner/verify/Price.h"
#include "shardwise/propagation/FactorView.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace shardwise::reshard {

/// Returns the machine that a pass option names: a preset, a file, or `default` if it is empty.
/// Fails with a diagnostic at `op`.
llvm::FailureOr<planner::Machine> machineOf(const std::string &option, mlir::Operation *op);

/// What a program pays on one machine, as weights (planner/verify/Price.h): what its choices
/// compare. Reshards are remembered: a program has few different ones. `mesh` must outlive this.
class PlannedCosts {
public:
  /// On the machine `default`: bytes, and a few for every step.
  explicit PlannedCosts(const core::Mesh &mesh);
  PlannedCosts(const core::Mesh &mesh, const planner::Machine &machine)
      : mesh(mesh), machine(machine), prices(machine, mesh) {}

  /// Returns what a device pays while a tensor of `shape` goes from one placement to the other;
  /// infinite if there is no plan.
  double operator()(std::span<const int64_t> shape, int64_t elementBytes,
                    const core::Sharding &from, const core::Sharding &to);

  /// Returns what a device pays to receive `bytes` of its neighbours along `axes`.
  double fetch(double bytes, const core::AxisList &axes) const;
  /// Returns what it pays for each message, beside what that brings.
  double ofMessage() const { return prices.weightOf(machine.startSeconds); }
  /// Returns what it pays for its own work in `op`.
  propagation::WorkCost workOf(mlir::Operation *op) const;
  /// Whether bytes decide: all links are alike.
  bool countsBytes() const { return prices.links().isPlain(); }
  double addedWorkWeight() const { return prices.addedWorkWeight(); }
  double weightOfByte() const { return prices.weightOfByte(); }
  double secondsOf(double weight) const { return prices.secondsOfWeight(weight); }

  /// Whether an axis of the mesh is no part of one.
  bool isWholeAxis(const core::Axis &axis) const {
    return axis.size == mesh.axes()[axis.index].size;
  }

private:
  /// Dimensions, then unreduced.
  using Axes = std::vector<core::AxisList>;
  using Key = std::tuple<core::Shape, int64_t, Axes, Axes>;

  const core::Mesh &mesh;
  planner::Machine machine;
  planner::PriceList prices;
  std::map<Key, double> known;
};

} // namespace shardwise::reshard
