// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modelled time of collectives on a topology. The bytes they receive are core/Collective's.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/planner/model/Topology.h"

#include <cstdint>
#include <span>

namespace shardwise::planner {

using core::CollectiveKind;

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
/// - collective_permute and collective_broadcast: a + b*L; exchange: `messages`*a + b*`localBytes`,
/// where `localBytes` are
///   the bytes received; both over the slowest level.
/// r(g), the rounds, is the sum of p - 1 over the prime factors p of g: the same for a level and
/// for its parts. Bytes that are 0 take no time.
double collectiveSeconds(CollectiveKind kind, int64_t localBytes, std::span<const LinkLevel> levels,
                         int64_t messages = 1);
/// The same for levels that are sorted, the slowest first. Allocates nothing.
double sortedCollectiveSeconds(CollectiveKind kind, int64_t localBytes,
                               std::span<const LinkLevel> slowFirst, int64_t messages = 1);

/// Returns the largest number of blocks of `haveSize` that a block of `wantSize` meets, in a
/// dimension with `numHave` of them: ceil((want - gcd)/have) + 1.
int64_t blocksMet(int64_t haveSize, int64_t wantSize, int64_t numHave);

} // namespace shardwise::planner
