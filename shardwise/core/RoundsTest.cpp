// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/core/Rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace shardwise::core {
namespace {

TEST(RoundsTest, distancesAroundARingAreRounds) {
  Rounds rounds(5);
  for (int64_t distance = 1; distance < 5; ++distance)
    for (int64_t source = 0; source < 5; ++source)
      EXPECT_EQ(rounds.add(source, (source + distance) % 5), static_cast<size_t>(distance - 1));
  EXPECT_EQ(rounds.count(), 4U);
}

TEST(RoundsTest, nobodySendsOrReceivesTwiceInARound) {
  constexpr uint64_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  for (int trial = 0; trial < 50; ++trial) {
    int64_t members = 1 + static_cast<int64_t>(random() % 8);
    Rounds rounds(members);
    std::set<std::pair<size_t, int64_t>> sends, receives;
    std::vector<size_t> numSent(members), numReceived(members);
    for (uint64_t message = 0; message < random() % 40; ++message) {
      auto source = static_cast<int64_t>(random() % members);
      auto target = static_cast<int64_t>(random() % members);
      size_t round = rounds.add(source, target);
      EXPECT_TRUE(sends.insert({round, source}).second) << "seed " << kSeed;
      EXPECT_TRUE(receives.insert({round, target}).second) << "seed " << kSeed;
      ++numSent[source];
      ++numReceived[target];
    }
    size_t most = *std::max_element(numSent.begin(), numSent.end()) +
                  *std::max_element(numReceived.begin(), numReceived.end());
    EXPECT_LT(rounds.count(), most + 1) << "seed " << kSeed;
  }
}

/// Each message gets the first round with room for it, also where there are several hundred, and
/// also after others that were forgotten.
TEST(RoundsTest, firstRoundWithRoom) {
  constexpr uint64_t kSeed = 12;
  constexpr int64_t kMembers = 3;
  std::mt19937_64 random(kSeed);
  Rounds rounds(kMembers);
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<std::set<int64_t>> senders, receivers;
    for (int message = 0; message < 600; ++message) {
      auto source = static_cast<int64_t>(random() % kMembers);
      auto target = static_cast<int64_t>(random() % kMembers);
      size_t expected = 0;
      while (expected < senders.size() &&
             (senders[expected].contains(source) || receivers[expected].contains(target)))
        ++expected;
      senders.resize(std::max(senders.size(), expected + 1));
      receivers.resize(senders.size());
      senders[expected].insert(source);
      receivers[expected].insert(target);
      ASSERT_EQ(rounds.add(source, target), expected) << "seed " << kSeed;
      ASSERT_EQ(rounds.count(), senders.size());
    }
    EXPECT_GT(rounds.count(), 128U);
    rounds.restart();
    EXPECT_EQ(rounds.count(), 0U);
  }
}

} // namespace
} // namespace shardwise::core
