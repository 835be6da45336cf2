// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is missing in a state of the search: lower bounds on what is received on the way to the
// target.

#pragma once

#include "shardwise/planner/search/SearchSpace.h"

#include <cstdint>

namespace shardwise::planner {

/// Whether a device can have something of its target shard while `list` cuts dimension `d`: it
/// continues the target's list, or is continued by it. A state one of whose lists does not fit is a
/// *misfit*: a whole target shard is missing, until data move.
///
/// If both lists go on after their common prefix, they cut the same block in two ways: some device
/// has the one part and wants another. Where dimensions divide unevenly, the device looked at has
/// coordinate 0 along what the target uses, and only along other sub-axes it may be elsewhere.
inline bool fitsTarget(const SearchSpace &space, int d, SubAxisList list) {
  SubAxisList want = space.target().lists[d];
  int common = list.commonLength(want);
  bool bothGoOn = list.length() > common && want.length() > common;
  return !bothGoOn || (!space.isEven() && (space.targetSubAxes() >> list[common] & 1U) != 0);
}

/// Returns a lower bound on the bytes the slowest device still receives from `state` on: the
/// largest part of a target box that is not in the device's box of `state`; with axes to reduce,
/// the whole target box. Even division: exact, if nothing is unreduced, and consistent, because
/// what is missing before a step is at most what the step brings plus what is missing after it.
/// Uneven division: of the device with coordinates 0 along the target's axes, whose block is full;
/// still a bound, but not consistent.
int64_t missingBytes(const SearchSpace &space, const SearchState &state);

/// Returns what devices receive from `state` on beside `missingBytes`, at least, until u parts of a
/// sum are added up; 0 if nothing is unreduced, or dimensions divide unevenly. Consistent with it.
///
/// A message brings one device more of an element: u - 1 of them make a first whole sum, and each
/// of the R devices that want it, but for one, gets another. Of N bytes over P devices, R of which
/// want each: N*(u + R - 2)/P bytes for each device, and N*R/P is the target box. Who has the sum
/// first may not be who wants it, in a misfit nobody; or else parts are moved before, at least half
/// a buffer of N*u/P. That is one message more, for all elements or a part of them.
/// Example: 16 bytes on four devices, `[{}], unreduced={"x"}` to `[{"x"}]`: 4 are missing, and 8
/// are received beside these; a reduce_scatter receives 12.
int64_t mergedBytes(const SearchSpace &space, const SearchState &state);

/// Returns a lower bound on the bytes that every device, not only the slowest, still receives from
/// `state` on. Requires: `space.isEven()`, nothing is unreduced in `state`.
int64_t leastMissingBytes(const SearchSpace &space, const SearchState &state);

/// Return lower bounds on `missingBytes` and `mergedBytes` of the states that all_to_alls and
/// permutes lead to from one with these unreduced axes and a buffer of `localBytes`: of those that
/// fit, or of the misfits.
int64_t leastMissingBehindMove(const SearchSpace &space, SubAxisSet unreduced, int64_t localBytes,
                               bool toMisfit);
int64_t leastMergedBehindMove(const SearchSpace &space, SubAxisSet unreduced, bool toMisfit);

} // namespace shardwise::planner
