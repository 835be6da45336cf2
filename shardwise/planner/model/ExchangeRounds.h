// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exchange as collective_permutes, for who has no exchange.

#pragma once

#include "shardwise/planner/model/ReshardProblem.h"

#include <cstdint>
#include <vector>

namespace shardwise::planner {

/// A window that member `source` of a group sends to member `target`: where it begins in the shard
/// of either. At the target it may begin in front of the shard, or end behind it.
struct ExchangeMove {
  int64_t source = 0;
  int64_t target = 0;
  std::vector<int64_t> from, to;
};

/// Moves that run at once: nobody sends twice, nobody receives twice. All windows have one size,
/// in each dimension that of the largest; what is sent beyond what the target lacks has the right
/// values all the same, or is padding.
struct ExchangeRound {
  std::vector<int64_t> size;
  std::vector<ExchangeMove> moves;
};

/// The rounds by which the members of a group get their new shards. Other groups do the same.
struct ExchangeRounds {
  /// The axes along which groups vary, first axis most major.
  core::AxisList axes;
  int64_t numMembers = 1;
  /// What members keep.
  ExchangeRound own;
  std::vector<ExchangeRound> rounds;
  /// Room that windows need in front of the new shard and behind it.
  std::vector<int64_t> low, high;
  /// Of the busiest member, windows and all: at least what the exchange itself receives.
  int64_t receivedElements = 0;
};

/// Returns the rounds of the exchange from source to target of `problem`; groups are those of the
/// source mesh. Of several ways to put messages into rounds the one with the lowest price is taken:
/// bytes that the busiest member receives, and 64 for each round.
/// Example: `[{"x"}, {}]` to `[{}, {"x"}]` with x=3 are two rounds: to the next device, and the
/// one behind.
/// Requires: as for `exchangeParts`; some element moves.
ExchangeRounds planExchangeRounds(const ReshardProblem &problem);

} // namespace shardwise::planner
