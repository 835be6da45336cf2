// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random reshards executed on real buffers: every byte of every device is compared, and what
// devices receive with what the plan says.
//
// SHARDWISE_RANDOM_RESHARDS=1000000 executes a million of them, SHARDWISE_TEST_SEED=7 starts
// elsewhere. A failure prints its seed, which alone makes the same problem again:
// SHARDWISE_TEST_SEED=... SHARDWISE_RANDOM_RESHARDS=1.

#include "shardwise/planner/verify/MeasurePlan.h"
#include "test/support/resharding/ReshardTesting.h"

#include "test/support/core/RandomValues.h"

#include <cstdlib>
#include <map>

namespace shardwise::resharding {
namespace {

using core::testing::Random;
using testing::DeviceBuffers;

int64_t numReshards() {
  const char *count = std::getenv("SHARDWISE_RANDOM_RESHARDS");
  return count ? std::strtoll(count, nullptr, 10) : 4'000;
}

core::Mesh smallMesh(Random &random) {
  std::vector<core::MeshAxis> axes;
  int64_t numDevices = 1;
  int64_t numAxes = random.between(1, 3);
  for (int64_t axis = 0; axis < numAxes; ++axis) {
    int64_t size = random.between(2, 4);
    if (numDevices * size > 24)
      break;
    numDevices *= size;
    axes.push_back({std::string(1, static_cast<char>('a' + axis)), size});
  }
  std::vector<core::DeviceId> ids;
  if (random.chance(10)) {
    for (int64_t id = 0; id < numDevices; ++id)
      ids.push_back(id);
    random.shuffle(ids);
  }
  return *core::Mesh::create(std::move(axes), std::move(ids));
}

core::Sharding closedSharding(Random &random, const core::Mesh &mesh, int64_t rank,
                              const core::AxisList &taken) {
  core::Sharding sharding = core::replicatedSharding(rank);
  for (const core::Axis &part : core::testing::randomParts(random, mesh))
    if (rank > 0 && random.chance(75) && !core::overlaps(taken, {&part, 1}))
      core::appendOrMerge(sharding.dims[random.below(rank)].axes, part);
  return sharding;
}

/// A reshard, and how it is executed.
struct RandomReshard {
  planner::ReshardProblem problem;
  ReshardOptions options;
  bool isOnRanks = false;
  int64_t numRanks = 1;
  bool isShared = false;

  explicit RandomReshard(uint64_t seed) {
    Random random(seed);
    problem.mesh = smallMesh(random);
    int64_t rank = random.chance(5) ? 0 : random.between(1, 4);
    bool isEven = random.chance(40);
    for (int64_t dim = 0; dim < rank; ++dim) {
      problem.shape.push_back(isEven ? random.choose<int64_t>({4, 12, 24, 8})
                                     : random.between(random.chance(5) ? 0 : 1, 13));
    }
    while (core::numElements(problem.shape) > 4'000) {
      problem.shape.back() = std::max<int64_t>(1, problem.shape.back() / 2);
      std::rotate(problem.shape.begin(), problem.shape.end() - 1, problem.shape.end());
    }
    bool isSum = random.chance(20);
    core::AxisList unreduced;
    if (isSum) {
      unreduced = {random.choose(core::testing::randomParts(random, problem.mesh))};
      options.type = runtime::DataType::I32;
      problem.source = closedSharding(random, problem.mesh, rank, unreduced);
      problem.source.unreduced = unreduced;
    } else {
      problem.source = closedSharding(random, problem.mesh, rank, {});
    }
    problem.elementBytes = isSum ? 4 : random.choose<int64_t>({1, 2, 3, 4, 8, 16});
    bool keeps = isSum && random.chance(20);
    if (!keeps && random.chance(15)) {
      problem.targetMesh = smallMesh(random);
      if (random.chance(50))
        for (int64_t id = 0; id < problem.targetMesh->numDevices(); ++id)
          problem.targetDevices.push_back(100 - 2 * id);
    }
    problem.target = closedSharding(random, planner::targetMeshOf(problem), rank,
                                    keeps ? unreduced : core::AxisList());
    if (keeps)
      problem.target.unreduced = unreduced;
    options.planning.strategy = random.choose<planner::Strategy>(
        {planner::Strategy::Optimal, planner::Strategy::Optimal, planner::Strategy::Uniform,
         planner::Strategy::Greedy, planner::Strategy::Exchange});
    for (ShardLayout *layout : {&options.source, &options.target}) {
      layout->form = random.chance(30) ? ShardForm::Padded : ShardForm::Exact;
      layout->order = random.chance(20) ? MemoryOrder::ColumnMajor : MemoryOrder::RowMajor;
    }
    isOnRanks = random.chance(25);
    numRanks = random.between(1, 6);
    isShared = random.chance(30);
    if (random.chance(25)) {
      problem.topology.devicesPerHost = random.between(1, 6);
      problem.topology.hostLink.bytesPerSecond = 1e9;
    }
    options.onRanks =
        random.choose<std::optional<Grain>>({std::nullopt, Grain::Steps, Grain::Fused});
  }
};

std::string differenceOf(const PlannedReshard &planned, const DeviceBuffers &sources,
                         const DeviceBuffers &targets) {
  return planner::pendingAxes(planned.problem()).empty()
             ? testing::differenceOf(planned, targets)
             : testing::differenceOfSums(planned, sources, targets);
}

/// Devices that hold the same get the buffer of the first of them; copied to all afterwards.
Result<ReshardTraffic> executeShared(const PlannedReshard &planned, const DeviceBuffers &sources,
                                     DeviceBuffers &targets, runtime::WorkerThreads &workers) {
  std::vector<std::byte *> to = targets.writable();
  std::map<std::tuple<std::vector<int64_t>, std::vector<int64_t>, int64_t>, size_t> firsts;
  std::vector<size_t> first(to.size());
  for (size_t position = 0; position < to.size(); ++position) {
    const ShardPlace &place = planned.target()[position];
    first[position] = firsts.try_emplace({place.box.start, place.box.size, place.partial}, position)
                          .first->second;
    to[position] = to[first[position]];
  }
  Result<ReshardTraffic> traffic = planned.execute(sources.readable(), to, workers);
  for (size_t position = 0; position < to.size(); ++position)
    targets.bytes[position] = targets.bytes[first[position]];
  return traffic;
}

/// Whether ranks carry out each step of the plan by itself.
bool areStepsOfPlan(const PlannedReshard &planned) {
  const std::vector<planner::ReshardStep> &plan = planned.plan().steps;
  const std::vector<ScheduledStep> &steps = planned.steps().steps;
  return plan.size() <= steps.size() &&
         std::equal(plan.begin(), plan.end(), steps.begin(),
                    [](const planner::ReshardStep &a, const ScheduledStep &b) {
                      return a.collective.kind == b.kind;
                    });
}

/// Compares what ranks counted with the schedule, and where dimensions divide with the plan itself.
void checkTraffic(const PlannedReshard &planned, const ReshardTraffic &traffic) {
  const planner::ReshardProblem &problem = planned.problem();
  const planner::ReshardPlan &plan = planned.plan();
  ASSERT_EQ(traffic.receivedBytes.size(), planned.steps().steps.size());
  bool isPlanned = areStepsOfPlan(planned);
  for (size_t step = 0; step < planned.steps().steps.size(); ++step) {
    std::vector<int64_t> predicted = receivedBytes(planned.steps(), step);
    EXPECT_EQ(traffic.receivedBytes[step], predicted) << "step " << step;
    if (!isPlanned || step >= plan.steps.size())
      continue;
    const core::Sharding &after = plan.steps[step].collective.after;
    const core::Sharding &before =
        step == 0 ? problem.source : plan.steps[step - 1].collective.after;
    bool isEven = core::isEvenlyDivisible(problem.shape, before) &&
                  core::isEvenlyDivisible(problem.shape, after);
    int64_t most = *std::max_element(predicted.begin(), predicted.end());
    if (plan.steps[step].collective.kind == CollectiveKind::AllReduce) {
      // Shares are whole elements: a device may have one more than its part, of each other device.
      int64_t group = core::groupSize(plan.steps[step].collective);
      EXPECT_LE(most, plan.steps[step].receivedBytes + group * problem.elementBytes);
    } else if (isEven) {
      EXPECT_EQ(most, plan.steps[step].receivedBytes) << "step " << step;
    } else {
      EXPECT_LE(most, plan.steps[step].receivedBytes) << "step " << step;
    }
  }
}

/// Plans and executes in one process and, of some, on ranks. Returns whether it was planned.
bool runReshard(const RandomReshard &reshard, runtime::WorkerThreads &workers) {
  Result<PlannedReshard> planned = PlannedReshard::plan(reshard.problem, reshard.options);
  if (!planned) {
    // Some strategies do not cover two meshes.
    EXPECT_EQ(planned.error().kind, ErrorKind::Unsupported) << planned.error().message;
    return false;
  }
  DeviceBuffers sources = testing::sourceBuffers(*planned);
  const DeviceBuffers original = sources;
  DeviceBuffers targets(planned->target(), reshard.problem.elementBytes);
  Result<ReshardTraffic> here =
      reshard.isShared ? executeShared(*planned, sources, targets, workers)
                       : planned->execute(sources.readable(), targets.writable(), workers);
  EXPECT_TRUE(here.ok()) << (here.ok() ? "" : here.error().message);
  EXPECT_EQ(differenceOf(*planned, sources, targets), "") << "in one process";
  // Buffers between steps are shared, so what devices receive is known of a single step only.
  bool isDirect =
      planned->fusedSteps().steps.size() == 1 && !planned->fusedSteps().steps.front().combines();
  if (here && !reshard.isShared && isDirect) {
    EXPECT_EQ(here->receivedBytes.front(), receivedBytes(planned->fusedSteps(), 0));
  }
  if (here) {
    EXPECT_LE(here->scratchBytes,
              planned->plan().peakBytes *
                  std::max<int64_t>(planned->source().size(), planned->target().size()));
  }
  if (reshard.isOnRanks) {
    DeviceBuffers apart(planned->target(), reshard.problem.elementBytes);
    Result<ReshardTraffic> onRanks =
        testing::executeOnRanks(*planned, sources, apart, reshard.numRanks,
                                [&](core::DeviceId id) { return id % reshard.numRanks; });
    EXPECT_TRUE(onRanks.ok()) << (onRanks.ok() ? "" : onRanks.error().message);
    EXPECT_EQ(differenceOf(*planned, sources, apart), "") << "on " << reshard.numRanks << " ranks";
    if (onRanks)
      checkTraffic(*planned, *onRanks);
  }
  EXPECT_TRUE(sources.bytes == original.bytes) << "a source was written to";
  return true;
}

TEST(RandomReshardsTest, everyByteArrives) {
  uint64_t firstSeed = core::testing::testSeed();
  int64_t count = numReshards();
  runtime::WorkerThreads workers(2);
  int64_t numPlanned = 0;
  for (int64_t i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    uint64_t seed = firstSeed + static_cast<uint64_t>(i);
    RandomReshard reshard(seed);
    SCOPED_TRACE(fmt::format("SHARDWISE_TEST_SEED={} SHARDWISE_RANDOM_RESHARDS=1: {} by {}", seed,
                             testing::describe(reshard.problem),
                             planner::toString(reshard.options.planning.strategy)));
    numPlanned += runReshard(reshard, workers) ? 1 : 0;
  }
  fmt::print("{} random reshards from seed {}, {} planned and executed\n", count, firstSeed,
             numPlanned);
}

} // namespace
} // namespace shardwise::resharding
