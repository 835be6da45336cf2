// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes a device receives in each collective. The only place with cost formulas: planner,
// verifier and the runtime's traffic counters call it.
//
// L = bytes of the local buffer before the step (padded to what is split), g = devices in a group.
// The bytes are those of the bandwidth-optimal algorithms: ring or halving/doubling.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/Topology.h"

#include <cassert>
#include <cstdint>
#include <span>

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

/// A part of a step's group: so many positions along one link.
struct LinkLevel {
  int64_t size = 1;
  Link link;
};

/// Returns the modelled seconds of a step of `kind` over groups that are the product of `levels`.
///
/// With latency a and time per byte b of a level of size g:
/// - all_gather: slow levels first, each a*r(g) + b*(g-1)*L, L growing by g;
/// - reduce_scatter: slow levels last, each a*r(g) + b*(g-1)*L/g, L shrinking by g; all_reduce
/// twice;
/// - all_to_all: one message to each other device, over the slowest level on which both differ;
/// - collective_permute: a + b*L; exchange: `messages`*a + b*`localBytes`, where `localBytes` are
///   the bytes received; both over the slowest level.
/// r(g), the rounds, is the sum of p - 1 over the prime factors p of g: the same for a level and
/// for its parts. Bytes that are 0 take no time.
double collectiveSeconds(StepKind kind, int64_t localBytes, std::span<const LinkLevel> levels,
                         int64_t messages = 1);
/// The same for levels that are sorted, the slowest first. Allocates nothing.
double sortedCollectiveSeconds(StepKind kind, int64_t localBytes,
                               std::span<const LinkLevel> slowFirst, int64_t messages = 1);

/// Returns the largest number of blocks of `haveSize` that a block of `wantSize` meets, in a
/// dimension with `numHave` of them: ceil((want - gcd)/have) + 1.
int64_t blocksMet(int64_t haveSize, int64_t wantSize, int64_t numHave);

} // namespace shardwise::planner
