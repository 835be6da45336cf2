// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimensions that do not divide evenly: only aligned cuts, or an exchange.

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/planner/tests/PlanTesting.h"

namespace shardwise::planner {
namespace {

using testing::planVerified;
using testing::problemOf;

constexpr std::string_view k2x3 = R"(["a"=2, "b"=3])";

/// Whether every element of fine block c*parts + j lies in coarse block c, for all c and j.
bool needsNoCommunication(int64_t size, int64_t blocks, int64_t parts) {
  int64_t coarse = (size + blocks - 1) / blocks;
  int64_t fine = (size + blocks * parts - 1) / (blocks * parts);
  for (int64_t element = 0; element < size; ++element)
    if (element / fine / parts != element / coarse)
      return false;
  return true;
}

TEST(UnevenPlansTest, plainCutsAreThoseThatMoveNothing) {
  for (int64_t size = 1; size < 60; ++size) {
    for (int64_t blocks = 1; blocks <= 8; ++blocks) {
      for (int64_t parts = 1; parts <= 6; ++parts) {
        EXPECT_EQ(core::isAlignedCut(size, blocks, parts),
                  needsNoCommunication(size, blocks, parts))
            << size << " " << blocks << " " << parts;
      }
    }
  }
}

TEST(UnevenPlansTest, appendedAxisThatCrossesBoundaries) {
  // Ten rows in blocks of 5 cannot become blocks of 2 locally: device (0, 2) needs row 5.
  for (auto [source, target] :
       {std::pair{R"([{"a"}])", R"([{"a", "b"}])"}, {R"([{"a", "b"}])", R"([{"a"}])"}}) {
    ReshardPlan plan = planVerified(problemOf(k2x3, {10}, source, target));
    for (const ReshardStep &step : plan.steps)
      EXPECT_NE(step.collective.kind, CollectiveKind::Exchange);
  }
}

TEST(UnevenPlansTest, exchangeKeepsTheMemoryLimit) {
  ReshardProblem problem = problemOf(k2x3, {10}, R"([{"a"}])", R"([{"a", "b"}])");
  PlanOptions options;
  options.overMemory = OverMemory::Exchange;
  ReshardPlan plan = planVerified(problem, options);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::Exchange);
  EXPECT_EQ(plan.receivedBytes, plan.lowerBoundBytes);
  EXPECT_LE(plan.largestStateBytes, 5);
}

TEST(UnevenPlansTest, wholeListsAreCutAndGatheredPlainly) {
  ReshardPlan gather = planVerified(problemOf(k2x3, {10, 4}, R"([{"a", "b"}, {}])", "[{}, {}]"));
  ASSERT_EQ(gather.steps.size(), 1U);
  EXPECT_EQ(gather.steps[0].collective.kind, CollectiveKind::AllGather);
  EXPECT_EQ(gather.steps[0].receivedBytes, 5 * 2 * 4);
  ReshardPlan slice = planVerified(problemOf(k2x3, {10, 4}, "[{}, {}]", R"([{"a", "b"}, {}])"));
  ASSERT_EQ(slice.steps.size(), 1U);
  EXPECT_EQ(slice.steps[0].collective.kind, CollectiveKind::AllSlice);
}

TEST(UnevenPlansTest, allToAllBetweenUnevenDimensions) {
  ReshardPlan plan = planVerified(problemOf(k2x3, {7, 5}, R"([{"b"}, {}])", R"([{}, {"b"}])"));
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::AllToAll);
  // Blocks of 3x2 from two peers, padding included.
  EXPECT_EQ(plan.receivedBytes, 2 * 3 * 2);
}

TEST(UnevenPlansTest, fewerElementsThanDevices) {
  for (int64_t size : {0, 1, 2, 4, 5, 7}) {
    for (const char *source : {"[{}, {}]", R"([{"a"}, {}])", R"([{"a", "b"}, {}])",
                               R"([{"b", "a"}, {}])", R"([{"a"}, {"b"}])", R"([{}, {"b", "a"}])"}) {
      for (const char *target : {"[{}, {}]", R"([{"b"}, {}])", R"([{"a", "b"}, {}])",
                                 R"([{"b"}, {"a"}])", R"([{}, {"b", "a"}])"}) {
        for (OverMemory overMemory : {OverMemory::Allow, OverMemory::Exchange}) {
          PlanOptions options;
          options.overMemory = overMemory;
          ReshardPlan plan = planVerified(problemOf(k2x3, {size, 3}, source, target), options);
          EXPECT_GE(plan.receivedBytes, plan.lowerBoundBytes);
        }
      }
    }
  }
}

} // namespace
} // namespace shardwise::planner
