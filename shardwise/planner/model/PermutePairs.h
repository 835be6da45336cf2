// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who sends to whom in a collective_permute between two shardings.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/support/Result.h"

#include <vector>

namespace shardwise::planner {

/// Source and target device of one message.
struct DevicePair {
  core::DeviceId source = 0;
  core::DeviceId target = 0;

  bool operator==(const DevicePair &) const = default;
};

/// Returns, by target position, the device whose block under `before` is the target's block under
/// `after`; a bijection on the devices. Coordinates along unreduced axes are kept, and a device
/// whose block does not change is its own source.
/// Example: <["x"=2, "y"=2]>, [{"x", "y"}] to [{"y", "x"}] gives 0->0, 2->1, 1->2, 3->3.
/// `afterMesh` has the axes of `beforeMesh`, in any order of devices.
/// Example: <["x"=2]> to <["x"=2], device_ids=[1, 0]>, both [{"x"}]: 0->1, 1->0.
/// Fails if block counts or unreduced axes differ.
/// Costs the number of devices.
Result<std::vector<DevicePair>> permutePairs(const core::Mesh &beforeMesh,
                                             const core::Sharding &before,
                                             const core::Mesh &afterMesh,
                                             const core::Sharding &after);
/// The same on one mesh.
Result<std::vector<DevicePair>> permutePairs(const core::Mesh &mesh, const core::Sharding &before,
                                             const core::Sharding &after);

} // namespace shardwise::planner
