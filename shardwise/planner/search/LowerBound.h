// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What no plan can undercut.
//
// A device must receive at least the elements of its target box that are not in its source box.
// A direct exchange receives exactly those, so the bound is attained. If every dimension divides
// evenly, the largest count over all devices has a closed form on the axis lists; otherwise the
// coordinates along the axes in use are enumerated, not the devices.

#pragma once

#include "shardwise/planner/model/ReshardProblem.h"

namespace shardwise::planner {

/// A bound on the bytes the slowest device receives.
struct LowerBound {
  int64_t receivedBytes = 0;
  /// Whether an exchange attains it. False with unreduced axes to reduce, and where too many
  /// coordinates (over 65,536) had to be sampled; it is a bound all the same.
  bool isAttained = true;
};

/// Returns the bound for `problem`.
///
/// With axes to reduce: no element of the target is complete in the source, so a device receives
/// at least its target box; and combining g partial values into m copies takes g + m - 2 messages
/// per element, spread over all devices. That is 2*L*(g-1)/g for an all_reduce and L*(g-1)/g for a
/// reduce_scatter.
LowerBound lowerBound(const ReshardProblem &problem);

} // namespace shardwise::planner
