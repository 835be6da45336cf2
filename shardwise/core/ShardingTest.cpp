// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of one sharding, each rule with a case that breaks it first.

#include "shardwise/core/Sharding.h"
#include "shardwise/core/AxisChecks.h"
#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

Mesh meshOf(const std::string &text) {
  return parseMesh(text).value();
}

const Mesh kMesh = meshOf(R"(["x"=8, "y"=4, "z"=12])");

std::string errorOf(const std::string &text, const Mesh &mesh = kMesh,
                    std::optional<int64_t> rank = std::nullopt) {
  Result<Sharding> sharding = resolve(parseSharding(text).value(), mesh, rank);
  return sharding ? std::string("valid") : sharding.error().message;
}

#define EXPECT_MENTIONS(message, fragment)                                                         \
  EXPECT_NE((message).find(fragment), std::string::npos) << (message)

TEST(ShardingTest, resolveLooksAxesUp) {
  Sharding sharding =
      resolve(parseSharding(R"([{"y", "x":(2)2, ?}p1, {}], replicated={"x":(1)2, "z"})").value(),
              kMesh)
          .value();
  EXPECT_EQ(sharding.dims[0].axes, (AxisList{{1, 1, 4}, {0, 2, 2}}));
  EXPECT_FALSE(sharding.dims[0].isClosed);
  EXPECT_EQ(sharding.dims[0].priority, 1);
  EXPECT_TRUE(sharding.dims[1].isClosed);
  EXPECT_EQ(sharding.replicated, (AxisList{{0, 1, 2}, {2, 1, 12}}));
  EXPECT_FALSE(isFullyReplicated(sharding));
}

TEST(ShardingTest, whatIsUnusualButValid) {
  EXPECT_EQ(errorOf("[]"), "valid");
  // Minor part first; parts apart; neighbours in different lists; parts that cannot coexist.
  EXPECT_EQ(errorOf(R"([{"y":(2)2, "y":(1)2}])"), "valid");
  EXPECT_EQ(errorOf(R"([{"x":(1)2, "y", "x":(2)2}])"), "valid");
  EXPECT_EQ(errorOf(R"([{"y":(1)2}, {"y":(2)2}])"), "valid");
  EXPECT_EQ(errorOf(R"([], replicated={"y":(1)2}, unreduced={"y":(2)2})"), "valid");
  EXPECT_EQ(errorOf(R"([{"z":(1)2}, {"z":(3)2}])"), "valid");
  EXPECT_EQ(errorOf("[{}, {?}]", meshOf("[]")), "valid");
  EXPECT_EQ(errorOf("[]", meshOf("[], device_ids=[3]"), 2), "valid");
}

TEST(ShardingTest, eachRule) {
  EXPECT_MENTIONS(errorOf("[{}]", meshOf("[], device_ids=[3]")), "maximal");
  EXPECT_MENTIONS(errorOf("[{}]", kMesh, 2), "doesn't match tensor rank: 1 != 2");
  EXPECT_MENTIONS(errorOf("[{}, {}p1]"), "dim 1 is empty and closed");
  EXPECT_MENTIONS(errorOf(R"([], replicated={"y", "x"})"),
                  "replicated axes are not ordered w.r.t. mesh");
  EXPECT_MENTIONS(errorOf(R"([], unreduced={"x":(2)2, "x":(1)2})"),
                  "unreduced axes are not ordered w.r.t. mesh");
  EXPECT_MENTIONS(errorOf(R"([{"w"}])"), "unknown axis name: \"w\"");
  EXPECT_MENTIONS(errorOf(R"([{"x"}])", meshOf("[]")), "unknown axis name");
  EXPECT_MENTIONS(errorOf(R"([{"x"}, {"x"}])"), "duplicate axis ref: \"x\"");
  EXPECT_MENTIONS(errorOf(R"([{"x":(1)2}], unreduced={"x":(1)2})"),
                  "duplicate axis ref: \"x\":(1)2");
  EXPECT_MENTIONS(errorOf(R"([{"x":(1)2, "x":(2)4}])"), "can be merged: \"x\":(1)2, \"x\":(2)4");
  EXPECT_MENTIONS(errorOf(R"([{"x":(1)2}, {"x"}])"), "both sub-axis and full-axis");
  EXPECT_MENTIONS(errorOf(R"([{"x":(0)2}])"), "pre-size must be at least 1: \"x\":(0)2");
  EXPECT_MENTIONS(errorOf(R"([{"x":(2)1}])"), "must be greater than 1: \"x\":(2)1");
  EXPECT_MENTIONS(errorOf(R"([{"x":(2)3}])"), "next pre-size");
  EXPECT_MENTIONS(errorOf(R"([{"x":(16)2}])"), "next pre-size");
  EXPECT_MENTIONS(errorOf(R"([{"x":(1)8}])"), "equal to the full axis size");
  EXPECT_MENTIONS(errorOf(R"([{"x":(2)2}, {"x":(1)4}])"),
                  "overlapping sub-axes: \"x\":(1)4, \"x\":(2)2");
  WrittenSharding negative = parseSharding("[{?}]").value();
  negative.dims[0].priority = -1;
  EXPECT_MENTIONS(resolve(negative, kMesh).error().message, "dim 0 has a negative priority: -1");
}

TEST(ShardingTest, firstRuleBrokenIsReported) {
  // Rank before axes; dimensions before replicated; order before names; names before sub-axes.
  EXPECT_MENTIONS(errorOf(R"([{"w"}])", kMesh, 2), "rank");
  EXPECT_MENTIONS(errorOf(R"([{"w"}], replicated={"y", "x"})"), "unknown axis name");
  EXPECT_MENTIONS(errorOf(R"([], replicated={"w", "x"})"), "not ordered");
  EXPECT_MENTIONS(errorOf(R"([], replicated={"x", "w"})"), "unknown axis name: \"w\"");
  EXPECT_MENTIONS(errorOf(R"([], replicated={"w", "v"})"), "unknown axis name: \"w\"");
  EXPECT_MENTIONS(errorOf(R"([{"x":(0)3}, {"w"}])"), "unknown axis name");
  EXPECT_MENTIONS(errorOf(R"([{"x":(1)3}, {"x"}])"), "both sub-axis and full-axis");
}

TEST(ShardingTest, hugeSubAxesDoNotOverflow) {
  EXPECT_MENTIONS(errorOf(R"([{"x":(4611686018427387904)4, "x":(4611686018427387904)2}])"),
                  "next pre-size");
}

TEST(ShardingTest, checkerServesCollectives) {
  std::vector<AxisRef> first = {{"x", std::nullopt}};
  std::vector<AxisRef> second = {{"y", std::nullopt}, {"x", std::nullopt}};
  AxisListChecker checker(kMesh);
  EXPECT_TRUE(checker.add(first).ok());
  EXPECT_MENTIONS(checker.add(second).error().message, "duplicate axis ref: \"x\"");
  EXPECT_MENTIONS(checkMeshOrder(second, kMesh, "reduction").error().message,
                  "reduction axes are not ordered w.r.t. mesh");
}

TEST(ShardingTest, samePlacement) {
  auto placed = [](const std::string &text) {
    return resolve(parseSharding(text).value(), kMesh).value();
  };
  Sharding base = placed(R"([{"x"}, {}])");
  EXPECT_TRUE(isSamePlacement(base, placed(R"([{"x", ?}p2, {?}], replicated={"y"})")));
  EXPECT_FALSE(isSamePlacement(base, placed(R"([{}, {"x"}])")));
  EXPECT_FALSE(isSamePlacement(base, placed(R"([{"x"}, {}], unreduced={"y"})")));
  EXPECT_FALSE(isSamePlacement(base, placed(R"([{"x"}])")));
  EXPECT_EQ(dimensionAxes(placed(R"([{"y"}, {"x":(1)2}], replicated={"z"})")),
            (AxisList{{1, 1, 4}, {0, 1, 2}}));
}

TEST(ShardingTest, randomShardingsAreValidAndWrittenBack) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < 5000; ++i) {
    testing::Random random(seed + i);
    Mesh mesh = testing::randomMesh(random);
    int64_t rank = random.below(4);
    Sharding sharding = testing::randomSharding(random, mesh, rank);
    WrittenSharding written = toWritten(sharding, mesh);
    Result<Sharding> again = resolve(written, mesh, rank);
    ASSERT_TRUE(again.ok()) << "seed " << seed + i << ": " << again.error().message << " in "
                            << toString(written);
    ASSERT_EQ(*again, sharding) << "seed " << seed + i << ": " << toString(written);
  }
}

} // namespace
} // namespace shardwise::core
