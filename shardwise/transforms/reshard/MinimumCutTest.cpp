// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts of small networks against all cuts, and of long ones against what they cost by hand.

#include "shardwise/transforms/reshard/MinimumCut.h"

#include <gtest/gtest.h>

#include <random>

namespace shardwise::reshard {
namespace {

struct TestArc {
  int32_t from, to;
  int64_t capacity;
};

int64_t costOf(const std::vector<TestArc> &arcs, const std::vector<bool> &side) {
  int64_t cost = 0;
  for (const TestArc &arc : arcs)
    if (side[arc.from] && !side[arc.to])
      cost += arc.capacity;
  return cost;
}

std::optional<std::vector<bool>> cutOf(int32_t numNodes, const std::vector<TestArc> &arcs,
                                       int64_t maxSteps = 1'000'000) {
  FlowNetwork network;
  for (int32_t i = 0; i < numNodes; ++i)
    network.addNode();
  for (const TestArc &arc : arcs)
    network.addArc(arc.from, arc.to, arc.capacity);
  return network.cut(0, 1, maxSteps);
}

TEST(MinimumCutTest, isCheapestAndSmallestOfAll) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    int32_t numNodes = 2 + static_cast<int32_t>(random() % 6);
    std::vector<TestArc> arcs;
    for (uint32_t i = random() % 16; i > 0; --i)
      arcs.push_back({static_cast<int32_t>(random() % numNodes),
                      static_cast<int32_t>(random() % numNodes),
                      static_cast<int64_t>(random() % 5)});
    auto side = cutOf(numNodes, arcs);
    ASSERT_TRUE(side);
    EXPECT_TRUE((*side)[0]);
    EXPECT_FALSE((*side)[1]);
    int64_t cost = costOf(arcs, *side);
    auto size = std::count(side->begin(), side->end(), true);
    for (uint32_t set = 0; set < (1U << numNodes); ++set) {
      std::vector<bool> other;
      for (int32_t i = 0; i < numNodes; ++i)
        other.push_back((set >> i) & 1);
      if (!other[0] || other[1])
        continue;
      EXPECT_LE(cost, costOf(arcs, other));
      if (costOf(arcs, other) == cost)
        EXPECT_LE(size, std::count(other.begin(), other.end(), true));
    }
  }
}

TEST(MinimumCutTest, isFoundOfLongChainsInFewSteps) {
  // A sum of 20,000 terms: each node needs the one before it, and only the end is used.
  constexpr int32_t kLength = 20'000;
  std::vector<TestArc> arcs;
  for (int32_t i = 2; i < kLength + 2; ++i) {
    arcs.push_back({0, i, 7});
    if (i > 2) {
      arcs.push_back({i - 1, i, 7});
      arcs.push_back({i, i - 1, FlowNetwork::kUncut});
    }
  }
  arcs.push_back({kLength + 1, 1, 7});
  auto side = cutOf(kLength + 2, arcs, 20 * kLength);
  ASSERT_TRUE(side);
  EXPECT_EQ(std::count(side->begin(), side->end(), true), kLength + 1);
}

TEST(MinimumCutTest, givesUpAfterTooManySteps) {
  EXPECT_FALSE(cutOf(3, {{0, 2, 1}, {2, 1, 1}}, 1));
}

} // namespace
} // namespace shardwise::reshard
