// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reshards cost by the planner.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace shardwise::reshard {

/// Costs of reshards, remembered: a program has few different ones. `mesh` must outlive this.
class PlannedCosts {
public:
  explicit PlannedCosts(const core::Mesh &mesh) : mesh(mesh) {}

  /// Returns the bytes that a device receives while a tensor of `shape` goes from one placement to
  /// the other, and a few for every step (`priceOf`); infinite if there is no plan.
  double operator()(std::span<const int64_t> shape, int64_t elementBytes,
                    const core::Sharding &from, const core::Sharding &to);

  /// Whether an axis of the mesh is no part of one.
  bool isWholeAxis(const core::Axis &axis) const {
    return axis.size == mesh.axes()[axis.index].size;
  }

private:
  /// Dimensions, then unreduced.
  using Axes = std::vector<core::AxisList>;
  using Key = std::tuple<core::Shape, int64_t, Axes, Axes>;

  const core::Mesh &mesh;
  std::map<Key, double> known;
};

} // namespace shardwise::reshard
