// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps between hosts: what crosses, how long that takes, and that all arrives all the same.

#include "shardwise/planner/verify/MeasurePlan.h"
#include "shardwise/resharding/ScheduleTime.h"
#include "test/support/resharding/ReshardTesting.h"

namespace shardwise::resharding {
namespace {

using testing::DeviceBuffers;

constexpr planner::Link kFast{0, 1e10};
/// What one of four devices has of the link between hosts.
constexpr planner::Link kSlow{0, 1e7};

PlannedReshard planned(std::string_view text, int64_t devicesPerHost) {
  planner::ReshardProblem problem = testing::problemOf(text);
  problem.topology = {{}, kFast, devicesPerHost, kSlow};
  Result<PlannedReshard> result = PlannedReshard::plan(problem);
  EXPECT_TRUE(result.ok()) << text << (result.ok() ? "" : result.error().message);
  return *result;
}

/// Bytes that messages of ranks bring from one host to another, all together.
int64_t crossingBytes(const PlannedReshard &reshard, int64_t devicesPerHost) {
  int64_t bytes = 0;
  for (size_t number = 0; number < reshard.steps().steps.size(); ++number) {
    const ShardState &before = reshard.steps().states[number];
    const ShardState &after = reshard.steps().states[number + 1];
    for (const Transfer &transfer : reshard.steps().steps[number].transfers) {
      core::DeviceId from =
          transfer.relay ? after[*transfer.relay].device : before[transfer.source].device;
      bool crosses = from / devicesPerHost != after[transfer.target].device / devicesPerHost;
      bytes += crosses ? transfer.box.numElements() * reshard.steps().elementBytes : 0;
    }
  }
  return bytes;
}

void expectRightOnRanks(const PlannedReshard &reshard) {
  DeviceBuffers sources = testing::sourceBuffers(reshard);
  for (int64_t numRanks : {8, 3}) {
    DeviceBuffers targets(reshard.target(), reshard.problem().elementBytes);
    auto traffic = testing::executeOnRanks(reshard, sources, targets, numRanks,
                                           [&](core::DeviceId id) { return id * numRanks / 8; });
    ASSERT_TRUE(traffic.ok()) << traffic.error().message;
    EXPECT_EQ(testing::differenceOf(reshard, targets), "");
    for (size_t step = 0; step < reshard.steps().steps.size(); ++step)
      EXPECT_EQ(traffic->receivedBytes[step], receivedBytes(reshard.steps(), step));
  }
  DeviceBuffers together(reshard.target(), reshard.problem().elementBytes);
  ASSERT_TRUE(reshard.execute(sources.readable(), together.writable()).ok());
  EXPECT_EQ(testing::differenceOf(reshard, together), "");
}

TEST(HostRelaysTest, whatCrossesIsWhatThePlanSays) {
  for (const char *text : {R"(1024x64xf32 <["x"=2, "y"=4]> [{"x", "y"}, {}] -> [{}, {}])",
                           R"(1024x64xf32 <["x"=8]> [{"x"}, {}] -> [{}, {}])",
                           R"(1024x64xf32 <["x"=8]> [{"x"}, {}] -> [{}, {"x"}])",
                           R"(1024x64xf32 <["x"=2, "y"=4]> [{"x"}, {}] -> [{}, {}])",
                           R"(1024x64xf32 <["x"=2, "y"=4]> [{"x"}, {"y"}] -> [{}, {"y"}])",
                           R"(1024x64xf32 <["x"=4, "y"=2]> [{"x", "y"}, {}] -> [{"y"}, {}])"}) {
    SCOPED_TRACE(text);
    PlannedReshard reshard = planned(text, 4);
    planner::PlanMeasure measure = planner::measure(reshard.problem(), reshard.plan());
    EXPECT_EQ(crossingBytes(reshard, 4), measure.slowLinkBytes);
    EXPECT_NEAR(scheduleSeconds(reshard.steps(), reshard.problem().topology), measure.seconds,
                0.01 * measure.seconds);
    expectRightOnRanks(reshard);
  }
}

TEST(HostRelaysTest, eachShardCrossesOnce) {
  const char *text = R"(1024x64xf32 <["x"=2, "y"=4]> [{"x", "y"}, {}] -> [{}, {}])";
  int64_t shard = 128 * 64 * 4;
  EXPECT_EQ(crossingBytes(planned(text, 0), 4), 2 * 16 * shard);
  EXPECT_EQ(crossingBytes(planned(text, 4), 4), 2 * 4 * shard);
}

TEST(HostRelaysTest, boxesAreCutWhereDevicesWouldBeIdle) {
  // One step, as the strategy keeps to what it is given: a half for four devices.
  planner::ReshardProblem problem =
      testing::problemOf(R"(1000x64xf32 <["x"=2, "y"=4]> [{"x"}, {}] -> [{}, {}])");
  problem.topology = {{}, kFast, 4, kSlow};
  ReshardOptions options;
  options.planning.strategy = planner::Strategy::Greedy;
  Result<PlannedReshard> reshard = PlannedReshard::plan(problem, options);
  ASSERT_TRUE(reshard.ok());
  ASSERT_EQ(reshard->steps().steps.size(), 1U);
  EXPECT_EQ(crossingBytes(*reshard, 4), 2 * 500 * 64 * 4);
  // Each device of a host brings in a quarter.
  EXPECT_NEAR(scheduleSeconds(reshard->steps(), problem.topology), 125 * 64 * 4 / 1e7, 1e-4);
  expectRightOnRanks(*reshard);
  problem.shape = {1003, 63};
  reshard = PlannedReshard::plan(problem, options);
  ASSERT_TRUE(reshard.ok());
  expectRightOnRanks(*reshard);
}

TEST(HostRelaysTest, smallAndEmptyBoxesAreNotCut) {
  for (const char *text :
       {R"(6xf32 <["x"=2, "y"=4]> [{"x"}] -> [{}])", R"(3xf32 <["x"=8]> [{"x"}] -> [{}])",
        R"(0x4xf32 <["x"=8]> [{"x"}, {}] -> [{}, {}])", R"(f32 <["x"=8]> [] -> [])"}) {
    SCOPED_TRACE(text);
    expectRightOnRanks(planned(text, 4));
  }
}

} // namespace
} // namespace shardwise::resharding
