// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the collectives check before they publish anything.

#pragma once

#include "shardwise/runtime/Collectives.h"

#include <initializer_list>

namespace shardwise::runtime {

/// Returns the bytes of `input`.
int64_t byteSize(const InputBuffer &input);

/// Checks that `dim` is a dimension of `input`.
Result<void> checkDim(CollectiveKind collective, const InputBuffer &input, int64_t dim);

/// Checks that dimension `dim` exists and can be cut into `parts` equal parts.
Result<void> checkCut(CollectiveKind collective, const InputBuffer &input, int64_t dim,
                      int64_t parts);

/// Returns a digest of parameters, for the comparison between ranks.
uint64_t digest(std::span<const int64_t> shape, std::initializer_list<int64_t> parameters);

/// Checks that `group` is a list of different ranks below `size` that holds `rank`.
Result<void> checkGroup(RankGroup group, Rank rank, int64_t size);

/// Returns what a rank receives of a collective in a group of `numRanks`, from each of the others;
/// nothing of no group, which is refused later.
Traffic trafficOf(CollectiveKind collective, int64_t inputBytes, int64_t numRanks);

/// Returns this rank's position in `group`. Requires: it is a member, as publish has checked.
int64_t positionOf(Rank rank, RankGroup group);

} // namespace shardwise::runtime
