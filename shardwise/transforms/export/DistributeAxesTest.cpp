// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of reshapes whose axes fit no factor, by the whole decision.

#include "shardwise/transforms/export/DistributeAxes.h"

#include "test/support/export/CommonAxesTesting.h"

#include "gtest/gtest.h"

namespace shardwise::exporter {
namespace {

using testing::TestOp;
using testing::Texts;

TEST(DistributeAxesTest, overflowIsDistributedAnew) {
  constexpr std::string_view mesh = R"(<["a"=4, "b"=2, "c"=2, "d"=3]>)";
  constexpr std::string_view reshape = "<([ij, k])->([i, j, k]) {i=5, j=4, k=8}>";
  EXPECT_EQ(TestOp(mesh, reshape, {"[{b}, {a}]", "[{}, {}, {a}]"}).changed(),
            (Texts{"[{}, {a:(2)2}]", "[{}, {}, {a:(2)2}]"}));
  EXPECT_EQ(TestOp(mesh, reshape, {"[{d}, {a}]", "[{}, {b}, {a}]"}).changed(),
            (Texts{"[{}, {d, a}]", "[{}, {}, {d, a}]"}));
}

} // namespace
} // namespace shardwise::exporter
