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
  TestOp op(R"(<["x"=2, "y"=2]>)", rule, shardings);
  propagation::ShardingProjection projection = op.project();
  std::optional<propagation::AxesPerFactor> axes =
      axesForFreedResult({projection, op.tensors, op.mesh});
  return axes ? op.apply(projection, {*axes, {}}) : Texts();
}

TEST(FreedResultTest, resultTakesTheAxesOfTheOperands) {
  EXPECT_EQ(freed(kDot, {"[{x}, {y}]", "[{y}, {}]", "[{y}, {}]"}),
            (Texts{"[{x}, {y}]", "[{y}, {}]", "[{x}, {}]"}));
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
