// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds are carried out on numbered elements: in the end every device has its shard. What they
// receive is compared with the bound.

#include "shardwise/planner/model/ExchangeRounds.h"
#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/planner/model/ExchangeParts.h"
#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/tests/PlanTesting.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <array>
#include <map>
#include <set>

namespace shardwise::planner {
namespace {

using testing::problemOf;
using testing::shardingOf;

/// A dense array of the numbers of global elements; -1 is padding, or nothing yet.
struct Array {
  core::Shape shape;
  std::vector<int64_t> elements;

  explicit Array(core::Shape ofShape)
      : shape(std::move(ofShape)), elements(core::numElements(shape), -1) {}

  int64_t &at(const std::vector<int64_t> &index) {
    int64_t number = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      EXPECT_TRUE(index[dim] >= 0 && index[dim] < shape[dim]);
      number = number * shape[dim] + index[dim];
    }
    return elements[number];
  }
};

/// Calls `visit` with every index below `size`.
template <class Visit> void forEachIndex(const std::vector<int64_t> &size, Visit visit) {
  if (core::numElements(size) == 0)
    return;
  std::vector<int64_t> index(size.size(), 0);
  for (size_t dim = size.size();; dim = size.size()) {
    visit(index);
    while (dim > 0 && index[dim - 1] == size[dim - 1] - 1)
      index[--dim] = 0;
    if (dim == 0)
      return;
    ++index[dim - 1];
  }
}

std::vector<int64_t> sum(std::vector<int64_t> a, const std::vector<int64_t> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] += b[i];
  return a;
}

/// The shard of a device, padded to the full size.
Array shardOf(const ReshardProblem &problem, const core::Sharding &sharding, const core::Mesh &mesh,
              int64_t position) {
  Array shard(core::localShape(problem.shape, sharding));
  core::Box box = core::shardBox(problem.shape, sharding, mesh, position);
  Array all(problem.shape);
  forEachIndex(box.size, [&](const std::vector<int64_t> &index) {
    shard.at(index) = &all.at(sum(index, box.start)) - all.elements.data();
  });
  return shard;
}

/// Runs the rounds on all devices and compares with the shards of the target. What is padding does
/// not matter.
void expectRounds(const ReshardProblem &problem, const ExchangeRounds &plan) {
  core::Shape want = core::localShape(problem.shape, problem.target);
  std::map<core::DeviceId, Array> before, after;
  core::Shape room = sum(sum(want, plan.low), plan.high);
  for (int64_t position = 0; position < problem.mesh.numDevices(); ++position) {
    before.emplace(problem.mesh.deviceAt(position),
                   shardOf(problem, problem.source, problem.mesh, position));
    after.emplace(problem.mesh.deviceAt(position), Array(room));
  }
  auto carryOut = [&](const ExchangeRound &round) {
    std::set<int64_t> senders, receivers;
    for (const ExchangeMove &move : round.moves) {
      EXPECT_TRUE(senders.insert(move.source).second);
      EXPECT_TRUE(receivers.insert(move.target).second);
      for (const core::ReplicaGroup &group : core::replicaGroups(problem.mesh, plan.axes)) {
        Array &source = before.at(group[move.source]), &target = after.at(group[move.target]);
        forEachIndex(round.size, [&](const std::vector<int64_t> &index) {
          target.at(sum(sum(index, move.to), plan.low)) = source.at(sum(index, move.from));
        });
      }
    }
  };
  carryOut(plan.own);
  for (const ExchangeRound &round : plan.rounds)
    carryOut(round);
  const core::Mesh &mesh = targetMeshOf(problem);
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    Array wanted = shardOf(problem, problem.target, mesh, position);
    forEachIndex(want, [&](const std::vector<int64_t> &index) {
      if (wanted.at(index) >= 0) {
        EXPECT_EQ(after.at(mesh.deviceAt(position)).at(sum(index, plan.low)), wanted.at(index));
      }
    });
  }
}

/// Two shardings of random axes and parts of them, over a shape that they need not divide.
ReshardProblem randomProblem(std::mt19937_64 &random) {
  static const std::vector<std::string_view> kMeshes = {R"(["x"=2, "y"=3])", R"(["x"=4, "y"=2])",
                                                        R"(["x"=2, "y"=2, "z"=2])",
                                                        R"(["x"=2, "y"=3, "z"=2])", R"(["x"=6])"};
  ReshardProblem problem;
  problem.mesh = testing::meshOf(kMeshes[random() % kMeshes.size()]);
  size_t rank = 1 + random() % 3;
  for (size_t dim = 0; dim < rank; ++dim)
    problem.shape.push_back(static_cast<int64_t>(random() % 2 == 0 ? 12 : 1 + random() % 14));
  auto randomSharding = [&] {
    core::Sharding sharding = core::replicatedSharding(static_cast<int64_t>(rank));
    std::vector<core::Axis> axes;
    for (int64_t axis = 0; axis < problem.mesh.numAxes(); ++axis) {
      core::Axis whole = core::fullAxis(problem.mesh, axis);
      if (whole.size == 4 && random() % 2 == 0) {
        axes.push_back({whole.index, 1, 2});
        axes.push_back({whole.index, 2, 2});
      } else {
        axes.push_back(whole);
      }
    }
    std::shuffle(axes.begin(), axes.end(), random);
    for (const core::Axis &axis : axes)
      if (random() % 4 != 0)
        core::appendOrMerge(sharding.dims[random() % rank].axes, axis);
    return sharding;
  };
  problem.elementBytes = 1;
  problem.source = randomSharding();
  problem.target = randomSharding();
  return problem;
}

TEST(ExchangeRoundsTest, everyDeviceGetsItsShard) {
  constexpr uint64_t kSeed = 20'260'729;
  std::mt19937_64 random(kSeed);
  // By how much more is received, of elements of one byte (few rounds) and of 1,024 (few bytes).
  std::array<double, 2> largest = {1, 1}, total = {};
  std::array<int, 2> count = {};
  for (int trial = 0; trial < 2'000; ++trial) {
    ReshardProblem problem = randomProblem(random);
    problem.elementBytes = trial % 2 == 0 ? 1 : 1'024;
    SCOPED_TRACE(fmt::format("seed {}, trial {}: {}", kSeed, trial, testing::describe(problem)));
    int64_t bound = lowerBound(problem).receivedBytes;
    if (bound == 0)
      continue;
    ExchangeRounds plan = planExchangeRounds(problem);
    expectRounds(problem, plan);
    int64_t received = plan.receivedElements * problem.elementBytes;
    EXPECT_GE(received, bound);
    double ratio = static_cast<double>(received) / static_cast<double>(bound);
    largest[trial % 2] = std::max(largest[trial % 2], ratio);
    total[trial % 2] += ratio;
    ++count[trial % 2];
    if (::testing::Test::HasFailure())
      return;
  }
  for (int large : {0, 1}) {
    RecordProperty(large ? "meanOfLarge" : "meanOfSmall",
                   fmt::format("{:.3f}", total[large] / count[large]));
    RecordProperty(large ? "largestOfLarge" : "largestOfSmall",
                   fmt::format("{:.3f}", largest[large]));
  }
  EXPECT_LT(total[0] / count[0], 1.5);
  EXPECT_LT(largest[1], 1.01);
}

TEST(ExchangeRoundsTest, partsAreWhatDevicesLack) {
  constexpr uint64_t kSeed = 20'260'730;
  std::mt19937_64 random(kSeed);
  for (int trial = 0; trial < 500; ++trial) {
    ReshardProblem problem = randomProblem(random);
    SCOPED_TRACE(fmt::format("seed {}, trial {}: {}", kSeed, trial, testing::describe(problem)));
    std::map<core::DeviceId, int64_t> received, numMessages;
    for (const ExchangePart &part : exchangeParts(problem))
      if (part.source != part.target) {
        received[part.target] += core::numElements(part.size);
        ++numMessages[part.target];
      }
    MissingBytes missing =
        missingBetween(problem, Placement(problem, problem.source, OnMesh::Source),
                       Placement(problem, problem.target, OnMesh::Target));
    int64_t largest = 0, total = 0;
    for (auto [device, elements] : received) {
      largest = std::max(largest, elements);
      total += elements;
    }
    EXPECT_EQ(largest, missing.largest);
    EXPECT_EQ(total, missing.total);
    EXPECT_EQ(largest, lowerBound(problem).receivedBytes);
  }
}

TEST(ExchangeRoundsTest, transposedAllToAllIsARingOfRounds) {
  ExchangeRounds plan =
      planExchangeRounds(problemOf(R"(["x"=3])", {6, 6}, R"([{"x"}, {}])", R"([{}, {"x"}])"));
  ASSERT_EQ(plan.rounds.size(), 2U);
  EXPECT_EQ(plan.rounds[0].size, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(plan.rounds[0].moves.size(), 3U);
  EXPECT_EQ(plan.receivedElements, 8);
}

TEST(ExchangeRoundsTest, toAnotherOrderOfDevices) {
  ReshardProblem problem =
      problemOf(R"(["x"=2, "y"=3])", {6, 6}, R"([{"x"}, {"y"}])", R"([{"y"}, {"x"}])");
  problem.targetMesh = *core::Mesh::create(problem.mesh.axes(), {5, 0, 3, 1, 4, 2});
  expectRounds(problem, planExchangeRounds(problem));
}

/// Devices that differ along other axes may have different values under the same shardings.
TEST(ExchangeRoundsTest, nothingComesFromDevicesThatDifferAlongOtherAxes) {
  ReshardProblem problem =
      problemOf(R"(["m"=2, "x"=2, "y"=3])", {6, 6}, R"([{"x"}, {"y"}])", R"([{"y"}, {"x"}])");
  for (const ExchangePart &part : exchangeParts(problem))
    EXPECT_EQ(part.source / 6, part.target / 6);
}

} // namespace
} // namespace shardwise::planner
