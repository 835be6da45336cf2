// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the vote, by the whole decision.

#include "shardwise/transforms/export/VoteOnAxes.h"

#include "test/support/export/CommonAxesTesting.h"

#include "gtest/gtest.h"

namespace shardwise::exporter {
namespace {

using testing::kDot;
using testing::kPointwise;
using testing::kTwos;
using testing::TestOp;
using testing::Texts;

TEST(VoteOnAxesTest, mostVotesWin) {
  EXPECT_EQ(TestOp(kTwos, kPointwise, {"[{c, b}, {a}]", "[{a, c}, {b}]", "[{c}, {}]"}).changed(),
            (Texts{"[{c}, {b}]", "[{c}, {b}]", "[{c}, {b}]"}));
  EXPECT_EQ(TestOp(kTwos, kPointwise, {"[{b}, {}]", "[{b}, {}]", "[{a, b, c}, {}]"}).changed()[2],
            "[{b}, {}]");
}

TEST(VoteOnAxesTest, extensionsAreKept) {
  EXPECT_EQ(TestOp(kTwos, kPointwise, {"[{a}, {}]", "[{a, b}, {}]", "[{a}, {}]"}).changed()[0],
            "[{a, b}, {}]");
  EXPECT_EQ(TestOp(kTwos, "<([i, j, k], [i, j, k])->([i, j, k]) {i=16, j=16, k=32}>",
                   {"[{c}, {a}, {b}]", "[{c}, {b}, {a}]", "[{}, {b, a}, {}]"})
                .changed()[0],
            "[{c}, {b, a}, {}]");
}

TEST(VoteOnAxesTest, sumsAreCutLast) {
  EXPECT_EQ(
      TestOp(R"(<["a"=2, "b"=4, "c"=2]>)", kDot, {"[{}, {a, c}]", "[{c}, {b}]", "[{a}, {b:(2)2}]"})
          .changed(),
      (Texts{"[{a}, {c}]", "[{c}, {b:(2)2}]", "[{a}, {b:(2)2}]"}));
}

TEST(VoteOnAxesTest, minorFactorsWaitForMajorOnes) {
  constexpr std::string_view reshape = "<([i, j, k])->([ij, k]) {i=4, j=5, k=8}>";
  EXPECT_EQ(TestOp(kTwos, reshape, {"[{}, {b}, {a}]", "[{b}, {}]"}).changed(),
            (Texts{"[{b}, {}, {a}]", "[{b}, {a}]"}));
}

} // namespace
} // namespace shardwise::exporter
