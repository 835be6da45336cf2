// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of even shardings: prefixes against their definition, and uneven dimensions.

#include "shardwise/core/EvenSharding.h"

#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

/// The prefix of all axes of `meshText`, in mesh order.
std::string prefixOf(const std::string &meshText, int64_t size) {
  Mesh mesh = parseMesh(meshText).value();
  AxisList all;
  for (int64_t i = 0; i < static_cast<int64_t>(mesh.axes().size()); ++i)
    all.push_back(fullAxis(mesh, i));
  return toString(evenPrefix(all, size), mesh);
}

TEST(EvenPrefixTest, splitsTheLastAxis) {
  const std::string mesh = R"(<["x"=4, "y"=6]>)";
  EXPECT_EQ(prefixOf(mesh, 24), R"({"x", "y"})");
  EXPECT_EQ(prefixOf(mesh, 12), R"({"x", "y":(1)3})");
  EXPECT_EQ(prefixOf(mesh, 6), R"({"x":(1)2})");
  EXPECT_EQ(prefixOf(mesh, 7), "{}");
}

TEST(EvenPrefixTest, nothingFollowsASplitAxis) {
  // "y" would divide what is left of 10, but not without the rest of "x" before it.
  EXPECT_EQ(prefixOf(R"(<["x"=4, "y"=5]>)", 10), R"({"x":(1)2})");
}

TEST(EvenPrefixTest, axesOfSizeOneStay) {
  EXPECT_EQ(prefixOf(R"(<["s"=1, "x"=2, "t"=1, "y"=2]>)", 2), R"({"s", "x", "t"})");
  EXPECT_EQ(prefixOf(R"(<["s"=1, "x"=2]>)", 3), R"({"s"})");
}

TEST(EvenPrefixTest, everythingDividesZero) {
  EXPECT_EQ(prefixOf(R"(<["x"=4, "y"=6]>)", 0), R"({"x", "y"})");
}

TEST(EvenPrefixTest, isTheLongestThatDivides) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < 5000; ++i) {
    SCOPED_TRACE(seed + i);
    testing::Random random(seed + i);
    Mesh mesh = testing::randomMesh(random);
    Sharding sharding = testing::randomSharding(random, mesh, 1, /*withPriorities=*/false);
    const AxisList &axes = sharding.dims[0].axes;
    int64_t size = 1 + static_cast<int64_t>(i % 48);
    AxisList prefix = evenPrefix(axes, size);
    ASSERT_TRUE(isPrefixOf(prefix, axes));
    ASSERT_EQ(size % shardedSize(prefix), 0);
    // No larger part of the axis at which the prefix ends divides.
    size_t last = prefix.empty() ? 0 : prefix.size() - 1;
    if (!prefix.empty() && prefix[last] == axes[last])
      ++last;
    if (last == axes.size())
      continue;
    int64_t before = shardedSize(std::span(axes).first(last));
    for (int64_t part = shardedSize(prefix) / before + 1; part <= axes[last].size; ++part) {
      if (axes[last].size % part == 0) {
        ASSERT_NE(size % (before * part), 0) << "a part of size " << part << " divides as well";
      }
    }
  }
}

TEST(UnevenDimTest, namesTheDimension) {
  Mesh mesh = parseMesh(R"(<["x"=4, "y"=2]>)").value();
  Sharding sharding = resolve(parseSharding(R"([{"x"}, {"y"}, {}])").value(), mesh).value();
  EXPECT_FALSE(unevenDim(std::vector<int64_t>{8, 2, 5}, sharding));
  std::vector<int64_t> shape{6, 3, 5};
  EXPECT_EQ(unevenDim(shape, sharding), (UnevenDim{0, 6, 4}));
  EXPECT_EQ(unevenDim(shape, sharding, 1), (UnevenDim{1, 3, 2}));
  EXPECT_FALSE(unevenDim(shape, sharding, 2));
  EXPECT_EQ(toString(UnevenDim{0, 6, 4}), "dimension 0 of size 6 is not divisible by 4");
}

TEST(UnevenDimTest, aShardingWithoutDimensionsCutsNothing) {
  EXPECT_FALSE(unevenDim(std::vector<int64_t>{5}, replicatedSharding(0)));
}

} // namespace
} // namespace shardwise::core
