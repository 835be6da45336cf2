// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimensions that do not divide evenly: only aligned cuts, or an exchange, or all cuts where asked
// for.

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

/// Plans with all cuts, and verifies what does not depend on boundaries.
ReshardPlan planWithAnyCuts(const ReshardProblem &problem) {
  PlanOptions options;
  options.unevenCuts = UnevenCuts::Any;
  Result<ReshardPlan> plan = planReshard(problem, options);
  EXPECT_TRUE(plan.ok()) << testing::describe(problem);
  if (!plan)
    return {};
  Result<void> verified = verifyOnBlocks(problem, *plan, UnevenCuts::Any);
  EXPECT_TRUE(verified.ok()) << testing::describe(problem) << "\n"
                             << toString(*plan, problem.mesh)
                             << (verified.ok() ? "" : verified.error().message);
  return *plan;
}

TEST(UnevenPlansTest, oneCollectiveThatCrossesBlocks) {
  ReshardPlan slice = planWithAnyCuts(problemOf(k2x3, {10}, R"([{"a"}])", R"([{"a", "b"}])"));
  ASSERT_EQ(slice.steps.size(), 1U);
  EXPECT_EQ(slice.steps[0].collective.kind, CollectiveKind::AllSlice);
  EXPECT_EQ(slice.receivedBytes, 0);
  ReshardPlan gather = planWithAnyCuts(problemOf(k2x3, {10}, R"([{"a", "b"}])", R"([{"a"}])"));
  ASSERT_EQ(gather.steps.size(), 1U);
  EXPECT_EQ(gather.steps[0].collective.kind, CollectiveKind::AllGather);
  EXPECT_EQ(gather.receivedBytes, 2 * 2);
  ReshardPlan move =
      planWithAnyCuts(problemOf(k2x3, {10, 7}, R"([{"a", "b"}, {}])", R"([{"a"}, {"b"}])"));
  ASSERT_EQ(move.steps.size(), 1U);
  EXPECT_EQ(move.steps[0].collective.kind, CollectiveKind::AllToAll);
  // Blocks of 2 rows, 3 of 7 columns, from two peers.
  EXPECT_EQ(move.receivedBytes, 2 * 2 * 3);
}

TEST(UnevenPlansTest, oneAlignedCollectiveStays) {
  // Pieces of a block would be fewer bytes by one, in four steps.
  ReshardPlan plan = planWithAnyCuts(problemOf(R"(["a"=8])", {10}, R"([{"a"}])", "[{}]"));
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.receivedBytes, 7 * 2);
}

TEST(UnevenPlansTest, blocksWithFewElementsAreNotGathered) {
  // Eight elements in 32 blocks. Aligned cuts alone gather all blocks.
  ReshardProblem problem = problemOf(R"(["x"=4, "y"=2, "z"=4])", {16, 8, 8},
                                     R"([{}, {"y", "z", "x"}, {}])", R"([{"x", "y"}, {}, {"z"}])");
  EXPECT_EQ(planVerified(problem).receivedBytes, 31 * 16 * 8);
  // A permute of 128 elements, 3/4 of them and 7/8 of 32.
  EXPECT_LE(planWithAnyCuts(problem).receivedBytes, 128 + 96 + 28);
}

TEST(UnevenPlansTest, axesAreCutInTwoForPermutes) {
  // Seven prime factors: too many to search over. The permute to [{"y", "x":(1)2}] needs one cut.
  ReshardProblem problem =
      problemOf(R"(["x"=4, "y"=8, "z"=4])", {9}, R"([{"z", "x"}])", R"([{"y", "x"}])");
  EXPECT_EQ(planWithAnyCuts(problem).receivedBytes, 1);
}

TEST(UnevenPlansTest, evenProblemsHaveNoOtherCuts) {
  core::Mesh mesh = testing::meshOf(k2x3);
  PlanOptions options;
  options.unevenCuts = UnevenCuts::Any;
  for (const core::Sharding &source : testing::allShardings(mesh, 2)) {
    for (const core::Sharding &target : testing::allShardings(mesh, 2)) {
      ReshardProblem problem{mesh, {6, 6}, 1, source, target};
      EXPECT_EQ(planReshard(problem, options)->steps, planReshard(problem)->steps)
          << testing::describe(problem);
    }
  }
}

TEST(UnevenPlansTest, allCutsReceiveNoMoreThanAlignedOnes) {
  core::Mesh mesh = testing::meshOf(k2x3);
  for (core::Shape shape : {core::Shape{7, 5}, {10, 4}, {1, 3}, {16, 2}}) {
    for (const core::Sharding &source : testing::allShardings(mesh, 2)) {
      for (const core::Sharding &target : testing::allShardings(mesh, 2)) {
        ReshardProblem problem{mesh, shape, 1, source, target};
        ReshardPlan plan = planWithAnyCuts(problem);
        PlanOptions options;
        ReshardPlan aligned = *planReshard(problem, options);
        bool hasExchange = false;
        for (const ReshardStep &step : aligned.steps)
          hasExchange |= step.collective.kind == CollectiveKind::Exchange;
        for (const ReshardStep &step : plan.steps)
          EXPECT_NE(step.collective.kind, CollectiveKind::Exchange) << testing::describe(problem);
        if (plan.steps.size() != 1 && !hasExchange) {
          EXPECT_LE(plan.receivedBytes, aligned.receivedBytes) << testing::describe(problem);
        }
      }
    }
  }
}

TEST(UnevenPlansTest, searchesAreShortWhereAnExchangeIsAtHand) {
  ReshardProblem problem =
      problemOf(R"(["x"=4, "y"=4, "z"=4])", {4, 4, 6, 4, 4},
                R"([{}, {"z", "y":(1)2}, {"y":(2)2}, {}, {}])", R"([{"y"}, {"z"}, {}, {}, {"x"}])");
  PlanOptions options;
  options.unevenCuts = UnevenCuts::Any;
  Result<ReshardPlan> free = planReshard(problem, options);
  ASSERT_TRUE(free.ok());
  // A step more than the exchange, which receives the least there is in two messages.
  options.maxReceivedBytes = free->lowerBoundBytes + 64;
  Result<ReshardPlan> plan = planReshard(problem, options);
  ASSERT_TRUE(plan.ok());
  EXPECT_LT(plan->expansions, free->expansions);
  EXPECT_LT(plan->expansions, 200);
  // A plan that is within reach is found all the same.
  ReshardProblem move =
      problemOf(R"(["x"=4, "y"=2])", {7, 10}, R"([{"x"}, {"y"}])", R"([{}, {"y", "x"}])");
  options.maxReceivedBytes = std::numeric_limits<int64_t>::max();
  free = planReshard(move, options);
  options.maxReceivedBytes = free->receivedBytes;
  plan = planReshard(move, options);
  EXPECT_EQ(plan->receivedBytes, free->receivedBytes);
}

} // namespace
} // namespace shardwise::planner
