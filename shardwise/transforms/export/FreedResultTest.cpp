// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of results that want the summed axes, by the numbers of the conditions.

#include "shardwise/transforms/export/FreedResult.h"

#include "test/support/export/CommonAxesTesting.h"

#include "gtest/gtest.h"

namespace shardwise::exporter {
namespace {

using testing::TestOp;
using testing::Texts;

constexpr std::string_view kDot = "<([i, k], [k, j])->([i, j]) {i=64, j=16, k=32} reduction={k}>";

/// Shardings of the op as it computes; empty if it stays as it is.
Texts freed(std::string_view rule, const Texts &shardings) {
  TestOp op(R"(<["x"=2, "y"=2, "z"=2, "w"=4]>)", rule, shardings);
  propagation::ShardingProjection projection = op.project();
  std::optional<propagation::AxesPerFactor> axes =
      axesForFreedResult({projection, op.tensors, op.mesh});
  return axes ? op.apply(projection, {*axes, {}}) : Texts();
}

TEST(FreedResultTest, resultTakesTheAxesOfTheOperands) {
  EXPECT_EQ(freed(kDot, {"[{x}, {y}]", "[{y}, {}]", "[{y}, {}]"}),
            (Texts{"[{x}, {y}]", "[{y}, {}]", "[{x}, {}]"}));
}

TEST(FreedResultTest, severalSumsHaveTheAxesInTheirOrder) {
  constexpr std::string_view dot =
      "<([i, k, l], [k, l, j])->([i, j]) {i=64, j=16, k=32, l=32} reduction={k, l}>";
  auto freedFrom = [&](std::string k, std::string l, std::string wanted) {
    return freed(dot, {"[{x}, {" + k + "}, {" + l + "}]", "[{" + k + "}, {" + l + "}, {}]",
                       "[{" + wanted + "}, {}]"});
  };
  EXPECT_EQ(freedFrom("y", "z", "y, z").back(), "[{x}, {}]");
  EXPECT_EQ(freedFrom("y", "", "y").back(), "[{x}, {}]");
  EXPECT_TRUE(freedFrom("y", "z", "z, y").empty());
  EXPECT_TRUE(freedFrom("y", "z", "y").empty());
  EXPECT_TRUE(freedFrom("y", "z", "z").empty());
  EXPECT_TRUE(freedFrom("y", "", "y, z").empty());
  // Two factors have parts of an axis that the result has as a whole.
  EXPECT_TRUE(freedFrom("w:(1)2", "w:(2)2", "w").empty());
  EXPECT_FALSE(freedFrom("w:(2)2", "w:(1)2", "w:(2)2, w:(1)2").empty());
}

TEST(FreedResultTest, operandsAgree) {
  EXPECT_TRUE(freed(kDot, {"[{x}, {y}]", "[{}, {}]", "[{y}, {}]"}).empty());
}

TEST(FreedResultTest, exactlyOneFactorDiffers) {
  EXPECT_TRUE(freed(kDot, {"[{x}, {y}]", "[{y}, {}]", "[{x}, {}]"}).empty());
  EXPECT_TRUE(freed(kDot, {"[{x}, {y}]", "[{y}, {}]", "[{}, {x}]"}).empty());
}

TEST(FreedResultTest, bothHaveAxesThere) {
  EXPECT_TRUE(freed(kDot, {"[{}, {y}]", "[{y}, {}]", "[{y}, {}]"}).empty());
  EXPECT_TRUE(freed(kDot, {"[{x}, {y}]", "[{y}, {}]", "[{}, {}]"}).empty());
}

TEST(FreedResultTest, anOperandIsAsLarge) {
  constexpr std::string_view wide = "<([i, k], [k, j])->([i, j]) {i=64, j=64, k=32} reduction={k}>";
  EXPECT_TRUE(freed(wide, {"[{x}, {y}]", "[{y}, {}]", "[{y}, {}]"}).empty());
}

TEST(FreedResultTest, theSumHasTheAxes) {
  EXPECT_TRUE(freed(kDot, {"[{x}, {}]", "[{}, {}]", "[{y}, {}]"}).empty());
}

} // namespace
} // namespace shardwise::exporter
