// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Free choice of the target's device order: which device takes which target position.

#pragma once

#include "shardwise/planner/model/ReshardProblem.h"

#include <vector>

namespace shardwise::planner {

/// Returns the ids by target position, a permutation of the target's devices, for which devices
/// keep most elements: max sum of vol(S(D) and T(position of D)). Ties go to the given order.
///
/// A linear assignment problem (as in COSTA), solved exactly by the Hungarian method with shortest
/// augmenting paths (Kuhn 1955; Jonker and Volgenant 1987), O(n^3).
/// Fails with Unsupported for more than 2,048 target devices.
Result<std::vector<core::DeviceId>> relabelTargetDevices(const ReshardProblem &problem);

} // namespace shardwise::planner
