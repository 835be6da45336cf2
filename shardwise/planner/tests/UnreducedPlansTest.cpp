// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes to reduce on the way. The replay on elements sums integers, so results are exact.

#include "shardwise/planner/tests/PlanTesting.h"

namespace shardwise::planner {
namespace {

using testing::planVerified;
using testing::problemOf;

constexpr std::string_view k2x2x2 = R"(["a"=2, "b"=2, "c"=2])";

ReshardPlan planOf(std::string_view source, std::string_view target) {
  return planVerified(problemOf(k2x2x2, {8, 8}, source, target));
}

TEST(UnreducedPlansTest, allReduceJoinsAxes) {
  ReshardPlan plan = planOf(R"([{"a"}, {}], unreduced={"b", "c"})", R"([{"a"}, {}])");
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::AllReduce);
  EXPECT_EQ(plan.receivedBytes, 2 * 32 * 3 / 4);
  EXPECT_EQ(plan.lowerBoundBytes, 48);
}

TEST(UnreducedPlansTest, reduceAndSliceBecomeReduceScatter) {
  ReshardPlan plan = planOf(R"([{"a"}, {}], unreduced={"b", "c"})", R"([{"a", "c"}, {"b"}])");
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(toString(plan.steps[0].collective, testing::meshOf(k2x2x2)),
            R"(reduce_scatter [{"c"}, {"b"}] -> [{"a", "c"}, {"b"}])");
  EXPECT_EQ(plan.receivedBytes, 32 * 3 / 4);
  EXPECT_EQ(plan.lowerBoundBytes, 24);
}

TEST(UnreducedPlansTest, someAxesScatteredOthersReplicated) {
  ReshardPlan plan = planOf(R"([{"a"}, {}], unreduced={"b", "c"})", R"([{"a"}, {"b"}])");
  // Scatter b to halves of 16 B, then reduce c on them.
  EXPECT_EQ(plan.receivedBytes, 16 + 16);
}

TEST(UnreducedPlansTest, slicesFirstGathersLast) {
  ReshardPlan plan = planOf(R"([{"a"}, {}], unreduced={"b"})", R"([{}, {"c"}])");
  // Slice c, reduce b on 16 B, gather a.
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::AllSlice);
  EXPECT_EQ(plan.steps[1].collective.kind, CollectiveKind::AllReduce);
  EXPECT_EQ(plan.steps[2].collective.kind, CollectiveKind::AllGather);
  EXPECT_EQ(plan.receivedBytes, 16 + 16);
}

TEST(UnreducedPlansTest, axesThatStayUnreduced) {
  ReshardPlan plan =
      planOf(R"([{"a"}, {}], unreduced={"b", "c"})", R"([{}, {"a"}], unreduced={"c"})");
  EXPECT_EQ(plan.steps.back().collective.after.unreduced.size(), 1U);
  plan = planOf(R"([{"a"}, {}], unreduced={"c"})", R"([{}, {"a"}], unreduced={"c"})");
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::AllToAll);
}

TEST(UnreducedPlansTest, partOfAnAxis) {
  ReshardPlan plan = planVerified(problemOf(R"(["x"=8])", {8}, R"([{}], unreduced={"x"})",
                                            R"([{"x":(2)4}], unreduced={"x":(1)2})"));
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::ReduceScatter);
}

TEST(UnreducedPlansTest, maximumIsKeptAsKind) {
  ReshardPlan plan =
      planOf(R"([{}, {}], unreduced=max{"a", "b"})", R"([{}, {}], unreduced=max{"b"})");
  EXPECT_EQ(plan.steps.at(0).collective.after.reduction, core::ReductionKind::Max);
}

TEST(UnreducedPlansTest, unevenDimensions) {
  for (const char *target : {R"([{}])", R"([{"b"}])", R"([{"c", "b"}])", R"([{"a", "b"}])"}) {
    planVerified(problemOf(k2x2x2, {7}, R"([{"a"}], unreduced={"b", "c"})", target));
    PlanOptions options;
    options.overMemory = OverMemory::Exchange;
    planVerified(problemOf(k2x2x2, {7}, R"([{"a"}], unreduced={"b", "c"})", target), options);
    options.strategy = Strategy::Greedy;
    planVerified(problemOf(k2x2x2, {7}, R"([{"a"}], unreduced={"b", "c"})", target), options);
  }
}

} // namespace
} // namespace shardwise::planner
