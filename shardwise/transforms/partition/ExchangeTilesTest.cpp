// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/partition/ExchangeTiles.h"

#include <gtest/gtest.h>

namespace shardwise::partition {
namespace {

using planner::ExchangeRound;
using planner::ExchangeRounds;

/// Two members that swap the halves of shards of 4x4: each keeps one tile and receives the other.
ExchangeRounds swapOfHalves() {
  ExchangeRounds plan;
  plan.numMembers = 2;
  plan.own = {{4, 2}, {{0, 0, {0, 0}, {0, 0}}, {1, 1, {0, 2}, {0, 2}}}};
  plan.rounds = {{{4, 2}, {{0, 1, {0, 2}, {0, 0}}, {1, 0, {0, 0}, {0, 2}}}}};
  plan.low = plan.high = {0, 0};
  return plan;
}

TEST(ExchangeTilesTest, sayWhichWindowIsWhere) {
  auto tiles = exchangeTiles(swapOfHalves(), {4, 4});
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->dim, 1);
  EXPECT_EQ(tiles->count, 2);
  EXPECT_EQ(tiles->tileOf, (std::vector<std::vector<int32_t>>{{0, 1}, {1, 0}}));
}

TEST(ExchangeTilesTest, whoReceivesNothingHasNoTile) {
  ExchangeRounds plan = swapOfHalves();
  // Member 0 gets its other half in a round of its own.
  ExchangeRound second = {{4, 2}, {plan.rounds[0].moves[1]}};
  plan.rounds[0].moves.pop_back();
  plan.rounds.push_back(second);
  auto tiles = exchangeTiles(plan, {4, 4});
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->tileOf, (std::vector<std::vector<int32_t>>{{0, 1}, {-1, 0}, {1, -1}}));
}

TEST(ExchangeTilesTest, thereAreNone) {
  ExchangeRounds room = swapOfHalves();
  room.low = {0, 1};
  EXPECT_FALSE(exchangeTiles(room, {4, 4})); // (1)

  ExchangeRounds sizes = swapOfHalves();
  sizes.own.size = {2, 2};
  EXPECT_FALSE(exchangeTiles(sizes, {4, 4})); // (2): not all alike
  ExchangeRounds between = swapOfHalves();
  between.rounds[0].moves[0].to = {0, 1};
  EXPECT_FALSE(exchangeTiles(between, {4, 4}));        // (2): between two tiles
  EXPECT_FALSE(exchangeTiles(swapOfHalves(), {8, 4})); // (2): smaller in two dimensions
  EXPECT_FALSE(exchangeTiles(swapOfHalves(), {4, 5})); // (2): no multiple

  ExchangeRounds hole = swapOfHalves();
  hole.rounds[0].moves.pop_back();
  EXPECT_FALSE(exchangeTiles(hole, {4, 4})); // (3)

  ExchangeRounds many = swapOfHalves();
  many.rounds.resize(4, many.rounds[0]);
  EXPECT_FALSE(exchangeTiles(many, {4, 4})); // (4)
}

} // namespace
} // namespace shardwise::partition
