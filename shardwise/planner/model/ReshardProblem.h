// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problem the planner solves: one tensor, from one sharding to another, on one mesh or two.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/planner/model/Topology.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::planner {

/// A reshard changes how a tensor is split over a mesh without changing the tensor.
///
/// The devices hold `source`; afterwards each must hold its box of `target` (flattened ceil-div
/// rule, see core/ShardMap.h). Axes unreduced in the source and not in the target are reduced on
/// the way, with the source's reduction kind. Whether dimensions are open, their priorities and
/// axes reserved as replicated do not matter.
/// Example: shape {6, 6} on <["x"=2, "y"=3]> from [{"x"}, {"y"}] to [{"y"}, {"x"}].
struct ReshardProblem {
  core::Mesh mesh;
  core::Shape shape;
  int64_t elementBytes = 4;
  core::Sharding source;
  core::Sharding target;
  /// The mesh of `target`; absent: `mesh`.
  std::optional<core::Mesh> targetMesh = std::nullopt;
  /// Physical device ids by mesh position, for meshes over any set of devices; empty: the mesh's
  /// own. Example: {4, 5} puts <["x"=2]> on devices 4 and 5.
  std::vector<core::DeviceId> sourceDevices = {};
  std::vector<core::DeviceId> targetDevices = {};
  Topology topology = {};
  /// A step's input and output together may not be larger; absent: no limit.
  std::optional<int64_t> memoryLimitBytes = std::nullopt;
};

/// Returns the mesh of the target sharding.
const core::Mesh &targetMeshOf(const ReshardProblem &problem);
/// Physical id of the device at `position` of the source mesh.
core::DeviceId sourceDeviceAt(const ReshardProblem &problem, int64_t position);
/// Physical id of the device at `position` of the target mesh.
core::DeviceId targetDeviceAt(const ReshardProblem &problem, int64_t position);
/// Whether source and target are on the same axes in the same device order.
bool isOneMesh(const ReshardProblem &problem);

/// Returns the axes to reduce on the way: those unreduced in the source and not in the target.
core::AxisList pendingAxes(const ReshardProblem &problem);
/// Returns the tensor on the target mesh alone, sharded as `sharding` and to be sharded as the
/// target: what is left to do when all data are there. Links by axis are kept if the axes are the
/// same.
ReshardProblem onTargetMesh(const ReshardProblem &problem, core::Sharding sharding);

/// Returns the link along `axis` of the source mesh, with the devices in the order they have: the
/// host link if some devices that differ only along it are on different hosts.
Link linkAlong(const ReshardProblem &problem, const core::Axis &axis);

/// Checks that both shardings are valid on the mesh and fit the shape, that no axis is unreduced
/// in the target only, that the padded tensor has fewer than 2^60 bytes, that device ids are
/// distinct, and that links and limits are positive.
Result<void> check(const ReshardProblem &problem);

/// Returns the bytes of one device's shard under `sharding`, padding included.
int64_t localBytes(const ReshardProblem &problem, const core::Sharding &sharding);

} // namespace shardwise::planner
