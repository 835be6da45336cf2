// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimal plans: at the bound for every pair on small meshes; uniform plans with local transposes
// and their known statistics; memory limits, topologies, reductions, random problems.

#include "shardwise/planner/strategies/OptimalPlanner.h"
#include "shardwise/planner/tests/PlanTesting.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <cstdlib>

namespace shardwise::planner {
namespace {

using testing::problemOf;
using testing::Statistics;

constexpr std::string_view k2x2x2 = R"(["a"=2, "b"=2, "c"=2])";

PlanOptions transposing() {
  return {.strategy = Strategy::Uniform,
          .jointAllToAll = JointAllToAll::AnyDims,
          .localTranspose = true};
}

ReshardPlan planned(const ReshardProblem &problem, const PlanOptions &options) {
  Result<ReshardPlan> plan = planReshard(problem, options);
  EXPECT_TRUE(plan.ok()) << testing::describe(problem) << (plan ? "" : plan.error().message);
  if (!plan)
    return {};
  Result<void> verified = verifyPlan(problem, *plan);
  EXPECT_TRUE(verified.ok()) << testing::describe(problem) << "\n"
                             << toString(*plan, problem.mesh)
                             << (verified ? "" : verified.error().message);
  return *plan;
}

template <class Visit> void forEachPair(std::string_view meshText, int64_t rank, Visit visit) {
  core::Mesh mesh = testing::meshOf(meshText);
  std::vector<core::Sharding> shardings = testing::allShardings(mesh, rank);
  for (const core::Sharding &source : shardings)
    for (const core::Sharding &target : shardings)
      visit(ReshardProblem{mesh, core::Shape(rank, mesh.numDevices()), 1, source, target});
}

/// Returns the number of pairs.
int64_t expectAllAtBound(std::string_view mesh, int64_t rank) {
  int64_t count = 0;
  forEachPair(mesh, rank, [&](const ReshardProblem &problem) {
    ++count;
    EXPECT_LE(problem.mesh.numDevices() * core::numElements(problem.shape), 1 << 16)
        << "verifyPlan replays elements up to here";
    ReshardPlan plan = planned(problem, {.strategy = Strategy::Optimal});
    EXPECT_EQ(plan.receivedBytes, plan.lowerBoundBytes) << testing::describe(problem);
    EXPECT_EQ(plan.optimality, Optimality::Proved) << testing::describe(problem);
    EXPECT_EQ(measure(problem, plan).receivedBytesTotal, measureBounds(problem).receivedBytesTotal)
        << testing::describe(problem);
    int64_t ends =
        std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
    EXPECT_LE(plan.largestStateBytes, ends) << testing::describe(problem);
  });
  return count;
}

TEST(OptimalPlannerTest, rank2PairsAreAtTheBound) {
  for (std::string_view mesh :
       {R"(["a"=2, "b"=2])", R"(["a"=2, "b"=3])", R"(["a"=4, "b"=2])", R"(["a"=2, "b"=6])"}) {
    expectAllAtBound(mesh, 2);
  }
  expectAllAtBound(k2x2x2, 2);
}

TEST(OptimalPlannerTest, rank3PairsAreAtTheBound) {
  expectAllAtBound(R"(["a"=2, "b"=2])", 3);
  expectAllAtBound(R"(["a"=2, "b"=4])", 3);
}

TEST(OptimalPlannerTest, rank3PairsOnThreeAxesAreAtTheBound) {
  // 11,236 pairs, all on boxes, blocks and elements.
  EXPECT_EQ(expectAllAtBound(k2x2x2, 3), 106 * 106);
}

TEST(OptimalPlannerTest, slowAxesAreReducedLast) {
  // Two axes to reduce, one slow: over the fast one first, when a quarter is left the slow one.
  ReshardProblem problem = problemOf(R"(["slow"=2, "fast"=4])", {64, 64},
                                     R"([{}, {}], unreduced={"slow", "fast"})", "[{}, {}]");
  problem.topology.axisLinks = {{0, 1e8}, {0, 1e10}};
  ReshardPlan plan = planned(problem, {.strategy = Strategy::Optimal});
  EXPECT_EQ(plan.optimality, Optimality::Proved);
  // 4,096 bytes: 3,072 fast each way; 1,024 left, a half of it slow each way.
  double seconds = 2 * (3'072 / 1e10 + 512 / 1e8);
  EXPECT_NEAR(measureSeconds(problem, plan), seconds, 1e-9 * seconds);
  // Scattered over both: the same, one way.
  problem = problemOf(R"(["slow"=2, "fast"=4])", {64, 64},
                      R"([{}, {}], unreduced={"slow", "fast"})", R"([{"fast", "slow"}, {}])");
  problem.topology.axisLinks = {{0, 1e8}, {0, 1e10}};
  plan = planned(problem, {.strategy = Strategy::Optimal});
  EXPECT_NEAR(measureSeconds(problem, plan), seconds / 2, 1e-9 * seconds);
}

TEST(OptimalPlannerTest, slowAxesAreGatheredFirst) {
  ReshardProblem problem =
      problemOf(R"(["slow"=2, "fast"=4])", {64, 64}, R"([{"slow", "fast"}, {}])", "[{}, {}]");
  problem.topology.devicesPerHost = 4;
  problem.topology.link = {0, 1e10};
  problem.topology.hostLink = {0, 1e8};
  ReshardPlan plan = planned(problem, {.strategy = Strategy::Optimal});
  EXPECT_EQ(plan.optimality, Optimality::Proved);
  // A host imports what the other has: 2,048 bytes, a quarter of it each device.
  EXPECT_NEAR(measureSeconds(problem, plan), 512 / 1e8 + 3'072 / 1e10, 1e-12);
  PlanBounds bounds = measureBounds(problem);
  EXPECT_EQ(bounds.slowLinkBytesMax, 2'048);
  EXPECT_EQ(measure(problem, plan).slowLinkBytes, bounds.slowLinkBytesTotal);
  EXPECT_NEAR(measureSeconds(problem, plan), bounds.seconds, 1e-12);
}

TEST(OptimalPlannerTest, timedSearchesKeepTheirBudget) {
  // Six axes of different speeds: too many states to prove much, but a verified plan, no slower
  // than the exchange, and a bound beside it.
  ReshardProblem problem =
      problemOf(R"(["a"=2, "b"=2, "c"=2, "d"=2, "e"=2, "f"=2])", {64, 64, 64, 64},
                R"([{"f", "a"}, {"b"}, {"e"}, {"c"}])", R"([{"c"}, {"e", "d"}, {"a", "b"}, {}])");
  for (int i = 1; i <= 6; ++i)
    problem.topology.axisLinks.push_back({1e-6 * i, 1e10 / i});
  Result<ReshardPlan> plan = planReshard(problem, {.strategy = Strategy::Optimal});
  Result<ReshardPlan> exchange = planReshard(problem, {.strategy = Strategy::Exchange});
  ASSERT_TRUE(plan.ok() && exchange.ok());
  Result<void> verified = verifyPlan(problem, *plan);
  EXPECT_TRUE(verified.ok()) << (verified ? "" : verified.error().message);
  double seconds = measureSeconds(problem, *plan);
  EXPECT_LE(seconds, measureSeconds(problem, *exchange) * (1 + 1e-9));
  EXPECT_GE(seconds, measureBounds(problem).seconds);
}

TEST(OptimalPlannerTest, unevenReductionsExchangeFromAnyState) {
  // Ten rows on 2x3: no way by aligned cuts from "a" to "a", "b"; the scattered sum is exchanged.
  ReshardProblem problem = problemOf(R"(["a"=2, "b"=3])", {10, 9},
                                     R"([{"a"}, {}], unreduced={"b"})", R"([{"a", "b"}, {}])");
  ReshardPlan plan = planned(problem, {.strategy = Strategy::Optimal});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(plan.steps[1].collective.kind, CollectiveKind::Exchange);
  Result<ReshardPlan> exchange = planReshard(problem, {.strategy = Strategy::Exchange});
  ASSERT_TRUE(exchange.ok());
  EXPECT_LT(plan.receivedBytes, exchange->receivedBytes);
}

TEST(OptimalPlannerTest, unevenExchangesCrossHosts) {
  // Rows 5 to 9 are wanted where rows 8 and 9 are: some come from the other host, although "x"
  // stays in front.
  ReshardProblem problem =
      problemOf(R"(["x"=2, "y"=4])", {10, 4}, R"([{"x", "y"}, {}])", R"([{"x"}, {}])");
  problem.topology.devicesPerHost = 4;
  problem.topology.hostLink = {1e-5, 1e9};
  ReshardPlan plan = planned(problem, {.strategy = Strategy::Optimal});
  EXPECT_GE(measureSeconds(problem, plan), 1e-5);
  EXPECT_GE(measureSeconds(problem, plan), measureBounds(problem).seconds * (1 - 1e-9));
}

TEST(OptimalPlannerTest, noStateIsLargerThanBothEndsWhateverTheLimit) {
  ReshardProblem problem =
      problemOf(R"(["a"=2, "b"=3])", {6, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
  problem.topology.link.latencySeconds = 1e-3;
  problem.memoryLimitBytes = 1'000;
  EXPECT_LE(planned(problem, {.strategy = Strategy::Optimal}).largestStateBytes, 6);
}

Statistics uniformStatistics(std::string_view mesh, int64_t rank) {
  Statistics statistics;
  forEachPair(mesh, rank, [&](const ReshardProblem &problem) {
    ReshardPlan plan = planned(problem, transposing());
    EXPECT_EQ(plan.optimality, Optimality::Proved) << testing::describe(problem);
    EXPECT_LE(plan.largestStateBytes,
              std::max(localBytes(problem, problem.source), localBytes(problem, problem.target)))
        << testing::describe(problem);
    statistics.add(plan);
  });
  return statistics;
}

TEST(OptimalPlannerTest, uniformPlansWithLocalTransposes) {
  struct Case {
    std::string_view mesh;
    int64_t rank, pairs, atBound;
    double mean, worst;
  };
  for (const Case &c : {Case{R"(["a"=2, "b"=2])", 2, 92, 76, 1.045, 1.50},
                        {R"(["a"=2, "b"=3])", 2, 92, 66, 1.090, 1.83},
                        {R"(["a"=2, "b"=2])", 3, 306, 246, 1.052, 1.50},
                        {k2x2x2, 2, 2'208, 1'488, 1.090, 1.75}}) {
    Statistics statistics = uniformStatistics(c.mesh, c.rank);
    EXPECT_EQ(statistics.pairs, c.pairs) << c.mesh;
    EXPECT_EQ(statistics.atBound, c.atBound) << c.mesh << " rank " << c.rank;
    EXPECT_NEAR(statistics.mean(), c.mean, 0.0005) << c.mesh << " rank " << c.rank;
    EXPECT_NEAR(statistics.worst, c.worst, 0.005) << c.mesh << " rank " << c.rank;
  }
}

TEST(OptimalPlannerTest, memoryLimit) {
  ReshardProblem problem =
      problemOf(R"(["a"=2, "b"=3])", {6, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
  problem.memoryLimitBytes = 12;
  EXPECT_LE(planned(problem, {.strategy = Strategy::Optimal}).peakBytes, 12);
  problem.memoryLimitBytes = 11;
  Result<ReshardPlan> plan = planReshard(problem, {.strategy = Strategy::Optimal});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().kind, ErrorKind::Infeasible);
  EXPECT_NE(plan.error().message.find("11 bytes"), std::string::npos) << plan.error().message;
  Result<ReshardPlan> greedy = planReshard(problem, {.strategy = Strategy::Greedy});
  EXPECT_FALSE(greedy.ok());
}

TEST(OptimalPlannerTest, latencyPrefersFewMessages) {
  // Small tensor, long latency: three messages of an exchange cost more than steps of one.
  ReshardProblem problem =
      problemOf(R"(["a"=2, "b"=6])", {12, 12}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
  problem.topology.link.latencySeconds = 1e-3;
  ReshardPlan plan = planned(problem, {.strategy = Strategy::Optimal});
  EXPECT_EQ(plan.optimality, Optimality::Proved);
  Result<ReshardPlan> exchange = planReshard(problem, {.strategy = Strategy::Exchange});
  ASSERT_TRUE(exchange.ok());
  EXPECT_LE(measure(problem, plan).seconds, measure(problem, *exchange).seconds + 1e-15);
}

TEST(OptimalPlannerTest, timedPlansAreNeverSlowerThanTheOthers) {
  forEachPair(R"(["a"=2, "b"=3])", 2, [&](ReshardProblem problem) {
    problem.topology.axisLinks = {{1e-6, 1e8}, {1e-7, 1e9}};
    ReshardPlan plan = planned(problem, {.strategy = Strategy::Optimal});
    double best = measure(problem, plan).seconds;
    for (const StrategyResult &other : compareStrategies(problem)) {
      // The optimum is over plans without a state larger than both ends.
      int64_t ends =
          std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
      if (other.plan && other.plan->largestStateBytes <= ends) {
        EXPECT_LE(best, measure(problem, *other.plan).seconds * (1 + 1e-9) + 1e-11)
            << testing::describe(problem) << toString(other.strategy);
      }
    }
  });
}

TEST(OptimalPlannerTest, reduceBeforeGatherAndAfterSlice) {
  // all_reduce and slice becomes reduce_scatter at half the bytes.
  ReshardPlan plan =
      planned(problemOf(R"(["b"=4])", {8, 8}, R"([{}, {}], unreduced={"b"})", R"([{"b"}, {}])"),
              {.strategy = Strategy::Optimal});
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(plan.receivedBytes, 48);
  // With copies of the partial sums along "a", each reduces a half: 24 bytes, then 16 to gather.
  plan = planned(
      problemOf(R"(["a"=2, "b"=4])", {8, 8}, R"([{}, {}], unreduced={"b"})", R"([{"b"}, {}])"),
      {.strategy = Strategy::Optimal});
  EXPECT_LT(plan.receivedBytes, 48);
  // Two axes are reduced together.
  plan = planned(problemOf(R"(["a"=2, "b"=4])", {8, 8}, R"([{}, {}], unreduced={"a", "b"})",
                           R"([{"a", "b"}, {}])"),
                 {.strategy = Strategy::Optimal});
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(plan.receivedBytes, 56);
}

TEST(OptimalPlannerTest, everyStrategyVerifies) {
  for (std::string_view mesh : {R"(["a"=2, "b"=3])", R"(["a"=2, "b"=2])"}) {
    forEachPair(mesh, 2, [&](const ReshardProblem &problem) {
      for (const StrategyResult &result : compareStrategies(problem)) {
        if (!result.plan) {
          EXPECT_EQ(result.plan.error().kind, ErrorKind::Unsupported);
          continue;
        }
        Result<void> verified = verifyPlan(problem, *result.plan);
        EXPECT_TRUE(verified.ok()) << testing::describe(problem) << " " << toString(result.strategy)
                                   << (verified ? "" : verified.error().message);
        EXPECT_GE(result.plan->receivedBytes, result.plan->lowerBoundBytes);
      }
    });
  }
}

/// A random sharding of `rank` dimensions over sub-axes of `mesh`.
core::Sharding randomSharding(const core::Mesh &mesh, int64_t rank, std::mt19937 &random) {
  core::Sharding sharding = core::replicatedSharding(rank);
  std::vector<core::Axis> axes;
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
    int64_t size = mesh.axisSize(axis);
    if (size % 2 == 0 && size > 2 && random() % 3 == 0) {
      axes.push_back({static_cast<int32_t>(axis), 1, 2});
      axes.push_back({static_cast<int32_t>(axis), 2, size / 2});
    } else {
      axes.push_back(core::fullAxis(mesh, axis));
    }
  }
  std::shuffle(axes.begin(), axes.end(), random);
  for (const core::Axis &axis : axes)
    if (rank > 0 && random() % 4 != 0)
      core::appendOrMerge(sharding.dims[random() % rank].axes, axis);
  return sharding;
}

core::Mesh randomMesh(std::mt19937 &random) {
  std::vector<core::MeshAxis> axes;
  int64_t devices = 1;
  for (int64_t count = 1 + random() % 3, i = 0; i < count; ++i) {
    int64_t size = 1 + random() % 6;
    if (devices * size > 48)
      break;
    devices *= size;
    axes.push_back({std::string(1, static_cast<char>('a' + i)), size});
  }
  std::vector<core::DeviceId> ids;
  if (random() % 3 == 0) {
    for (int64_t id = 0; id < devices; ++id)
      ids.push_back(id);
    std::shuffle(ids.begin(), ids.end(), random);
  }
  Result<core::Mesh> mesh = core::Mesh::create(axes, ids);
  EXPECT_TRUE(mesh.ok());
  return mesh ? *mesh : core::Mesh();
}

TEST(OptimalPlannerTest, randomProblemsOnBoxes) {
  // 10,000 problems; SHARDWISE_RANDOM_PROBLEMS=1000000 is the long test.
  const char *wanted = std::getenv("SHARDWISE_RANDOM_PROBLEMS");
  int64_t count = wanted != nullptr ? std::atoll(wanted) : 10'000;
  constexpr unsigned kSeed = 20'260'101;
  std::mt19937 random(kSeed);
  for (int64_t i = 0; i < count; ++i) {
    ReshardProblem problem;
    problem.mesh = randomMesh(random);
    int64_t rank = random() % 4;
    for (int64_t dim = 0; dim < rank; ++dim)
      problem.shape.push_back(random() % 8 == 0 ? random() % 2 : random() % 40);
    problem.elementBytes = 1 << random() % 4;
    problem.source = randomSharding(problem.mesh, rank, random);
    bool isAcross = random() % 3 == 0;
    if (isAcross) {
      problem.targetMesh = randomMesh(random);
      if (random() % 3 == 0)
        for (int64_t id = 0; id < problem.targetMesh->numDevices(); ++id)
          problem.targetDevices.push_back(3 * id + 7);
    }
    problem.target = randomSharding(targetMeshOf(problem), rank, random);
    Result<ReshardPlan> plan = planReshard(problem, {.strategy = Strategy::Optimal});
    ASSERT_TRUE(plan.ok()) << "seed " << kSeed << " case " << i << " " << plan.error().message;
    Result<void> verified = verifyOnBoxes(problem, *plan);
    ASSERT_TRUE(verified.ok()) << "seed " << kSeed << " case " << i << " "
                               << testing::describe(problem) << verified.error().message;
    EXPECT_EQ(plan->receivedBytes, plan->lowerBoundBytes)
        << "seed " << kSeed << " case " << i << " " << testing::describe(problem);
    if (!isAcross && !plan->steps.empty() && i % 8 == 0) {
      Result<void> onBlocks = verifyOnBlocks(problem, *plan);
      ASSERT_TRUE(onBlocks.ok()) << "seed " << kSeed << " case " << i << " "
                                 << testing::describe(problem) << onBlocks.error().message;
    }
  }
}

} // namespace
} // namespace shardwise::planner
