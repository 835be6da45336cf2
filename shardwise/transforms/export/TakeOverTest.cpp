// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the take-over of one of two tensors, by the whole decision.

#include "shardwise/transforms/export/TakeOver.h"

#include "test/support/export/CommonAxesTesting.h"

#include "gtest/gtest.h"

namespace shardwise::exporter {
namespace {

using testing::kTwos;
using testing::TestOp;
using testing::Texts;

TEST(TakeOverTest, oneOfTwoTensorsIsTakenOver) {
  constexpr std::string_view transpose = "<([j, i])->([i, j]) {i=16, j=16}>";
  EXPECT_EQ(TestOp(kTwos, transpose, {"[{a}, {}]", "[{b}, {c}]"}).changed(),
            (Texts{"[{c}, {b}]", "[{b}, {c}]"}));
  EXPECT_EQ(TestOp(kTwos, transpose, {"[{a}, {}]", "[{b}, {}]"}).changed(),
            (Texts{"[{a}, {}]", "[{}, {a}]"}));
  EXPECT_EQ(TestOp(kTwos, "<([i, j])->([i, j]) {i=16, j=16} permutation={i}>",
                   {"[{a, b}, {}]", "[{}, {c}]"})
                .changed(),
            (Texts{"[{}, {c}]", "[{}, {c}]"}));
}

} // namespace
} // namespace shardwise::exporter
