// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between which devices an exchange, or a permute, moves elements.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"

namespace shardwise::core {

/// Returns the axes, in mesh order, such that devices that differ along another one have nothing
/// for each other on the way from `before` to `after`: in each dimension the axes behind the common
/// prefix of both lists, or all of them where the dimension divides unevenly and blocks of a prefix
/// need not lie in each other.
/// Example: [{"x", "y"}, {"z"}] to [{"x", "z"}, {"y"}] moves along {"y", "z"}.
AxisList movedAxes(const Mesh &mesh, const Shape &shape, const Sharding &before,
                   const Sharding &after);

/// Returns the rest of the mesh's axes, in mesh order.
AxisList axesBeside(const Mesh &mesh, const AxisList &axes);

} // namespace shardwise::core
