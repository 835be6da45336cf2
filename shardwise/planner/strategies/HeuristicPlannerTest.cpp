// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heuristic against its known plans and costs, and the optimum beside it.

#include "shardwise/planner/strategies/HeuristicPlanner.h"

#include "shardwise/planner/tests/PlanTesting.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <fstream>
#include <sstream>

namespace shardwise::planner {
namespace {

constexpr std::string_view k2x2 = R"(["a"=2, "b"=2])";
constexpr std::string_view k2x4 = R"(["a"=2, "b"=4])";

/// `S01|R|R` as a sharding over axes "a" and "b".
std::string shardingText(const std::string &sequence) {
  std::string text = "[{";
  bool isFirst = true;
  for (char c : sequence) {
    if (c == '|') {
      text += "}, {";
      isFirst = true;
    } else if (c == '0' || c == '1') {
      text += fmt::format("{}\"{}\"", isFirst ? "" : ", ", c == '0' ? "a" : "b");
      isFirst = false;
    }
  }
  return text + "}]";
}

std::string movesText(const ReshardPlan &plan) {
  std::vector<std::string> moves;
  for (const ReshardStep &step : plan.steps) {
    if (step.collective.kind == CollectiveKind::AllToAll) {
      const AxisMove &move = step.collective.moves.front();
      moves.push_back(
          fmt::format("A{}>{}.{}", move.sourceDim, move.targetDim, move.axes.front().index));
      continue;
    }
    for (size_t dim = 0; dim < step.collective.dimAxes.size(); ++dim) {
      for (const core::Axis &axis : step.collective.dimAxes[dim]) {
        moves.push_back(fmt::format("{}{}.{}",
                                    step.collective.kind == CollectiveKind::AllGather ? "G" : "P",
                                    dim, axis.index));
      }
    }
  }
  return fmt::format("{}", fmt::join(moves, " "));
}

ReshardProblem pairOf(std::string_view mesh, const std::string &source, const std::string &target) {
  return testing::problemOf(mesh, {64, 32, 16}, shardingText(source), shardingText(target));
}

/// Calls `visit(source, target, moves)` for all pairs of test/plans/heuristic-plans.txt; returns
/// their number.
template <class Visit> int forEachPair(Visit visit) {
  std::ifstream lines(SHARDWISE_HEURISTIC_PLANS);
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    if (line.empty() || line.starts_with("#"))
      continue;
    std::istringstream words(line);
    std::string source;
    std::string target;
    std::string moves;
    words >> source >> target >> std::ws;
    std::getline(words, moves);
    visit(source, target, moves);
    ++count;
  }
  return count;
}

TEST(HeuristicPlannerTest, knownPlansOnEveryMesh) {
  for (std::string_view mesh : {k2x2, k2x4, std::string_view(R"(["a"=4, "b"=2])")}) {
    int count = forEachPair([&](const auto &source, const auto &target, const auto &moves) {
      ReshardProblem problem = pairOf(mesh, source, target);
      Result<ReshardPlan> plan = planReshard(problem, {.strategy = Strategy::Heuristic});
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      EXPECT_EQ(movesText(*plan), moves) << source << " -> " << target;
      Result<void> verified = verifyOnBlocks(problem, *plan);
      EXPECT_TRUE(verified.ok()) << source << " -> " << target;
    });
    EXPECT_EQ(count, 240);
  }
}

TEST(HeuristicPlannerTest, costs) {
  struct Case {
    std::string_view mesh;
    std::string source, target;
    double forward, backward;
  };
  for (const Case &c : {Case{k2x2, "R|S01|R", "S01|R|R", 12390.101, 12390.101},
                        {k2x4, "R|S01|R", "S01|R|R", 16486.101, 16486.101},
                        {k2x2, "S0|R|R", "R|S0|R", 4097.001, 4097.001},
                        {k2x4, "S0|R|R", "R|S0|R", 4097.001, 4097.001},
                        {k2x2, "S0|S1|R", "R|R|R", 24578.2, 200},
                        {k2x4, "S0|S1|R", "R|R|R", 28674.2, 200},
                        {k2x2, "R|R|R", "S01|R|R", 200, 24578.2},
                        {k2x4, "R|R|R", "S01|R|R", 200, 28674.2},
                        {k2x2, "S1|R|R", "R|S01|R", 16585.1, 24678.2},
                        {k2x4, "S1|R|R", "R|S01|R", 24777.1, 28774.2}}) {
    ReshardProblem problem = pairOf(c.mesh, c.source, c.target);
    Result<ReshardPlan> plan = planHeuristically(problem);
    ASSERT_TRUE(plan.ok());
    HeuristicCost cost = heuristicCost(problem, *plan);
    EXPECT_NEAR(cost.forward, c.forward, 1e-6) << c.source << " -> " << c.target;
    EXPECT_NEAR(cost.backward, c.backward, 1e-6) << c.source << " -> " << c.target;
  }
}

TEST(HeuristicPlannerTest, totalVolumeBesideTheOptimum) {
  for (auto [mesh, greedy, bound] :
       {std::tuple{k2x4, 2'961'408, 1'582'080}, {k2x2, 2'678'784, 1'953'792}}) {
    int64_t heuristic = 0;
    int64_t optimal = 0;
    int64_t least = 0;
    forEachPair([&](const auto &source, const auto &target, const auto &) {
      ReshardProblem problem = pairOf(mesh, source, target);
      Result<ReshardPlan> byScore = planReshard(problem, {.strategy = Strategy::Heuristic});
      Result<ReshardPlan> best = planReshard(problem, {.strategy = Strategy::Optimal});
      ASSERT_TRUE(byScore.ok() && best.ok());
      heuristic += byScore->receivedBytes;
      optimal += best->receivedBytes;
      least += best->lowerBoundBytes;
      EXPECT_EQ(best->optimality, Optimality::Proved);
    });
    EXPECT_EQ(heuristic, greedy);
    EXPECT_EQ(optimal, bound);
    EXPECT_EQ(least, bound);
  }
}

TEST(HeuristicPlannerTest, refusesWhatItHasNoFormFor) {
  for (auto [mesh, source, target] :
       {std::tuple{k2x2, R"([{"b", "a"}, {}])", R"([{}, {}])"},
        {std::string_view(R"(["a"=2, "b"=2, "c"=2])"), R"([{"c"}, {}])", R"([{}, {"a"}])"}}) {
    ReshardProblem problem = testing::problemOf(k2x2, {8, 8}, "[{}, {}]", "[{}, {}]");
    problem.mesh = testing::meshOf(mesh);
    Result<core::WrittenSharding> written = core::parseSharding(source);
    Result<core::Sharding> from = core::resolve(*written, problem.mesh);
    if (!from)
      continue;
    problem.source = *from;
    problem.target = testing::shardingOf(target, problem.mesh);
    Result<ReshardPlan> plan = planReshard(problem, {.strategy = Strategy::Heuristic});
    ASSERT_FALSE(plan.ok()) << source;
    EXPECT_EQ(plan.error().kind, ErrorKind::Unsupported);
  }
}

} // namespace
} // namespace shardwise::planner
