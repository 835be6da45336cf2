// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worked examples: expected steps, bytes per device in units of shards, and the bound.

#include "shardwise/planner/tests/PlanTesting.h"

namespace shardwise::planner {
namespace {

using testing::planVerified;
using testing::problemOf;

std::vector<CollectiveKind> kindsOf(const ReshardPlan &plan) {
  std::vector<CollectiveKind> kinds;
  for (const ReshardStep &step : plan.steps)
    kinds.push_back(step.collective.kind);
  return kinds;
}

using Kinds = std::vector<CollectiveKind>;

constexpr std::string_view k2x3 = R"(["a"=2, "b"=3])";
constexpr std::string_view k2x2x2 = R"(["a"=2, "b"=2, "c"=2])";

TEST(ExamplesTest, orderOfAxesIsAPermute) {
  ReshardPlan plan = planVerified(problemOf(k2x3, {6}, R"([{"a", "b"}])", R"([{"b", "a"}])"));
  EXPECT_EQ(kindsOf(plan), Kinds{CollectiveKind::CollectivePermute});
  EXPECT_EQ(plan.receivedBytes, 1);
  EXPECT_EQ(plan.lowerBoundBytes, 1);
}

TEST(ExamplesTest, onlyTheMinorAxisCanBeGathered) {
  ReshardPlan plan = planVerified(problemOf(k2x3, {6}, R"([{"a", "b"}])", R"([{"b"}])"));
  EXPECT_EQ(kindsOf(plan), (Kinds{CollectiveKind::CollectivePermute, CollectiveKind::AllGather}));
  EXPECT_EQ(plan.receivedBytes, 2);
  EXPECT_EQ(plan.lowerBoundBytes, 2);
}

TEST(ExamplesTest, gatherOfAWholeDimension) {
  ReshardPlan plan = planVerified(problemOf(k2x3, {2, 3}, R"([{"a"}, {"b"}])", R"([{}, {"b"}])"));
  EXPECT_EQ(kindsOf(plan), Kinds{CollectiveKind::AllGather});
  EXPECT_EQ(plan.receivedBytes, plan.lowerBoundBytes);
}

TEST(ExamplesTest, gatherOfASuffix) {
  ReshardPlan plan = planVerified(problemOf(k2x3, {4, 6}, R"([{}, {"a", "b"}])", R"([{}, {"a"}])"));
  EXPECT_EQ(kindsOf(plan), Kinds{CollectiveKind::AllGather});
  EXPECT_EQ(toString(plan.steps[0].collective, testing::meshOf(k2x3)),
            R"(all_gather [{}, {"b"}] -> [{}, {"a"}])");
  EXPECT_EQ(plan.receivedBytes, 8);
  EXPECT_EQ(plan.lowerBoundBytes, 8);
}

TEST(ExamplesTest, permuteBeforeGather) {
  ReshardPlan plan =
      planVerified(problemOf(k2x2x2, {4, 8}, R"([{"a"}, {"b", "c"}])", R"([{"a"}, {"c"}])"));
  EXPECT_EQ(kindsOf(plan), (Kinds{CollectiveKind::CollectivePermute, CollectiveKind::AllGather}));
  EXPECT_EQ(plan.receivedBytes, plan.lowerBoundBytes);
  EXPECT_LE(plan.expansions, 3);
}

TEST(ExamplesTest, swapOn2x3) {
  ReshardPlan plan =
      planVerified(problemOf(k2x3, {6, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"));
  // 1.83 of a shard of 6 elements, where an exchange needs one.
  EXPECT_EQ(plan.receivedBytes, 11);
  EXPECT_EQ(plan.lowerBoundBytes, 6);
  EXPECT_LE(plan.receivedBytes, 21) << "gather, all_to_all, slice receives 3.5 shards";
}

TEST(ExamplesTest, swapOn2x6SplitsTheLargeAxis) {
  ReshardPlan plan = planVerified(
      problemOf(R"(["a"=2, "b"=6])", {12, 12}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"));
  // 5/3 of a shard of 12; with the axis whole it would be 1.92.
  EXPECT_EQ(plan.receivedBytes, 20);
  EXPECT_EQ(plan.lowerBoundBytes, 12);
  EXPECT_LE(plan.expansions, 20);
}

TEST(ExamplesTest, swapOn4x6) {
  ReshardPlan plan = planVerified(
      problemOf(R"(["a"=4, "b"=6])", {24, 24}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"));
  EXPECT_NEAR(static_cast<double>(plan.receivedBytes) / static_cast<double>(plan.lowerBoundBytes),
              2.17, 0.005);
}

TEST(ExamplesTest, swapOfEqualAxesIsAPermute) {
  ReshardPlan plan = planVerified(
      problemOf(R"(["a"=3, "b"=3])", {9, 9}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"));
  EXPECT_EQ(kindsOf(plan), Kinds{CollectiveKind::CollectivePermute});
}

TEST(ExamplesTest, movedAxisIsAnAllToAll) {
  core::Mesh mesh = testing::meshOf(R"(["a"=3])");
  ReshardPlan plan =
      planVerified(problemOf(R"(["a"=3])", {6, 6}, R"([{"a"}, {}])", R"([{}, {"a"}])"));
  ASSERT_EQ(kindsOf(plan), Kinds{CollectiveKind::AllToAll});
  EXPECT_EQ(toString(plan.steps[0].collective, mesh), R"(all_to_all [{"a"}: 0->1] -> [{}, {"a"}])");
  EXPECT_EQ(plan.receivedBytes, 8);
  EXPECT_EQ(plan.lowerBoundBytes, 8);
}

TEST(ExamplesTest, twoAllToAllsBeatPermuteAndAllToAll) {
  constexpr std::string_view source = R"([{"a"}, {"b", "c"}])";
  constexpr std::string_view target = R"([{"a", "b"}, {"c"}])";
  ReshardPlan plan = planVerified(problemOf(k2x2x2, {8, 8}, source, target));
  EXPECT_EQ(kindsOf(plan), (Kinds{CollectiveKind::AllToAll, CollectiveKind::AllToAll}));
  EXPECT_EQ(4 * plan.receivedBytes, 5 * plan.lowerBoundBytes);
  // Four rows cannot be cut eight times, so [{"a", "b", "c"}, {}] is no way there.
  plan = planVerified(problemOf(k2x2x2, {4, 4}, source, target));
  EXPECT_EQ(kindsOf(plan), (Kinds{CollectiveKind::CollectivePermute, CollectiveKind::AllToAll}));
  EXPECT_EQ(2 * plan.receivedBytes, 3 * plan.lowerBoundBytes);
}

TEST(ExamplesTest, sliceBeforeGather) {
  ReshardPlan plan = planVerified(problemOf(k2x3, {6, 6}, R"([{"a"}, {}])", R"([{}, {"b"}])"));
  EXPECT_EQ(kindsOf(plan), (Kinds{CollectiveKind::AllSlice, CollectiveKind::AllGather}));
  EXPECT_EQ(plan.receivedBytes, plan.lowerBoundBytes);
}

TEST(ExamplesTest, fourAxesThreeDimensions) {
  ReshardProblem problem =
      problemOf(R"(["a"=2, "b"=2, "c"=2, "d"=2])", {8, 8, 8}, R"([{"d", "c"}, {}, {"a", "b"}])",
                R"([{"a"}, {"b", "c"}, {}])");
  ReshardPlan plan = planVerified(problem);
  // 2.75 source shards; the target shard, two of them, is the bound.
  EXPECT_EQ(4 * plan.receivedBytes, 11 * localBytes(problem, problem.source));
  EXPECT_EQ(plan.lowerBoundBytes, 2 * localBytes(problem, problem.source));
  EXPECT_EQ(plan.optimality, Optimality::Proved);
}

TEST(ExamplesTest, unusedAxesMakeStepsCheaper) {
  ReshardPlan plan = planVerified(
      problemOf(R"(["a"=2, "b"=3])", {12, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"));
  EXPECT_EQ(plan.receivedBytes, 22);
  // Cut by "c" first, and gathered last.
  plan = planVerified(
      problemOf(R"(["a"=2, "b"=3, "c"=2])", {12, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"));
  EXPECT_EQ(plan.receivedBytes, 19);
  EXPECT_EQ(plan.lowerBoundBytes, 12);
}

TEST(ExamplesTest, subAxes) {
  ReshardPlan plan = planVerified(
      problemOf(R"(["x"=8])", {8, 8}, R"([{"x"}, {}])", R"([{"x":(1)2}, {"x":(2)4}])"));
  EXPECT_EQ(toString(plan.steps.at(0).collective, testing::meshOf(R"(["x"=8])")),
            R"(all_to_all [{"x":(2)4}: 0->1] -> [{"x":(1)2}, {"x":(2)4}])");
  EXPECT_EQ(plan.steps.size(), 1U);
}

TEST(ExamplesTest, subAxesWithoutCommonCutsAreGathered) {
  ReshardPlan plan = planVerified(
      problemOf(R"(["x"=12])", {12, 12}, R"([{"x":(1)2}, {}])", R"([{}, {"x":(3)2}])"));
  EXPECT_EQ(kindsOf(plan), (Kinds{CollectiveKind::AllGather, CollectiveKind::AllSlice}));
  EXPECT_EQ(plan.optimality, Optimality::NotSearched);
}

TEST(ExamplesTest, axesOfSizeOneCostNothing) {
  constexpr std::string_view mesh = R"(["one"=1, "a"=2, "uno"=1])";
  for (auto [source, target] : {std::pair{R"([{"one"}, {}])", R"([{}, {"one"}])"},
                                {R"([{"one", "a"}, {}])", R"([{"a"}, {"uno"}])"},
                                {R"([{"a", "one"}, {}])", R"([{"a"}, {}])"}}) {
    EXPECT_EQ(planVerified(problemOf(mesh, {4, 4}, source, target)).receivedBytes, 0);
  }
  ReshardPlan plan =
      planVerified(problemOf(mesh, {4, 4}, R"([{"one"}, {"a"}])", R"([{"one"}, {}])"));
  EXPECT_EQ(kindsOf(plan), Kinds{CollectiveKind::AllGather});
  plan = planVerified(problemOf(mesh, {4, 4}, R"([{"a"}, {"uno"}])", R"([{"one"}, {"a"}])"));
  EXPECT_EQ(plan.receivedBytes, plan.lowerBoundBytes);
}

TEST(ExamplesTest, samePlacementNeedsNoStep) {
  ReshardProblem problem =
      problemOf(k2x3, {5, 5}, R"([{"a", ?}, {}])", R"([{"a"}, {?}], replicated={"b"})");
  ReshardPlan plan = planVerified(problem);
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(plan.receivedBytes, 0);
  EXPECT_EQ(plan.optimality, Optimality::Proved);
}

TEST(ExamplesTest, lastShardingIsTheTargetAsGiven) {
  ReshardProblem problem = problemOf(k2x3, {6, 6}, R"([{"a"}, {}])", R"([{?}, {"a", ?}])");
  ReshardPlan plan = planVerified(problem);
  EXPECT_EQ(plan.steps.back().collective.after, problem.target);
}

TEST(ExamplesTest, budgetStopFallsBackToGreedy) {
  ReshardProblem problem = problemOf(k2x3, {6, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
  PlanOptions options;
  options.maxExpansions = 2;
  ReshardPlan plan = planVerified(problem, options);
  EXPECT_EQ(plan.optimality, Optimality::BudgetStop);
  EXPECT_EQ(plan.expansions, 2);
  options.strategy = Strategy::Greedy;
  EXPECT_EQ(planVerified(problem, options).steps, plan.steps);
}

TEST(ExamplesTest, rankZeroAndEmptyTensors) {
  EXPECT_TRUE(planVerified(problemOf(k2x3, {}, "[]", "[]")).steps.empty());
  ReshardPlan plan = planVerified(problemOf(k2x3, {0, 6}, R"([{"a"}, {}])", R"([{}, {"b"}])"));
  EXPECT_EQ(plan.receivedBytes, 0);
}

TEST(ExamplesTest, deviceOrderDoesNotMatterOnOneMesh) {
  ReshardPlan plan = planVerified(problemOf(R"(["a"=2, "b"=2], device_ids=[3, 1, 2, 0])", {4, 4},
                                            R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"));
  EXPECT_EQ(kindsOf(plan), Kinds{CollectiveKind::CollectivePermute});
}

std::vector<std::string> statesOf(const ReshardProblem &problem, Strategy strategy) {
  Result<ReshardPlan> plan = planReshard(problem, {.strategy = strategy});
  std::vector<std::string> states;
  EXPECT_TRUE(plan.ok());
  for (size_t i = 0; plan && i < plan->steps.size(); ++i)
    states.push_back(core::toString(plan->steps[i].collective.after, problem.mesh));
  return states;
}

using Texts = std::vector<std::string>;

/// ExampleStatesTest.cpp has their contents.
TEST(ExamplesTest, decompositionsOfTheBasis) {
  // D1, E2, E4, E10 and D2, step for step.
  EXPECT_EQ(
      statesOf(problemOf(k2x3, {6, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"), Strategy::Basis),
      (Texts{R"([{"a"}, {}])", R"([{}, {"a"}])", R"([{"b"}, {"a"}])"}));
  EXPECT_EQ(statesOf(problemOf(k2x3, {6}, R"([{"a", "b"}])", R"([{"b"}])"), Strategy::Basis),
            (Texts{R"([{"b", "a"}])", R"([{"b"}])"}));
  EXPECT_EQ(statesOf(problemOf(k2x2x2, {4, 8}, R"([{"a"}, {"b", "c"}])", R"([{"a"}, {"c"}])"),
                     Strategy::Basis),
            (Texts{R"([{"a"}, {"c", "b"}])", R"([{"a"}, {"c"}])"}));
  EXPECT_EQ(statesOf(problemOf(k2x2x2, {4, 4}, R"([{"a"}, {"b", "c"}])", R"([{"a", "b"}, {"c"}])"),
                     Strategy::Basis),
            (Texts{R"([{"a"}, {"c", "b"}])", R"([{"a", "b"}, {"c"}])"}));
  ReshardProblem d2 = problemOf(R"(["a"=2, "b"=2, "c"=2, "d"=2])", {16, 16, 16},
                                R"([{"d", "c"}, {}, {"a", "b"}])", R"([{"a"}, {"b", "c"}, {}])");
  EXPECT_EQ(statesOf(d2, Strategy::Basis),
            (Texts{R"([{"d", "c"}, {"b"}, {"a"}])", R"([{"d"}, {"b", "c"}, {"a"}])",
                   R"([{}, {"b", "c"}, {"a"}])", R"([{"a"}, {"b", "c"}, {}])"}));
  int64_t shard = localBytes(d2, d2.source);
  auto bytesOf = [&](Strategy strategy, bool transposes) {
    PlanOptions options{.strategy = strategy, .jointAllToAll = JointAllToAll::AnyDims};
    options.localTranspose = transposes;
    Result<ReshardPlan> plan = planReshard(d2, options);
    EXPECT_TRUE(plan.ok());
    return plan ? static_cast<double>(plan->receivedBytes) / static_cast<double>(shard) : 0;
  };
  EXPECT_EQ(bytesOf(Strategy::Basis, false), 3.0);
  EXPECT_EQ(bytesOf(Strategy::Uniform, false), 2.75);
  EXPECT_EQ(bytesOf(Strategy::Uniform, true), 2.375);
  EXPECT_EQ(bytesOf(Strategy::Optimal, false), 2.0);
}

TEST(ExamplesTest, axesOfSizeOneAreNoObstacleToRules) {
  constexpr std::string_view mesh = R"(["one"=1, "a"=2, "b"=3, "uno"=1])";
  for (auto [source, target] : {std::pair{R"([{"a", "one"}, {}])", R"([{}, {}])"},
                                {R"([{"b"}, {}])", R"([{"one"}, {}])"},
                                {R"([{"one"}, {"a"}])", R"([{"a"}, {"b", "uno"}])"},
                                {R"([{"a"}, {}], unreduced={"one"})", R"([{"one", "a"}, {"b"}])"},
                                {R"([{"a", "one"}, {"b"}])", R"([{"b"}, {"uno", "a"}])"}}) {
    ReshardProblem problem = problemOf(mesh, {12, 12}, source, target);
    for (const StrategyResult &result : compareStrategies(problem)) {
      if (!result.plan) {
        EXPECT_EQ(result.plan.error().kind, ErrorKind::Unsupported);
        continue;
      }
      Result<void> verified = verifyPlan(problem, *result.plan);
      EXPECT_TRUE(verified.ok()) << testing::describe(problem) << " " << toString(result.strategy)
                                 << (verified ? "" : verified.error().message);
    }
  }
}

} // namespace
} // namespace shardwise::planner
