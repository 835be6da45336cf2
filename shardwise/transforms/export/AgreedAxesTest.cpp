// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of agreement, by the numbers of its conditions.

#include "shardwise/transforms/export/AgreedAxes.h"

#include "test/support/export/CommonAxesTesting.h"

#include "gtest/gtest.h"

namespace shardwise::exporter {
namespace {

using testing::kDot;
using testing::kPointwise;
using testing::kTwos;
using testing::TestOp;
using testing::Texts;

/// What `agreedAxes` returns, in text form.
std::string agreed(std::string_view mesh, std::string_view rule, const Texts &shardings) {
  TestOp op(mesh, rule, shardings);
  std::optional<propagation::AxesPerFactor> axes = agreedAxes(op.project());
  if (!axes)
    return "none";
  std::string text;
  for (const core::AxisList &list : *axes)
    text += (text.empty() ? "" : " ") + core::toString(list, op.mesh);
  return text;
}

TEST(AgreedAxesTest, axesOfEveryFactor) {
  EXPECT_EQ(agreed(kTwos, kDot, {"[{a}, {b}]", "[{b}, {}]", "[{a}, {}]"}), R"({"a"} {} {"b"})");
}

TEST(AgreedAxesTest, everyAxisBelongsToAFactor) {
  EXPECT_EQ(agreed(R"(<["d"=3]>)", "<([ij])->([ij]) {i=2, j=6}>", {"[{d}]", "[{d}]"}), "none");
}

TEST(AgreedAxesTest, tensorsHaveTheSame) {
  EXPECT_EQ(agreed(kTwos, kDot, {"[{a}, {b}]", "[{c}, {}]", "[{a}, {}]"}), "none");
}

TEST(AgreedAxesTest, factorsThatMustBeWholeHaveNone) {
  EXPECT_EQ(agreed(kTwos, "<([i])->([i]) {i=4} need_replication={i}>", {"[{a}]", "[{a}]"}), "none");
}

TEST(AgreedAxesTest, noTwoFactorsShareAnAxis) {
  EXPECT_EQ(
      agreed(kTwos, "<([i], [j])->([]) {i=4, j=4} reduction={i, j}>", {"[{a}]", "[{a}]", "[]"}),
      "none");
}

TEST(AgreedAxesTest, agreementChangesNothing) {
  EXPECT_EQ(TestOp(kTwos, kPointwise, {"[{b}, {a}]", "[{b}, {a}]", "[{b}, {a}]"}).changed(),
            (Texts{"[{b}, {a}]", "[{b}, {a}]", "[{b}, {a}]"}));
}

} // namespace
} // namespace shardwise::exporter
