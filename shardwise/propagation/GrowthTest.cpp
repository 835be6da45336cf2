// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/propagation/Growth.h"

#include "test/support/propagation/StepTesting.h"

#include <gtest/gtest.h>

namespace shardwise::propagation {
namespace {

std::string grown(const std::string &old, const std::string &proposed) {
  core::Mesh mesh = core::parseMesh(R"(["a"=8, "b"=2, "c"=3, "one"=1])").value();
  return testing::textOf(
      growthOf(*testing::shardingOf(old, mesh), *testing::shardingOf(proposed, mesh)), mesh);
}

TEST(GrowthTest, whatHasMoreIsTakenAsItIs) {
  EXPECT_EQ(grown("[{?}, {?}]", "[{a, ?}, {?}]"), "[{a, ?}, {?}]");
  EXPECT_EQ(grown("[{a:(1)2, ?}]", "[{a, ?}]"), "[{a, ?}]");
  EXPECT_EQ(grown("[{b, ?}]", "[{a, b, ?}]"), "[{a, b, ?}]");
  EXPECT_EQ(grown("[{b, ?}]", "[{b, one, ?}]"), "[{b, one, ?}]");
}

TEST(GrowthTest, noMoreIsNoGrowth) {
  EXPECT_EQ(grown("[{a, ?}]", "[{a, ?}]"), "none");
  EXPECT_EQ(grown("[{a, ?}]", "[{a}], replicated={b}"), "none");
  EXPECT_EQ(grown("[{a, ?}]", "[{?}]"), "none");
  EXPECT_EQ(grown("[{b, ?}]", "[{a:(2)2, ?}]"), "none");
  EXPECT_EQ(grown("[{b, one, ?}]", "[{b, ?}]"), "none");
}

TEST(GrowthTest, dimensionsKeepWhatTheyHave) {
  EXPECT_EQ(grown("[{?}, {b, ?}]", "[{a, ?}, {?}]"), "[{a, ?}, {b, ?}]");
  EXPECT_EQ(grown("[{c, ?}, {b, ?}]", "[{b, ?}, {c, ?}]"), "none") << "both may not have c";
}

} // namespace
} // namespace shardwise::propagation
