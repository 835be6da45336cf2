// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random problems: sub-axes, uneven sizes and axes to reduce in any mixture. Every plan verifies,
// and bound <= searched <= greedy.

#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/tests/PlanTesting.h"

namespace shardwise::planner {
namespace {

constexpr uint32_t kSeed = 20'260'117;
constexpr int kNumProblems = 2'000;

class ProblemGenerator {
public:
  explicit ProblemGenerator(uint32_t seed) : random(seed) {}

  ReshardProblem next() {
    ReshardProblem problem;
    std::vector<core::MeshAxis> axes;
    int64_t devices = 1;
    int64_t numAxes = number(1, 3);
    for (int64_t axis = 0; axis < numAxes; ++axis) {
      int64_t size = std::min<int64_t>(number(1, 6), 36 / devices);
      devices *= size;
      axes.push_back({fmt::format("x{}", axis), size});
    }
    problem.mesh = *core::Mesh::create(std::move(axes));
    int64_t rank = number(1, 3);
    bool isEven = number(0, 1) == 1;
    for (int64_t dim = 0; dim < rank; ++dim)
      problem.shape.push_back(isEven && devices <= 12 ? devices : number(0, 13));
    problem.elementBytes = number(1, 8);
    bool reduces = number(0, 3) == 0;
    problem.source = sharding(problem.mesh, rank, reduces);
    problem.target = sharding(problem.mesh, rank, false);
    if (reduces && number(0, 2) == 0 && !problem.source.unreduced.empty())
      keepUnreduced(problem);
    return problem;
  }

private:
  int64_t number(int64_t low, int64_t high) {
    // Not std::uniform_int_distribution: its results differ between libraries.
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }

  /// Cuts axes into pieces at random and hands them to dimensions, the unreduced list or nobody.
  core::Sharding sharding(const core::Mesh &mesh, int64_t rank, bool reduces) {
    core::AxisList pieces;
    for (int64_t index = 0; index < mesh.numAxes(); ++index) {
      core::Axis axis = core::fullAxis(mesh, index);
      for (int64_t part : {2, 3}) {
        if (axis.size % part == 0 && axis.size > part && number(0, 2) == 0) {
          pieces.push_back({axis.index, axis.preSize, part});
          axis = {axis.index, axis.preSize * part, axis.size / part};
        }
      }
      pieces.push_back(axis);
    }
    core::Sharding result = core::replicatedSharding(rank);
    while (!pieces.empty()) {
      auto piece = pieces.begin() + number(0, static_cast<int64_t>(pieces.size()) - 1);
      int64_t place = number(0, rank + 1);
      if (place < rank)
        core::appendOrMerge(result.dims[place].axes, *piece);
      else if (reduces && place == rank)
        result.unreduced.push_back(*piece);
      pieces.erase(piece);
    }
    result.unreduced = core::sortAndMerge(result.unreduced);
    return result;
  }

  /// Leaves one of the source's unreduced axes unreduced, if the target does not use it.
  static void keepUnreduced(ReshardProblem &problem) {
    core::Axis kept = problem.source.unreduced.front();
    if (!core::overlaps(core::dimensionAxes(problem.target), {&kept, 1}))
      problem.target.unreduced = {kept};
  }

  std::mt19937 random;
};

/// Largest number of missing elements over all devices, one by one.
int64_t missingByDevices(const ReshardProblem &problem) {
  int64_t largest = 0;
  for (int64_t position = 0; position < problem.mesh.numDevices(); ++position) {
    core::Box want = core::shardBox(problem.shape, problem.target, problem.mesh, position);
    core::Box have = core::shardBox(problem.shape, problem.source, problem.mesh, position);
    largest = std::max(largest, want.numElements() - core::intersect(want, have).numElements());
  }
  return largest * problem.elementBytes;
}

TEST(RandomPlansTest, everyPlanVerifies) {
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  ProblemGenerator generator(kSeed);
  int64_t proved = 0;
  for (int i = 0; i < kNumProblems; ++i) {
    ReshardProblem problem = generator.next();
    SCOPED_TRACE(fmt::format("problem {}: {}", i, testing::describe(problem)));
    ReshardPlan plan = testing::planVerified(problem);
    proved += plan.optimality == Optimality::Proved ? 1 : 0;
    PlanOptions options;
    options.strategy = Strategy::Greedy;
    ReshardPlan greedy = testing::planVerified(problem, options);
    options = {};
    options.overMemory = OverMemory::Exchange;
    ReshardPlan limited = testing::planVerified(problem, options);
    int64_t ends =
        std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
    EXPECT_LE(plan.lowerBoundBytes, plan.receivedBytes);
    EXPECT_LE(limited.lowerBoundBytes, limited.receivedBytes);
    EXPECT_LE(limited.largestStateBytes, ends);
    if (limited.steps == plan.steps) {
      EXPECT_LE(plan.largestStateBytes, ends);
    }
    if (plan.largestStateBytes > ends) {
      EXPECT_LE(plan.receivedBytes, greedy.receivedBytes);
    }
    if (problem.source.unreduced == problem.target.unreduced) {
      EXPECT_EQ(plan.lowerBoundBytes, missingByDevices(problem));
    }
    if (HasFailure())
      break;
  }
  EXPECT_GT(proved, kNumProblems * 9 / 10);
}

TEST(RandomPlansTest, plansAreReproducible) {
  ProblemGenerator generator(kSeed + 1);
  for (int i = 0; i < 50; ++i) {
    ReshardProblem problem = generator.next();
    EXPECT_EQ(planReshard(problem)->steps, planReshard(problem)->steps);
  }
}

} // namespace
} // namespace shardwise::planner
