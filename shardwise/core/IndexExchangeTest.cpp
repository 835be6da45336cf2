// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which factors may share axes.

#include "shardwise/core/IndexExchange.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

// The example of the header with two batches, `([k, l, j], [i, h])->([i, h, j])`: factors k, l, j,
// i, h; k and l are read.
const std::vector<FactorUse> kUses = {FactorUse::read(ReductionKind::Sum),
                                      FactorUse::read(ReductionKind::Sum), FactorUse::local(),
                                      FactorUse::local(), FactorUse::local()};
const std::vector<IndexExchange> kExchanges = {{0, {3, 4}, 1, {2}}, {1, {3, 4}, 1, {2}}};
const AxisList kX = {{0, 1, 4}}, kY = {{1, 1, 2}};

TEST(IndexExchangeTest, rowsAndIndicesMayShareAxes) {
  EXPECT_TRUE(areCompatible(kExchanges, kUses, std::vector<AxisList>{kX, {}, kY, kX, {}}));
  EXPECT_TRUE(areCompatible(kExchanges, kUses, std::vector<AxisList>{{}, kX, {}, {}, kX}));
  // Indices on more axes; rows on the axes of two batches.
  EXPECT_TRUE(areCompatible(kExchanges, kUses,
                            std::vector<AxisList>{kX, {}, {}, {{1, 1, 2}, {0, 1, 4}}, {}}));
  EXPECT_TRUE(areCompatible(kExchanges, kUses,
                            std::vector<AxisList>{{{1, 1, 2}, {0, 1, 4}}, {}, {}, kX, kY}));
  // No axis is shared.
  EXPECT_TRUE(areCompatible(kExchanges, kUses, std::vector<AxisList>{kX, {}, {}, kY, {}}));
}

TEST(IndexExchangeTest, othersMayNot) {
  EXPECT_FALSE(areCompatible({}, kUses, std::vector<AxisList>{kX, {}, {}, kX, {}}));
  EXPECT_FALSE(areCompatible(kExchanges, kUses, std::vector<AxisList>{kX, {}, kX, {}, {}}));
  EXPECT_FALSE(areCompatible(kExchanges, kUses, std::vector<AxisList>{{}, {}, {}, kX, kX}));
  EXPECT_FALSE(areCompatible(kExchanges, kUses, std::vector<AxisList>{kX, {}, {}, kX, kX}));
  // Devices along "y" have other rows, but the same indices.
  EXPECT_FALSE(areCompatible(kExchanges, kUses,
                             std::vector<AxisList>{{{0, 1, 4}, {1, 1, 2}}, {}, {}, kX, {}}));
  // Rows of two dimensions.
  EXPECT_FALSE(areCompatible(kExchanges, kUses, std::vector<AxisList>{kX, kY, {}, kX, {}}));
  EXPECT_FALSE(areCompatible(kExchanges, kUses, std::vector<AxisList>{kX, kY, {}, kX, kY}));
}

TEST(IndexExchangeTest, indicesMayBeCutInNoOtherWay) {
  std::vector<IndexExchange> exchanges = kExchanges;
  for (IndexExchange &exchange : exchanges)
    exchange.isOnlyWay = true;
  EXPECT_TRUE(areCompatible(exchanges, kUses, std::vector<AxisList>{kX, {}, kY, kX, {}}));
  EXPECT_TRUE(areCompatible(exchanges, kUses, std::vector<AxisList>{kX, {}, kY, {}, {}}));
  EXPECT_FALSE(areCompatible(exchanges, kUses, std::vector<AxisList>{{}, {}, {}, kX, {}}));
  EXPECT_FALSE(areCompatible(exchanges, kUses,
                             std::vector<AxisList>{kX, {}, {}, {{1, 1, 2}, {0, 1, 4}}, {}}));
  std::vector<AxisList> axes = {kX, {}, {}, kX, kY};
  clearUnexchanged(exchanges, axes);
  EXPECT_EQ(axes, (std::vector<AxisList>{kX, {}, {}, kX, {}}));
  clearUnexchanged(kExchanges, axes = {{}, {}, {}, kX, kY});
  EXPECT_EQ(axes, (std::vector<AxisList>{{}, {}, {}, kX, kY}));
}

TEST(IndexExchangeTest, theExchangeIsThatOfTheSharedAxes) {
  EXPECT_EQ(findExchange(kExchanges, std::vector<AxisList>{kX, {}, {}, {}, kX}), &kExchanges[0]);
  EXPECT_EQ(findExchange(kExchanges, std::vector<AxisList>{{}, kX, {}, kX, {}}), &kExchanges[1]);
  EXPECT_EQ(findExchange(kExchanges, std::vector<AxisList>{kX, {}, {}, kY, {}}), nullptr);
  EXPECT_EQ(findExchange({}, std::vector<AxisList>{kX}), nullptr);
}

TEST(IndexExchangeTest, allButTheOwnShareIsReceived) {
  // 3/4 of 1,000, and two numbers of each of three devices.
  EXPECT_EQ(exchangedBytes(1000, 4), 750 + 24);
  EXPECT_EQ(exchangedBytes(0, 4), 24);
}

} // namespace
} // namespace shardwise::core
