// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes a device receives in each collective. The only place with cost formulas: planner,
// verifier and the runtime's traffic counters call it.
//
// L = bytes of the local buffer before the step (padded to what is split), g = devices in a group.
// The bytes are those of the bandwidth-optimal algorithms: ring or halving/doubling.

#pragma once

#include "shardwise/planner/ReshardPlan.h"

#include <cassert>
#include <cstdint>

namespace shardwise::planner {

/// Returns the bytes a device receives in a collective of `kind` over groups of `groupSize`.
///
/// | all_slice | all_gather | all_to_all, reduce_scatter | collective_permute | all_reduce |
/// | 0         | (g-1)*L    | L*(g-1)/g                  | L (box changes)    | 2*L*(g-1)/g |
///
/// Rounded up. Requires: `kind` is uniform; an exchange receives what is missing (LowerBound.h).
inline int64_t receivedBytes(StepKind kind, int64_t localBytes, int64_t groupSize) {
  assert(groupSize >= 1 && localBytes >= 0 && "a group has a device, a buffer a size");
  auto share = [&](int64_t factor) {
    // factor * L * (g-1)/g without overflow: whole parts and rest apart.
    int64_t whole = localBytes / groupSize;
    int64_t rest = localBytes % groupSize;
    int64_t restBytes = (factor * rest * (groupSize - 1) + groupSize - 1) / groupSize;
    return factor * whole * (groupSize - 1) + restBytes;
  };
  switch (kind) {
  case StepKind::AllSlice:
    return 0;
  case StepKind::AllGather:
    return (groupSize - 1) * localBytes;
  case StepKind::AllToAll:
  case StepKind::ReduceScatter:
    return share(1);
  case StepKind::AllReduce:
    return share(2);
  case StepKind::CollectivePermute:
    return localBytes;
  case StepKind::Exchange:
    break;
  }
  assert(false && "an exchange has no uniform cost");
  return 0;
}

} // namespace shardwise::planner
