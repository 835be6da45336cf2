// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes per factor in text form, and the law that forth and back is the identity.

#include "shardwise/propagation/ShardingProjection.h"

#include "shardwise/core/Text.h"
#include "test/support/propagation/RandomOp.h"
#include "test/support/propagation/StepTesting.h"

#include <gtest/gtest.h>

namespace shardwise::propagation {
namespace {

using testing::shardingOf;
using testing::textOf;

/// Projects a one-dimensional tensor with factors `ij` (or as `mapping` says) and shows each
/// factor: its axes, "+" and overflow, "closed", "minor".
std::vector<std::string> projected(const std::string &meshText, const std::string &rule,
                                   const std::string &sharding,
                                   Remainder remainder = Remainder::Kept) {
  core::Mesh mesh = core::parseMesh(meshText).value();
  core::ShardingRule parsedRule = core::parseShardingRule(rule).value();
  std::optional<core::Sharding> value = shardingOf(sharding, mesh);
  std::vector<const core::Sharding *> shardings(
      parsedRule.operands.size() + parsedRule.results.size(), nullptr);
  shardings[0] = value ? &*value : nullptr;
  ShardingProjection projection;
  projection.fill(parsedRule, shardings, remainder);
  auto axesText = [&](std::span<const core::Axis> axes) {
    std::string text;
    for (char c : core::toString(core::AxisList(axes.begin(), axes.end()), mesh))
      if (c != '"')
        text += c;
    return text;
  };
  std::vector<std::string> texts;
  for (auto i = projection.firstEntry(0); i < projection.firstEntry(1); ++i) {
    const FactorEntry &entry = projection.entry(i);
    std::string text = core::factorSymbol(entry.factor) + " " + axesText(projection.axes(entry));
    if (entry.overflow.size > 0)
      text += " + " + axesText(projection.overflow(entry));
    texts.push_back(text + (entry.isClosed ? " closed" : "") + (entry.isMinorMost ? " minor" : ""));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ShardingProjectionTest, axisIsSplitAtTheGreatestCommonDivisor) {
  EXPECT_EQ(projected(R"(["x"=4, "y"=2])", "([ij])->([]) {i=2, j=4}", "[{x, y}]"),
            (Texts{"i {x:(1)2} closed", "j {x:(2)2, y} closed minor"}));
}

TEST(ShardingProjectionTest, minorMostFactorTakesWhatDoesNotDivideIt) {
  EXPECT_EQ(projected(R"(["a"=6])", "([ij])->([]) {i=2, j=4}", "[{a, ?}]"),
            (Texts{"i {a:(1)2}", "j {a:(2)3} minor"}));
  EXPECT_EQ(projected(R"(["a"=3])", "([i])->([]) {i=2}", "[{a}]"), (Texts{"i {a} closed minor"}));
}

TEST(ShardingProjectionTest, coprimeAxisOverflowsAndClosesTheNextFactor) {
  EXPECT_EQ(projected(R"(["a"=3])", "([ij])->([]) {i=2, j=4}", "[{a, ?}]"),
            (Texts{"i {} + {a}", "j {} closed minor"}));
  EXPECT_EQ(projected(R"(["a"=2, "b"=3])", "([ij])->([]) {i=8, j=4}", "[{a, b, ?}]"),
            (Texts{"i {a} + {b}", "j {} closed minor"}));
  EXPECT_EQ(projected(R"(["a"=12, "b"=2])", "([ij])->([]) {i=8, j=4}", "[{a, b, ?}]"),
            (Texts{"i {a:(1)4} + {a:(4)3, b}", "j {} closed minor"}));
}

TEST(ShardingProjectionTest, factorsBehindAnOverflowAndItsNeighbourAreMissing) {
  EXPECT_EQ(projected(R"(["a"=3])", "([ijk, l])->([]) {i=2, j=4, k=2, l=2}", "[{a, ?}, {?}]"),
            (Texts{"i {} + {a}", "j {} closed", "l {} minor"}));
}

TEST(ShardingProjectionTest, laterFactorsAreEmptyWhenAxesRunOut) {
  EXPECT_EQ(projected(R"(["a"=2])", "([ijk])->([]) {i=4, j=4, k=2}", "[{a, ?}]"),
            (Texts{"i {a}", "j {}", "k {} minor"}));
}

TEST(ShardingProjectionTest, axisOfSizeOneGoesWithTheFactorAtHand) {
  EXPECT_EQ(projected(R"(["s"=1, "a"=2])", "([ij])->([]) {i=2, j=4}", "[{a, s, ?}]"),
            (Texts{"i {a, s}", "j {} minor"}));
}

TEST(ShardingProjectionTest, missingShardingIsOpenAndEmpty) {
  EXPECT_EQ(projected(R"(["a"=2])", "([ij, k])->([]) {i=2, j=4, k=3}", "none"),
            (Texts{"i {}", "j {} minor", "k {} minor"}));
}

TEST(ShardingProjectionTest, whatDoesNotDivideCanBeCutOff) {
  auto cut = [](const std::string &mesh, const std::string &rule, const std::string &sharding) {
    return projected(mesh, rule, sharding, Remainder::CutOff);
  };
  EXPECT_EQ(cut(R"(["x"=8])", "([ij])->([]) {i=4, j=6}", "[{x}]"),
            (Texts{"i {x:(1)4} closed", "j {x:(4)2} closed minor"}));
  EXPECT_EQ(cut(R"(["a"=6])", "([i])->([]) {i=4}", "[{a}]"), (Texts{"i {a:(1)2} closed minor"}));
  // Behind a factor that is not cut completely there would be strided shards.
  EXPECT_EQ(cut(R"(["a"=3, "b"=2])", "([ijk])->([]) {i=2, j=4, k=2}", "[{a, b}]"),
            (Texts{"i {} closed", "j {} closed", "k {} closed minor"}));
  EXPECT_EQ(cut(R"(["a"=12, "b"=2])", "([ij])->([]) {i=8, j=4}", "[{a, b}]"),
            (Texts{"i {a:(1)4} closed", "j {} closed minor"}));
}

TEST(ShardingProjectionTest, whatDoesNotDivideCanStayWhereADimensionIsOneFactor) {
  auto cut = [](const std::string &mesh, const std::string &rule, const std::string &sharding) {
    return projected(mesh, rule, sharding, Remainder::CutOffInProducts);
  };
  EXPECT_EQ(cut(R"(["a"=6, "b"=2])", "([i, j])->([]) {i=4, j=3}", "[{a}, {b}]"),
            (Texts{"i {a} closed minor", "j {b} closed minor"}));
  EXPECT_EQ(cut(R"(["a"=6])", "([ij])->([]) {i=4, j=6}", "[{a}]"),
            (Texts{"i {a:(1)2} closed", "j {} closed minor"}));
}

TEST(ShardingProjectionTest, whatIsLeftAfterCuttingDividesAndIsNotStrided) {
  uint64_t seed = core::testing::testSeed();
  ShardingProjection projection;
  for (uint64_t i = 0; i < 5000; ++i) {
    SCOPED_TRACE(seed + i);
    testing::RandomOp op(seed + i);
    projection.fill(op.rule, testing::pointersTo(op.shardings), Remainder::CutOff);
    for (int64_t t = 0; t < projection.numTensors(); ++t) {
      core::Sharding back = projection.toSharding(t);
      int32_t dim = -1;
      bool isComplete = true;
      for (auto index = projection.firstEntry(t); index < projection.firstEntry(t + 1); ++index) {
        const FactorEntry &entry = projection.entry(index);
        isComplete |= entry.dim != dim;
        dim = entry.dim;
        int64_t size = op.rule.factorSizes[entry.factor];
        int64_t parts = core::shardedSize(projection.axes(entry));
        ASSERT_EQ(size % parts, 0);
        ASSERT_TRUE(isComplete || parts == 1);
        isComplete &= parts == size;
        ASSERT_TRUE(core::isPrefixOf(back.dims[dim].axes, op.shardings[t].dims[dim].axes));
      }
    }
  }
}

TEST(ShardingProjectionTest, minorAxesAreDroppedBehindAnIncompleteFactor) {
  core::Mesh mesh = core::parseMesh(R"(["a"=2, "b"=2])").value();
  core::ShardingRule rule = core::parseShardingRule("([ij])->([]) {i=4, j=4}").value();
  ShardingProjection projection;
  projection.fill(rule, std::vector<const core::Sharding *>(2, nullptr));
  EXPECT_TRUE(projection.expand(1, core::AxisList{{1, 1, 2}}));
  EXPECT_TRUE(projection.isTouched(0));
  EXPECT_FALSE(projection.isTouched(1));
  EXPECT_EQ(textOf(projection.toSharding(0), mesh), "[{?}]");
  EXPECT_TRUE(projection.expand(0, core::AxisList{{0, 1, 2}}));
  EXPECT_EQ(textOf(projection.toSharding(0), mesh), "[{a, ?}]");
}

TEST(ShardingProjectionTest, expandNeedsAStrictPrefix) {
  core::Mesh mesh = core::parseMesh(R"(["a"=4, "b"=2])").value();
  core::ShardingRule rule = core::parseShardingRule("([i])->([]) {i=8}").value();
  core::Sharding sharding = *shardingOf("[{a:(1)2, ?}]", mesh);
  std::vector<const core::Sharding *> shardings = {&sharding, nullptr};
  ShardingProjection projection;
  projection.fill(rule, shardings);
  EXPECT_FALSE(projection.expand(0, core::AxisList{{0, 1, 2}}));
  EXPECT_FALSE(projection.expand(0, core::AxisList{{1, 1, 2}}));
  EXPECT_FALSE(projection.isTouched(0));
  EXPECT_TRUE(projection.expand(0, core::AxisList{{0, 1, 4}, {1, 1, 2}}));
  EXPECT_EQ(textOf(projection.toSharding(0), mesh), "[{a, b, ?}]");
}

TEST(ShardingProjectionTest, reservedAxesSurviveAndPrioritiesDoNot) {
  core::Mesh mesh = core::parseMesh(R"(["a"=4, "b"=2, "c"=2])").value();
  core::ShardingRule rule = core::parseShardingRule("([i])->([]) {i=8}").value();
  core::Sharding sharding = *shardingOf("[{a, ?}p1], replicated={b}, unreduced=max{c}", mesh);
  std::vector<const core::Sharding *> shardings = {&sharding, nullptr};
  ShardingProjection projection;
  projection.fill(rule, shardings);
  EXPECT_EQ(textOf(projection.toSharding(0), mesh), "[{a, ?}], replicated={b}, unreduced=max{c}");
}

TEST(ShardingProjectionTest, forthAndBackIsTheIdentity) {
  uint64_t seed = core::testing::testSeed();
  ShardingProjection projection;
  for (uint64_t i = 0; i < 20000; ++i) {
    testing::RandomOp op(seed + i);
    projection.fill(op.rule, testing::pointersTo(op.shardings));
    for (size_t t = 0; t < op.shardings.size(); ++t)
      ASSERT_EQ(projection.toSharding(static_cast<int64_t>(t)), op.shardings[t])
          << "seed " << seed + i << ": " << core::toString(op.shardings[t], op.mesh)
          << " as tensor " << t << " of " << core::toString(op.rule) << " in "
          << core::toString(op.mesh);
  }
}

} // namespace
} // namespace shardwise::propagation
