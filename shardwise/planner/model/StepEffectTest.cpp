// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of step effects: what is allowed, what is not, and what verifiers notice.

#include "shardwise/planner/model/StepEffect.h"
#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/model/PermutePairs.h"
#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/tests/PlanTesting.h"

#include <set>

namespace shardwise::planner {
namespace {

using testing::meshOf;
using testing::problemOf;
using testing::shardingOf;

/// Axes of the mesh <["x"=4, "y"=2]>.
const core::Axis kX{0, 1, 4};
const core::Axis kXMinor{0, 2, 2};
const core::Axis kY{1, 1, 2};

class StepEffectTest : public ::testing::Test {
protected:
  core::Mesh mesh = meshOf(R"(["x"=4, "y"=2])");

  std::string applied(const ReshardStep &step, std::string_view before) {
    Result<core::Sharding> after = apply(step, shardingOf(before, mesh), mesh);
    return after ? core::toString(*after, mesh) : after.error().message;
  }
};

TEST_F(StepEffectTest, gatherRemovesSuffixes) {
  ReshardStep step;
  step.kind = StepKind::AllGather;
  step.dimAxes = {{kXMinor}, {kY}};
  EXPECT_EQ(applied(step, R"([{"x"}, {"y"}])"), R"([{"x":(1)2}, {}])");
  EXPECT_NE(applied(step, R"([{"y"}, {"x"}])").find("is not the minor end of dimension 0"),
            std::string::npos);
}

TEST_F(StepEffectTest, sliceAppendsAndMerges) {
  ReshardStep step;
  step.kind = StepKind::AllSlice;
  step.dimAxes = {{kXMinor}, {}};
  EXPECT_EQ(applied(step, R"([{"x":(1)2}, {}])"), R"([{"x"}, {}])");
  EXPECT_NE(applied(step, R"([{}, {"x"}])").find("is in use already"), std::string::npos);
  EXPECT_NE(applied(step, R"([{}, {}], unreduced={"x"})").find("is in use already"),
            std::string::npos);
  EXPECT_NE(applied(step, R"([{}])").find("one axis list per dimension"), std::string::npos);
}

TEST_F(StepEffectTest, movesNeedDifferentDimensions) {
  ReshardStep step;
  step.kind = StepKind::AllToAll;
  step.moves = {{{kY}, 0, 2}, {{kXMinor}, 1, 2}};
  EXPECT_EQ(applied(step, R"([{"y"}, {"x"}, {}])"), R"([{}, {"x":(1)2}, {"y", "x":(2)2}])");
  step.moves = {{{kY}, 0, 1}, {{kX}, 1, 0}};
  EXPECT_NE(applied(step, R"([{"y"}, {"x"}, {}])").find("dimensions must exist"),
            std::string::npos);
  step.moves = {{{kY}, 0, 3}};
  EXPECT_NE(applied(step, R"([{"y"}, {"x"}, {}])").find("dimensions must exist"),
            std::string::npos);
}

TEST_F(StepEffectTest, permuteKeepsBlockCounts) {
  ReshardStep step;
  step.kind = StepKind::CollectivePermute;
  step.after = shardingOf(R"([{"x":(2)2}, {"x":(1)2}])", mesh);
  EXPECT_EQ(applied(step, R"([{"y"}, {"x":(1)2}])"), R"([{"x":(2)2}, {"x":(1)2}])");
  EXPECT_NE(applied(step, R"([{"x"}, {}])").find("dimension 0 has 4 blocks before and 2 after"),
            std::string::npos);
}

TEST_F(StepEffectTest, reductionsTakeUnreducedAxes) {
  ReshardStep scatter;
  scatter.kind = StepKind::ReduceScatter;
  scatter.dimAxes = {{kXMinor}};
  EXPECT_EQ(applied(scatter, R"([{"y"}], unreduced={"x"})"),
            R"([{"y", "x":(2)2}], unreduced={"x":(1)2})");
  EXPECT_NE(applied(scatter, R"([{"y"}])").find("is not unreduced"), std::string::npos);
  ReshardStep reduce;
  reduce.kind = StepKind::AllReduce;
  reduce.reducedAxes = {kX};
  EXPECT_EQ(applied(reduce, R"([{"y"}], unreduced={"x"})"), R"([{"y"}])");
  EXPECT_NE(applied(reduce, R"([{}], unreduced={"y"})").find("is not unreduced"),
            std::string::npos);
}

TEST(CostModelTest, formulas) {
  EXPECT_EQ(receivedBytes(StepKind::AllSlice, 12, 4), 0);
  EXPECT_EQ(receivedBytes(StepKind::AllGather, 12, 4), 36);
  EXPECT_EQ(receivedBytes(StepKind::AllToAll, 12, 4), 9);
  EXPECT_EQ(receivedBytes(StepKind::ReduceScatter, 12, 4), 9);
  EXPECT_EQ(receivedBytes(StepKind::AllReduce, 12, 4), 18);
  EXPECT_EQ(receivedBytes(StepKind::AllReduce, 4, 3), 6); // 5.33 rounded up
  EXPECT_EQ(receivedBytes(StepKind::CollectivePermute, 12, 1), 12);
  EXPECT_EQ(receivedBytes(StepKind::AllReduce, int64_t{1} << 59, 3), 768614336404564651);
}

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
  step.dimAxes = {{core::Axis{1, 1, 3}}};
  step.after = problem.target;
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

/// Checks that `pairs` are a bijection that brings every target its block.
void expectRightPairs(const core::Mesh &mesh, const core::Sharding &before,
                      const core::Sharding &after) {
  Result<std::vector<DevicePair>> pairs = permutePairs(mesh, before, after);
  ASSERT_TRUE(pairs.ok());
  std::set<core::DeviceId> sources;
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    const DevicePair &pair = (*pairs)[position];
    EXPECT_EQ(pair.target, mesh.deviceAt(position));
    sources.insert(pair.source);
    int64_t sourcePosition = 0;
    while (mesh.deviceAt(sourcePosition) != pair.source)
      ++sourcePosition;
    bool keepsBlock = true;
    for (size_t dim = 0; dim < before.dims.size(); ++dim) {
      int64_t wanted = core::coordinateAlong(after.dims[dim].axes, mesh, position);
      EXPECT_EQ(core::coordinateAlong(before.dims[dim].axes, mesh, sourcePosition), wanted);
      keepsBlock =
          keepsBlock && core::coordinateAlong(before.dims[dim].axes, mesh, position) == wanted;
    }
    EXPECT_EQ(core::coordinateAlong(before.unreduced, mesh, position),
              core::coordinateAlong(before.unreduced, mesh, sourcePosition));
    if (keepsBlock)
      EXPECT_EQ(pair.source, pair.target);
  }
  EXPECT_EQ(static_cast<int64_t>(sources.size()), mesh.numDevices());
}

TEST(PermutePairsTest, allPairsOfEqualCounts) {
  for (const char *text : {R"(["a"=2, "b"=2, "c"=2])", R"(["a"=4, "b"=2, "c"=2])",
                           R"(["a"=2, "b"=2, "c"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0])"}) {
    core::Mesh mesh = meshOf(text);
    std::vector<core::Sharding> shardings = testing::allShardings(mesh, 2);
    for (const core::Sharding &before : shardings) {
      for (const core::Sharding &after : shardings) {
        bool isEqual = true;
        for (size_t dim = 0; dim < 2; ++dim) {
          isEqual = isEqual && core::shardedSize(before.dims[dim].axes) ==
                                   core::shardedSize(after.dims[dim].axes);
        }
        if (isEqual)
          expectRightPairs(mesh, before, after);
        else
          EXPECT_FALSE(permutePairs(mesh, before, after).ok());
      }
    }
  }
}

TEST(PermutePairsTest, exampleOfTheHeader) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=2])");
  Result<std::vector<DevicePair>> pairs =
      permutePairs(mesh, shardingOf(R"([{"x", "y"}])", mesh), shardingOf(R"([{"y", "x"}])", mesh));
  EXPECT_EQ(*pairs, (std::vector<DevicePair>{{0, 0}, {2, 1}, {1, 2}, {3, 3}}));
}

TEST(PermutePairsTest, unreducedCoordinatesStay) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=2, "z"=2])");
  expectRightPairs(mesh, shardingOf(R"([{"x"}, {}], unreduced={"z"})", mesh),
                   shardingOf(R"([{"y"}, {}], unreduced={"z"})", mesh));
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
