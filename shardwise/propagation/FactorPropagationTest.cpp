// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compatible axes, filters and directions.

#include "shardwise/propagation/FactorPropagation.h"

#include "shardwise/core/Text.h"
#include "test/support/propagation/StepTesting.h"

#include <gtest/gtest.h>

namespace shardwise::propagation {
namespace {

using Direction = PropagationDirection;
using testing::shardingOf;

const core::Mesh kMesh = core::parseMesh(R"(["a"=8, "b"=2, "c"=2, "d"=2, "e"=3])").value();

/// Compatible axes of the only factor of an op with one-dimensional tensors `{..}`.
std::string compatible(const std::vector<std::string> &operands,
                       const std::vector<std::string> &results, Direction direction) {
  core::ShardingRule rule;
  rule.factorSizes = {64};
  rule.operands.assign(operands.size(), {{0}});
  rule.results.assign(results.size(), {{0}});
  std::vector<core::Sharding> shardings;
  for (const auto *texts : {&operands, &results})
    for (const std::string &text : *texts)
      shardings.push_back(*shardingOf("[" + text + "]", kMesh));
  ShardingProjection projection;
  projection.fill(rule, testing::pointersTo(shardings));
  core::AxisList axes;
  compatibleMajorAxes(projection, 0, direction, axes);
  std::string text;
  for (char c : core::toString(axes, kMesh))
    if (c != '"')
      text += c;
  return text;
}

TEST(FactorPropagationTest, unionAndIntersectionOfDirections) {
  EXPECT_EQ(unite(Direction::Forward, Direction::Backward), Direction::Both);
  EXPECT_EQ(unite(Direction::None, Direction::Backward), Direction::Backward);
  EXPECT_EQ(unite(Direction::Forward, Direction::Both), Direction::Both);
  EXPECT_EQ(intersect(Direction::Forward, Direction::Backward), Direction::None);
  EXPECT_EQ(intersect(Direction::Both, Direction::Backward), Direction::Backward);
  EXPECT_EQ(intersect(Direction::Both, Direction::None), Direction::None);
}

TEST(FactorPropagationTest, commonPrefixOfWhatTensorsHave) {
  EXPECT_EQ(compatible({"{a}", "{}", "{a, b, c}"}, {"{a, b, d}"}, Direction::Both), "{a, b}");
  EXPECT_EQ(compatible({"{a:(1)2}"}, {"{a:(1)4}"}, Direction::Both), "{a:(1)4}");
  EXPECT_EQ(compatible({"{a:(1)4}"}, {"{a:(1)2}"}, Direction::Both), "{a:(1)4}");
  EXPECT_EQ(compatible({"{a:(1)2, b}"}, {"{a:(1)4}"}, Direction::Both), "{a:(1)2}");
  EXPECT_EQ(compatible({"{a:(1)4}"}, {"{a:(1)2, b}"}, Direction::Both), "{a:(1)2}");
  EXPECT_EQ(compatible({"{a:(1)2}"}, {"{a:(2)2}"}, Direction::Both), "{}");
}

TEST(FactorPropagationTest, conflictEndsExpansionForLaterTensors) {
  EXPECT_EQ(compatible({"{a, b}", "{a, c}"}, {"{a, b, d}"}, Direction::Both), "{a}");
  EXPECT_EQ(compatible({"{a}", "{b}", "{b}"}, {"{b}"}, Direction::Both), "{}");
}

TEST(FactorPropagationTest, directionsLimitWhoExtends) {
  EXPECT_EQ(compatible({"{}"}, {"{a}"}, Direction::Forward), "{}");
  EXPECT_EQ(compatible({"{}"}, {"{a}"}, Direction::Backward), "{a}");
  EXPECT_EQ(compatible({"{a}"}, {"{}"}, Direction::Forward), "{a}");
  EXPECT_EQ(compatible({"{a}"}, {"{}"}, Direction::Backward), "{}");
  EXPECT_EQ(compatible({"{a}"}, {"{a, b}"}, Direction::Forward), "{a}");
  EXPECT_EQ(compatible({"{a:(1)2}"}, {"{a, b}"}, Direction::Forward), "{a:(1)2}");
  EXPECT_EQ(compatible({"{a}"}, {"{a}"}, Direction::None), "{}");
  // Conflicts count in every direction.
  EXPECT_EQ(compatible({"{a}"}, {"{b}"}, Direction::Forward), "{}");
  EXPECT_EQ(compatible({"{a, b}"}, {"{a, c}"}, Direction::Backward), "{a}");
}

/// Projects one tensor with factors 4*4 in its first and 8 in its second dimension, and returns
/// what the filters leave of an axis for factor `i`.
class FilterTest : public ::testing::Test {
protected:
  void project(const std::string &text) {
    sharding = *shardingOf(text, kMesh);
    std::vector<const core::Sharding *> pointers = {&sharding, nullptr};
    projection.fill(rule, pointers);
  }
  static std::string show(std::optional<core::Axis> axis) {
    return axis ? core::toString(*axis, kMesh) : "none";
  }
  std::string within(core::FactorIndex factor, core::Axis axis, int64_t shardedSize) {
    const FactorEntry &entry = projection.entry(projection.entriesOf(factor)[0]);
    return show(filterWithinFactor(projection, entry, axis, shardedSize));
  }
  std::string across(core::FactorIndex factor, core::Axis axis) {
    return show(filterAcrossFactors(projection, 0, factor, axis));
  }

  core::ShardingRule rule = core::parseShardingRule("([ij, k])->([]) {i=4, j=4, k=8}").value();
  core::Sharding sharding;
  ShardingProjection projection;
  core::Axis a{0, 1, 8}, b{1, 1, 2}, e{4, 1, 3};
};

TEST_F(FilterTest, majorFactorTakesWhatDividesIt) {
  project("[{?}, {?}]");
  EXPECT_EQ(within(0, b, 1), R"("b")");
  EXPECT_EQ(within(0, a, 1), R"("a":(1)4)");
  EXPECT_EQ(within(0, a, 2), R"("a":(1)2)");
  EXPECT_EQ(within(0, a, 4), "none");
  EXPECT_EQ(within(0, e, 1), "none");
  EXPECT_EQ(within(0, b, 3), "none");
}

TEST_F(FilterTest, minorMostFactorTakesAnything) {
  project("[{?}, {?}]");
  EXPECT_EQ(within(2, a, 1), R"("a")");
  EXPECT_EQ(within(2, e, 16), R"("e")");
}

TEST_F(FilterTest, closedFactorKeepsWhatItHas) {
  project("[{?}, {a:(1)4}]");
  EXPECT_EQ(within(2, {0, 1, 2}, 1), R"("a":(1)2)");
  EXPECT_EQ(within(2, a, 1), R"("a":(1)4)");
  EXPECT_EQ(within(2, b, 4), "none");
}

TEST_F(FilterTest, overflowingFactorIsNotExtended) {
  project("[{b, e, ?}, {?}]");
  EXPECT_EQ(within(0, b, 1), R"("b")");
  EXPECT_EQ(within(0, {2, 1, 2}, 2), "none");
}

TEST_F(FilterTest, reservedAxesAreCutOff) {
  project("[{?}, {?}], replicated={a:(4)2}, unreduced={a:(2)2, b}");
  EXPECT_EQ(within(2, a, 1), R"("a":(1)2)");
  EXPECT_EQ(within(2, {0, 4, 2}, 1), "none");
  EXPECT_EQ(within(2, b, 1), "none");
}

TEST_F(FilterTest, otherFactorsKeepTheirAxesAndOverflow) {
  project("[{a:(2)2, e, ?}, {b, ?}]");
  EXPECT_EQ(across(2, a), R"("a":(1)2)");
  EXPECT_EQ(across(2, e), "none");
  EXPECT_EQ(across(2, b), R"("b")");
  EXPECT_EQ(across(0, b), "none");
}

TEST(TruncateTest, cutsAtTheFirstChange) {
  auto run = [](core::AxisList axes, bool isConservative, auto filter) {
    truncate(axes, kMesh, isConservative, filter);
    return core::toString(axes, kMesh);
  };
  core::AxisList axes = {{1, 1, 2}, {0, 1, 8}, {2, 1, 2}};
  std::vector<int64_t> sizes;
  auto halfOfA = [&](const core::Axis &axis, int64_t size) {
    sizes.push_back(size);
    return axis.index == 0 ? std::optional(core::Axis{0, 1, 2}) : std::optional(axis);
  };
  EXPECT_EQ(run(axes, false, halfOfA), R"({"b", "a":(1)2})");
  EXPECT_EQ(sizes, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(run(axes, true, halfOfA), R"({"b"})");
  auto none = [](const core::Axis &, int64_t) { return std::optional<core::Axis>(); };
  EXPECT_EQ(run(axes, false, none), "{}");
  auto all = [](const core::Axis &axis, int64_t) { return std::optional(axis); };
  EXPECT_EQ(run(axes, false, all), core::toString(axes, kMesh));
  // A conservative cut stops at sub-axes that were there before, too.
  EXPECT_EQ(run({{1, 1, 2}, {0, 1, 2}}, true, all), R"({"b"})");
}

} // namespace
} // namespace shardwise::propagation
