// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of plans notice, which problems are refused, and bounds on large meshes.

#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/tests/PlanTesting.h"

namespace shardwise::planner {
namespace {

using testing::problemOf;

TEST(VerifyPlanTest, mistakesAreNoticed) {
  ReshardProblem problem =
      problemOf(R"(["x"=4, "y"=2])", {8, 8}, R"([{"x"}, {"y"}])", R"([{"y"}, {"x"}])");
  ReshardPlan plan = *planReshard(problem);
  ASSERT_TRUE(verifyOnBlocks(problem, plan).ok());
  ASSERT_TRUE(verifyOnElements(problem, plan).ok());
  ReshardPlan shorter = plan;
  shorter.steps.pop_back();
  EXPECT_FALSE(verifyOnBlocks(problem, shorter).ok());
  EXPECT_FALSE(verifyOnElements(problem, shorter).ok());
  ReshardPlan cheaper = plan;
  cheaper.receivedBytes -= 1;
  EXPECT_FALSE(verifyOnBlocks(problem, cheaper).ok());
  ReshardPlan understated = plan;
  understated.steps[0].receivedBytes = 0;
  EXPECT_FALSE(verifyOnBlocks(problem, understated).ok());
}

TEST(VerifyPlanTest, cutsAcrossBoundariesAreNoticed) {
  ReshardProblem problem = problemOf(R"(["a"=2, "b"=3])", {10}, R"([{"a"}])", R"([{"a", "b"}])");
  ReshardPlan plan;
  ReshardStep &step = plan.steps.emplace_back();
  step.collective.dimAxes = {{core::Axis{1, 1, 3}}};
  step.collective.after = problem.target;
  step.localBytesAfter = 2;
  Result<void> blocks = verifyOnBlocks(problem, plan);
  ASSERT_FALSE(blocks.ok());
  EXPECT_NE(blocks.error().message.find("part 2 of block 0 is [4, 5), the sharding needs [4, 6)"),
            std::string::npos)
      << blocks.error().message;
  EXPECT_FALSE(verifyOnElements(problem, plan).ok());
}

TEST(ReshardProblemTest, badProblemsAreRefused) {
  auto messageOf = [](const ReshardProblem &problem) {
    Result<ReshardPlan> plan = planReshard(problem);
    return plan ? std::string() : plan.error().message;
  };
  ReshardProblem problem = problemOf(R"(["x"=4])", {8}, R"([{"x"}])", R"([{}])");
  ReshardProblem wrong = problem;
  wrong.shape = {8, 8};
  EXPECT_EQ(messageOf(wrong), "source sharding has 1 dimensions, the tensor has 2");
  wrong = problem;
  wrong.elementBytes = 0;
  EXPECT_EQ(messageOf(wrong), "element size is 0 bytes; expected at least 1");
  wrong = problem;
  wrong.shape = {-1};
  EXPECT_EQ(messageOf(wrong), "dimension 0 has size -1; expected at least 0");
  wrong = problem;
  wrong.target.dims[0].axes = {{3, 1, 4}};
  EXPECT_EQ(messageOf(wrong), "target sharding uses axis number 3, but the mesh has 1 axes");
  wrong = problem;
  wrong.target.dims[0].axes = {{0, 1, 3}};
  EXPECT_NE(messageOf(wrong).find("must divide the axis size"), std::string::npos);
  wrong = problem;
  wrong.source.dims[0].axes = {{0, 1, 4}, {0, 1, 2}};
  EXPECT_NE(messageOf(wrong).find("overlap"), std::string::npos);
  wrong = problem;
  wrong.shape = {int64_t{1} << 62};
  EXPECT_NE(messageOf(wrong).find("2^60 bytes"), std::string::npos);
  wrong = problem;
  wrong.target.unreduced = wrong.source.dims[0].axes;
  EXPECT_NE(messageOf(wrong).find("replicated_to_unreduced"), std::string::npos);
}

TEST(LowerBoundTest, largeMeshesAreNotEnumerated) {
  // 16 million devices, uneven: the coordinates in use are sampled.
  ReshardProblem problem = problemOf(R"(["a"=256, "b"=256, "c"=256])", {1000, 1000, 1000},
                                     R"([{"a"}, {"b"}, {"c"}])", R"([{"b"}, {"c"}, {"a"}])");
  LowerBound bound = lowerBound(problem);
  EXPECT_FALSE(bound.isAttained);
  EXPECT_GT(bound.receivedBytes, 0);
  EXPECT_LE(bound.receivedBytes, 64);
  problem.shape = {1024, 1024, 1024};
  EXPECT_EQ(lowerBound(problem).receivedBytes, 64);
  EXPECT_TRUE(lowerBound(problem).isAttained);
}

} // namespace
} // namespace shardwise::planner
