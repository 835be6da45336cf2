// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards by ranks that have one device, or several, each: every kind of step, bytes as planned.

#include "test/support/resharding/ReshardTesting.h"

namespace shardwise::resharding {
namespace {

using testing::DeviceBuffers;
using testing::differenceOf;
using testing::executeOnRanks;
using testing::problemOf;
using testing::sourceBuffers;

core::DeviceId oneEach(core::DeviceId id) {
  return id;
}

/// Ranks follow the plan step by step, unless `onRanks` says otherwise.
PlannedReshard planned(std::string_view text, planner::Strategy strategy,
                       std::optional<runtime::DataType> type = std::nullopt,
                       std::optional<Grain> onRanks = Grain::Steps) {
  ReshardOptions options;
  options.onRanks = onRanks;
  options.planning.strategy = strategy;
  options.type = type;
  Result<PlannedReshard> result = PlannedReshard::plan(problemOf(text), options);
  EXPECT_TRUE(result.ok()) << text << (result.ok() ? "" : result.error().message);
  return *result;
}

std::vector<CollectiveKind> kindsOf(const PlannedReshard &reshard) {
  std::vector<CollectiveKind> kinds;
  for (const ScheduledStep &step : reshard.steps().steps)
    kinds.push_back(step.kind);
  return kinds;
}

/// Executes on one rank per device; values are right, and bytes those of the plan.
void executeAndCompare(const PlannedReshard &reshard) {
  SCOPED_TRACE(testing::describe(reshard.problem()));
  auto numRanks = static_cast<int64_t>(reshard.source().size());
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), reshard.problem().elementBytes);
  Result<ReshardTraffic> traffic = executeOnRanks(reshard, sources, targets, numRanks, oneEach);
  ASSERT_TRUE(traffic.ok()) << traffic.error().message;
  bool combines = !planner::pendingAxes(reshard.problem()).empty();
  EXPECT_EQ(combines ? testing::differenceOfSums(reshard, sources, targets)
                     : differenceOf(reshard, targets),
            "");
  // All dimensions divide: the busiest device receives what the plan says of each step.
  for (size_t step = 0; step < reshard.plan().steps.size(); ++step) {
    const std::vector<int64_t> &received = traffic->receivedBytes[step];
    EXPECT_EQ(*std::max_element(received.begin(), received.end()),
              reshard.plan().steps[step].receivedBytes)
        << "step " << step;
  }
  EXPECT_LE(traffic->scratchBytes, numRanks * reshard.plan().peakBytes);
}

TEST(ExecuteOnRankTest, everyKindOfStepMovesWhatThePlanSays) {
  using enum CollectiveKind;
  struct Case {
    const char *text;
    planner::Strategy strategy;
    std::vector<CollectiveKind> kinds;
  };
  for (const Case &test : std::vector<Case>{
           {R"(8x8xf32 <["x"=4]> [{"x"}, {}] -> [{}, {}])",
            planner::Strategy::Uniform,
            {AllGather}},
           {R"(8x8xf32 <["x"=4]> [{}, {}] -> [{"x"}, {}])", planner::Strategy::Uniform, {AllSlice}},
           {R"(8x8xf32 <["x"=4]> [{"x"}, {}] -> [{}, {"x"}])",
            planner::Strategy::Uniform,
            {AllToAll}},
           {R"(8x8xf32 <["x"=2, "y"=2]> [{"x"}, {"y"}] -> [{"y"}, {"x"}])",
            planner::Strategy::Uniform,
            {CollectivePermute}},
           {R"(12x12xf32 <["x"=2, "y"=3]> [{"x"}, {"y"}] -> [{"y"}, {"x"}])",
            planner::Strategy::Optimal,
            {Exchange}},
           {R"(8x8xi32 <["x"=4]> [{}, {}], unreduced={"x"} -> [{"x"}, {}])",
            planner::Strategy::Uniform,
            {ReduceScatter}},
           {R"(8x8xi32 <["x"=4]> [{}, {}], unreduced={"x"} -> [{}, {}])",
            planner::Strategy::Uniform,
            {AllReduce}},
           {R"(24x24xi32 <["x"=2, "y"=3, "z"=4]> [{"x", "y"}, {}] -> [{"z"}, {"y"}])",
            planner::Strategy::Greedy,
            {AllGather, AllSlice}}}) {
    PlannedReshard reshard =
        planned(test.text, test.strategy,
                test.strategy == planner::Strategy::Uniform ? std::optional(runtime::DataType::I32)
                                                            : std::nullopt);
    EXPECT_EQ(kindsOf(reshard), test.kinds) << test.text;
    executeAndCompare(reshard);
  }
}

TEST(ExecuteOnRankTest, stepsFollowEachOther) {
  executeAndCompare(
      planned(R"(16x24x8xf32 <["a"=2, "b"=3, "c"=2]> [{"a"}, {"b"}, {"c"}] -> [{"c"}, {}, {"a"}])",
              planner::Strategy::Uniform));
  executeAndCompare(planned(
      R"(16x24xi32 <["a"=2, "b"=2, "c"=2]> [{"a"}, {}], unreduced={"b", "c"} -> [{"c"}, {"a"}])",
      planner::Strategy::Uniform, runtime::DataType::I32));
}

TEST(ExecuteOnRankTest, stepsInOneMemoryBecomeOneExchangeIfThatCopiesLess) {
  using enum CollectiveKind;
  struct Case {
    const char *text;
    std::vector<CollectiveKind> planned;
    std::vector<CollectiveKind> executed;
  };
  for (const Case &test : std::vector<Case>{
           // A slice that nobody keeps.
           {R"(64x64x16xf32 <["x"=2, "y"=4]> [{"x"}, {}, {}] -> [{}, {"x"}, {"y"}])",
            {AllSlice, AllToAll},
            {Exchange}},
           // 7 messages in place of 4, but a third less to copy.
           {R"(128x128x64xf32 <["x"=2, "y"=4]> [{}, {"x", "y"}, {}] -> [{"y"}, {}, {}])",
            {AllToAll, AllGather},
            {Exchange}},
           // 31 messages in place of 10, with little to copy.
           {R"(8x32x2xf32 <["x"=4, "y"=8]> [{}, {"x", "y"}, {}] -> [{"y"}, {}, {}])",
            {AllToAll, AllGather},
            {AllToAll, AllGather}},
           // What is combined stays a step.
           {R"(64x64x16xi32 <["a"=2, "b"=2, "c"=2]> [{"a"}, {}, {}], unreduced={"b", "c"}
               -> [{"c"}, {"a"}, {}])",
            {ReduceScatter, CollectivePermute, AllGather},
            {ReduceScatter, Exchange}}}) {
    SCOPED_TRACE(test.text);
    PlannedReshard bySteps = planned(test.text, planner::Strategy::Uniform, runtime::DataType::I32);
    EXPECT_EQ(kindsOf(bySteps), test.planned);
    PlannedReshard reshard =
        planned(test.text, planner::Strategy::Uniform, runtime::DataType::I32, std::nullopt);
    EXPECT_EQ(kindsOf(reshard), test.executed);
    auto numRanks = static_cast<int64_t>(reshard.source().size());
    DeviceBuffers sources = sourceBuffers(reshard);
    DeviceBuffers targets(reshard.target(), 4);
    Result<ReshardTraffic> traffic = executeOnRanks(reshard, sources, targets, numRanks, oneEach);
    ASSERT_TRUE(traffic.ok()) << traffic.error().message;
    for (size_t step = 0; step < reshard.steps().steps.size(); ++step)
      EXPECT_EQ(traffic->receivedBytes[step], receivedBytes(reshard.steps(), step));
    DeviceBuffers expected(reshard.target(), 4);
    ASSERT_TRUE(executeOnRanks(bySteps, sources, expected, numRanks, oneEach).ok());
    EXPECT_TRUE(targets.bytes == expected.bytes);
    // Links with a price, and hosts, are what the plan was made for.
    planner::Topology priced;
    priced.link.latencySeconds = 1e-6;
    planner::Topology hosts;
    hosts.devicesPerHost = 2;
    for (const planner::Topology &topology : {priced, hosts}) {
      planner::ReshardProblem problem = reshard.problem();
      problem.topology = topology;
      ReshardOptions options;
      options.type = runtime::DataType::I32;
      auto elsewhere = PlannedReshard::follow(problem, reshard.plan(), options);
      ASSERT_TRUE(elsewhere.ok());
      EXPECT_EQ(kindsOf(*elsewhere), test.planned);
    }
  }
}

TEST(ExecuteOnRankTest, ranksMayHaveSeveralDevices) {
  PlannedReshard reshard =
      planned(R"(9x14xf32 <["x"=2, "y"=4]> [{"x"}, {"y"}] -> [{}, {"x", "y"}])",
              planner::Strategy::Optimal);
  DeviceBuffers sources = sourceBuffers(reshard);
  for (int64_t numRanks : {1, 2, 3, 5, 8}) {
    DeviceBuffers targets(reshard.target(), 4);
    Result<ReshardTraffic> traffic = executeOnRanks(
        reshard, sources, targets, numRanks, [&](core::DeviceId id) { return id % numRanks; });
    ASSERT_TRUE(traffic.ok()) << traffic.error().message;
    EXPECT_EQ(differenceOf(reshard, targets), "");
    // Who copies does not change what devices receive.
    for (size_t step = 0; step < reshard.steps().steps.size(); ++step)
      EXPECT_EQ(traffic->receivedBytes[step], receivedBytes(reshard.steps(), step));
  }
}

TEST(ExecuteOnRankTest, sumsHaveTheSameBitsOnAnyNumberOfRanks) {
  for (const char *text :
       {R"(37x5xf32 <["x"=8]> [{}, {}], unreduced={"x"} -> [{}, {}])",
        R"(64x5xf32 <["x"=2, "y"=4]> [{}, {}], unreduced={"x", "y"} -> [{"x"}, {}])",
        R"(33x7xf32 <["x"=4, "y"=2]> [{"y"}, {}], unreduced={"x"} -> [{}, {"y"}])",
        // Shares of 75 KiB, for which the rounds are kept apart; in two groups.
        R"(512x301xf32 <["x"=8]> [{}, {}], unreduced={"x"} -> [{}, {}])",
        R"(512x301xf32 <["x"=4, "y"=2]> [{"y"}, {}], unreduced={"x"} -> [{"y"}, {}])"}) {
    PlannedReshard reshard = planned(text, planner::Strategy::Optimal, runtime::DataType::F32);
    DeviceBuffers sources(reshard.source(), 4);
    for (size_t position = 0; position < sources.bytes.size(); ++position) {
      for (size_t i = 0; i < sources.bytes[position].size() / 4; ++i) {
        // Of very different sizes, so that the order shows.
        float value =
            static_cast<float>((i * 7919 + reshard.source()[position].partial * 104'729) % 1'000) *
            (reshard.source()[position].partial % 3 == 0 ? 1e6F : 1e-3F);
        std::memcpy(sources.bytes[position].data() + 4 * i, &value, 4);
      }
    }
    DeviceBuffers together(reshard.target(), 4);
    ASSERT_TRUE(reshard.execute(sources.readable(), together.writable()).ok());
    for (int64_t numRanks : {1, 2, 3, 8}) {
      DeviceBuffers targets(reshard.target(), 4);
      Result<ReshardTraffic> traffic = executeOnRanks(
          reshard, sources, targets, numRanks, [&](core::DeviceId id) { return id % numRanks; });
      ASSERT_TRUE(traffic.ok()) << traffic.error().message;
      EXPECT_TRUE(targets.bytes == together.bytes) << text << " on " << numRanks << " ranks";
    }
  }
}

TEST(ExecuteOnRankTest, betweenTwoMeshes) {
  PlannedReshard reshard =
      planned(R"(6x8xf32 <["x"=2]> [{"x"}, {}] -> <["y"=3], device_ids=[4, 2, 3]> [{}, {"y"}])",
              planner::Strategy::Optimal);
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  Result<ReshardTraffic> traffic = executeOnRanks(reshard, sources, targets, 5, oneEach);
  ASSERT_TRUE(traffic.ok()) << traffic.error().message;
  EXPECT_EQ(differenceOf(reshard, targets), "");
}

TEST(ExecuteOnRankTest, buffersInAnyLayout) {
  for (const char *text : {R"(7x10xi32 <["x"=4]> [{}, {}], unreduced={"x"} -> [{}, {}])",
                           R"(7x10xi32 <["x"=4]> [{}, {"x"}] -> [{"x"}, {}])"}) {
    ReshardOptions options;
    options.type = runtime::DataType::I32;
    options.source = {ShardForm::Padded, MemoryOrder::ColumnMajor};
    Result<PlannedReshard> reshard = PlannedReshard::plan(problemOf(text), options);
    ASSERT_TRUE(reshard.ok());
    DeviceBuffers sources = sourceBuffers(*reshard);
    DeviceBuffers targets(reshard->target(), 4);
    Result<ReshardTraffic> traffic = executeOnRanks(*reshard, sources, targets, 4, oneEach);
    ASSERT_TRUE(traffic.ok()) << traffic.error().message;
    EXPECT_EQ(testing::differenceOfSums(*reshard, sources, targets), "");
  }
}

TEST(ExecuteOnRankTest, aMissingRankIsNamed) {
  PlannedReshard reshard =
      planned(R"(8x8xf32 <["x"=2]> [{"x"}, {}] -> [{}, {"x"}])", planner::Strategy::Optimal);
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  Result<void> done = runtime::runRanks(
      2, std::chrono::seconds(30), [&](runtime::Communicator &communicator) -> Result<void> {
        if (communicator.rank() == 1)
          return {};
        auto from = sources.readable();
        auto to = targets.writable();
        Result<ReshardTraffic> own = reshard.execute(communicator, from, to);
        return own ? Result<void>() : own.error();
      });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "rank 0: message 0 of all_to_all from rank 1 of 64 B can never "
                                  "complete: rank 1 has ended");
}

TEST(ExecuteOnRankTest, devicesMustBeOnRanksThatRun) {
  PlannedReshard reshard =
      planned(R"(8xf32 <["x"=4]> [{"x"}] -> [{}])", planner::Strategy::Optimal);
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  Result<void> done = runtime::runRanks(
      2, std::chrono::seconds(30), [&](runtime::Communicator &communicator) -> Result<void> {
        Result<ReshardTraffic> own =
            reshard.execute(communicator, sources.readable(), targets.writable());
        return own ? Result<void>() : own.error();
      });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "rank 0: device 2 is on rank 2; expected 0 to 1");
}

} // namespace
} // namespace shardwise::resharding
