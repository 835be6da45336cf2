// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every pair of shardings on small meshes: right on elements, never below the bound, no state
// larger than both ends, and the known statistics of the best plans of uniform steps.

#include "shardwise/planner/tests/PlanTesting.h"

namespace shardwise::planner {
namespace {

using testing::Statistics;

/// Plans all pairs with dimensions divisible by the number of devices.
Statistics planAllPairs(std::string_view meshText, int64_t rank,
                        JointAllToAll joint = JointAllToAll::AnyDims) {
  core::Mesh mesh = testing::meshOf(meshText);
  std::vector<core::Sharding> shardings = testing::allShardings(mesh, rank);
  PlanOptions options;
  options.jointAllToAll = joint;
  Statistics statistics;
  for (const core::Sharding &source : shardings) {
    for (const core::Sharding &target : shardings) {
      ReshardProblem problem{mesh, core::Shape(rank, mesh.numDevices()), 1, source, target};
      ReshardPlan plan = testing::planVerified(problem, options);
      EXPECT_EQ(plan.optimality, Optimality::Proved) << testing::describe(problem);
      int64_t ends = std::max(localBytes(problem, source), localBytes(problem, target));
      EXPECT_LE(plan.largestStateBytes, ends) << testing::describe(problem);
      EXPECT_GE(plan.receivedBytes, plan.lowerBoundBytes) << testing::describe(problem);
      if (plan.lowerBoundBytes == 0) {
        EXPECT_EQ(plan.receivedBytes, 0) << testing::describe(problem);
      }
      statistics.add(plan);
    }
  }
  return statistics;
}

TEST(AllPairsTest, mesh2x2Rank2) {
  Statistics statistics = planAllPairs(R"(["a"=2, "b"=2])", 2);
  EXPECT_EQ(statistics.pairs, 92);
  EXPECT_EQ(statistics.atBound, 72);
  EXPECT_NEAR(statistics.mean(), 1.058, 0.0005);
  EXPECT_NEAR(statistics.worst, 1.50, 0.005);
}

TEST(AllPairsTest, mesh2x3Rank2) {
  Statistics statistics = planAllPairs(R"(["a"=2, "b"=3])", 2);
  EXPECT_EQ(statistics.pairs, 92);
  EXPECT_EQ(statistics.atBound, 62);
  EXPECT_NEAR(statistics.mean(), 1.106, 0.0005);
  EXPECT_NEAR(statistics.worst, 1.83, 0.005);
}

TEST(AllPairsTest, mesh2x2Rank3) {
  Statistics statistics = planAllPairs(R"(["a"=2, "b"=2])", 3);
  EXPECT_EQ(statistics.pairs, 306);
  EXPECT_EQ(statistics.atBound, 234);
  EXPECT_NEAR(statistics.mean(), 1.064, 0.0005);
  EXPECT_NEAR(statistics.worst, 1.50, 0.005);
}

TEST(AllPairsTest, mesh2x2Rank3WithoutCommonTargets) {
  // [{"a"}, {"b"}, {}] to [{}, {}, {"a", "b"}] and its like take two all_to_alls then: 12 pairs.
  Statistics statistics = planAllPairs(R"(["a"=2, "b"=2])", 3, JointAllToAll::DistinctDims);
  EXPECT_EQ(statistics.pairs, 306);
  EXPECT_EQ(statistics.atBound, 222);
  EXPECT_NEAR(statistics.worst, 1.50, 0.005);
}

TEST(AllPairsTest, mesh2x2x2Rank2) {
  Statistics statistics = planAllPairs(R"(["a"=2, "b"=2, "c"=2])", 2);
  EXPECT_EQ(statistics.pairs, 2208);
  EXPECT_EQ(statistics.atBound, 1368);
  EXPECT_NEAR(statistics.mean(), 1.146, 0.0005);
  EXPECT_NEAR(statistics.worst, 2.33, 0.005);
}

} // namespace
} // namespace shardwise::planner
