// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of axes per factor: from a projection, and to the dimensions that they imply.

#include "shardwise/propagation/AxesPerFactor.h"

#include "shardwise/core/Text.h"
#include "test/support/propagation/RandomOp.h"
#include "test/support/propagation/StepTesting.h"

#include <gtest/gtest.h>

namespace shardwise::propagation {
namespace {

/// A projection of shardings in text form, with what it points to.
struct Projected {
  core::Mesh mesh;
  core::ShardingRule rule;
  std::vector<core::Sharding> shardings;
  ShardingProjection projection;

  Projected(std::string_view meshText, std::string_view ruleText,
            const std::vector<std::string> &texts)
      : mesh(core::parseMesh(meshText).value()), rule(core::parseShardingRule(ruleText).value()) {
    for (const std::string &text : texts)
      shardings.push_back(*testing::shardingOf(text, mesh));
    projection.fill(rule, testing::pointersTo(shardings));
  }

  /// Dimensions of the tensor if its factors have `axes`, in text form.
  std::string implied(int64_t tensor, const AxesPerFactor &axes) const {
    core::Sharding sharding;
    sharding.dims = dimensionShardings(projection, tensor, axes);
    return testing::textOf(sharding, mesh);
  }
};

constexpr std::string_view kMesh = R"(<["a"=4, "b"=2, "c"=3]>)";

TEST(AxesPerFactorTest, overflowIsLeftOut) {
  Projected op(kMesh, "<([ij, k])->([k]) {i=2, j=4, k=8}>", {"[{c}, {b}]", "[{}]"});
  EXPECT_TRUE(hasOverflow(op.projection));
  EXPECT_EQ(axesOfTensor(op.projection, 0), (AxesPerFactor{{}, {}, {{1, 1, 2}}}));
  EXPECT_EQ(axesOfTensor(op.projection, 1), AxesPerFactor(3));
}

TEST(AxesPerFactorTest, factorsMayWantOneAxis) {
  EXPECT_FALSE(haveOverlap({{{0, 1, 2}}, {{0, 2, 2}}, {{1, 1, 2}}}));
  EXPECT_TRUE(haveOverlap({{{0, 1, 4}}, {}, {{0, 2, 2}}}));
}

TEST(AxesPerFactorTest, partsOfAnAxisAreMerged) {
  Projected op(kMesh, "<([ij])->([i, j]) {i=2, j=4}>", {"[{}]", "[{}, {}]"});
  AxesPerFactor axes{{{0, 1, 2}}, {{0, 2, 2}, {1, 1, 2}}};
  EXPECT_EQ(op.implied(0, axes), "[{a, b}]");
  EXPECT_EQ(op.implied(1, axes), "[{a:(1)2}, {a:(2)2, b}]");
}

TEST(AxesPerFactorTest, nothingFollowsAnIncompleteFactor) {
  Projected op(kMesh, "<([ij])->([i, j]) {i=4, j=4}>", {"[{?}]", "[{}, {?}]"});
  AxesPerFactor axes{{{1, 1, 2}}, {{0, 1, 2}}};
  EXPECT_EQ(op.implied(0, axes), "[{b, ?}]");
  EXPECT_EQ(op.implied(1, axes), "[{b}, {a:(1)2, ?}]");
}

TEST(AxesPerFactorTest, forthAndBackIsTheIdentityWithoutOverflow) {
  uint64_t seed = core::testing::testSeed();
  ShardingProjection projection;
  for (uint64_t i = 0; i < 5000; ++i) {
    SCOPED_TRACE(seed + i);
    testing::RandomOp op(seed + i);
    projection.fill(op.rule, testing::pointersTo(op.shardings));
    if (hasOverflow(projection))
      continue;
    for (int64_t t = 0; t < projection.numTensors(); ++t)
      ASSERT_EQ(dimensionShardings(projection, t, axesOfTensor(projection, t)),
                op.shardings[t].dims);
  }
}

} // namespace
} // namespace shardwise::propagation
