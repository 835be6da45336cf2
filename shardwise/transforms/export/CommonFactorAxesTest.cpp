// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the common axes of an op, whatever decides.

#include "shardwise/transforms/export/CommonFactorAxes.h"

#include "test/support/export/CommonAxesTesting.h"

#include "gtest/gtest.h"

#include <random>

namespace shardwise::exporter {
namespace {

using testing::kDot;
using testing::kPointwise;
using testing::TestOp;
using testing::Texts;

TEST(CommonFactorAxesTest, axesOfWholeFactorsGoToBatches) {
  constexpr std::string_view mesh = R"(<["a"=2, "b"=2, "c"=2, "d"=2]>)";
  EXPECT_EQ(TestOp(mesh, "<([i, j], [i, j])->([i, j]) {i=16, j=4} need_replication={i}>",
                   {"[{d, c}, {b}]", "[{d, c}, {b}]", "[{a, c}, {b}]"})
                .changed(),
            (Texts{"[{}, {b, d}]", "[{}, {b, d}]", "[{}, {b, d}]"}));
}

/// Axes in random dimensions of a tensor of rank `rank`.
std::string randomSharding(std::mt19937 &random, size_t rank) {
  std::vector<std::string> dims(rank);
  std::vector<std::string> axes{"a", "b", "c"};
  std::shuffle(axes.begin(), axes.end(), random);
  for (const std::string &axis : axes)
    if (size_t dim = random() % (rank + 1); dim < rank)
      dims[dim] += (dims[dim].empty() ? "" : ", ") + axis;
  std::string text;
  for (const std::string &dim : dims)
    text += (text.empty() ? "{" : ", {") + dim + "}";
  return "[" + text + "]";
}

TEST(CommonFactorAxesTest, afterTheChangeTheTensorsAgree) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::string_view rule = seed % 2 ? kPointwise : kDot;
    Texts texts;
    for (int tensor = 0; tensor < 3; ++tensor)
      texts.push_back(randomSharding(random, 2));
    TestOp op(R"(<["a"=2, "b"=4, "c"=3]>)", rule, texts);
    Texts once = op.changed();
    EXPECT_TRUE(agreedAxes(op.project()));
    EXPECT_EQ(op.changed(), once);
  }
}

} // namespace
} // namespace shardwise::exporter
