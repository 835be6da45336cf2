// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between a global tensor and the shards that the devices hold.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/support/Result.h"

#include <span>
#include <vector>

namespace shardwise::driver {

/// Returns the shard that the device at row-major `position` of `mesh` holds. Of partial sums, the
/// first device along the unreduced axes has all and the others have zeros. Shards are of one size:
/// where a dimension does not divide, the last ones are padded, with zeros.
runtime::HostTensor shardOf(const runtime::HostTensor &tensor, const core::Sharding &sharding,
                            const core::Mesh &mesh, int64_t position);

/// Puts the shards of all devices, in row-major position order, together, without their padding.
/// Partial values combine
/// along the unreduced axes, first coordinate first. Fails if two devices that hold the same part
/// disagree in a bit.
Result<runtime::HostTensor> assemble(std::span<const runtime::HostTensor *const> shards,
                                     const core::Shape &globalShape, const core::Sharding &sharding,
                                     const core::Mesh &mesh);

} // namespace shardwise::driver
