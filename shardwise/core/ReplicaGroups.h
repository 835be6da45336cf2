// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device groups for collectives. Pure function of mesh and axes; knows nothing of transport.

#pragma once

#include "shardwise/core/Axis.h"

#include <span>
#include <vector>

namespace shardwise::core {

/// Devices that run one collective together; group order is the concatenation order.
using ReplicaGroup = std::vector<DeviceId>;

/// Returns one group per coordinate of what `axes` leave of the mesh, major to minor. Within a
/// group the coordinates of `axes` vary, first listed most major.
/// Example: mesh <["x"=2, "y"=2]>, axes {"y"} gives {{0, 1}, {2, 3}}; {"y", "x"} gives
/// {{0, 2, 1, 3}}.
/// Requires: `axes` do not overlap and can coexist.
std::vector<ReplicaGroup> replicaGroups(const Mesh &mesh, std::span<const Axis> axes);

/// Returns the group of the device at row-major `position`, without building the others.
/// Costs the size of the group.
ReplicaGroup replicaGroupOf(const Mesh &mesh, std::span<const Axis> axes, int64_t position);

} // namespace shardwise::core
