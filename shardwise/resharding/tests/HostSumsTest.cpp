// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums between hosts: the steps that are taken, their time, and that they add up.

#include "shardwise/planner/verify/MeasurePlan.h"
#include "shardwise/planner/verify/VerifyPlan.h"
#include "shardwise/resharding/ScheduleTime.h"
#include "test/support/resharding/ReshardTesting.h"

namespace shardwise::resharding {
namespace {

using enum CollectiveKind;

/// With four devices to a host, and a slow link between hosts.
PlannedReshard planned(std::string_view text, int64_t devicesPerHost = 4) {
  planner::ReshardProblem problem = testing::problemOf(text);
  problem.topology = {{}, {0, 1e10}, devicesPerHost, {0, 1e7}};
  ReshardOptions options;
  options.type = runtime::DataType::I32;
  Result<PlannedReshard> result = PlannedReshard::plan(problem, options);
  EXPECT_TRUE(result.ok()) << text << (result.ok() ? "" : result.error().message);
  return *result;
}

void expectRight(const PlannedReshard &reshard) {
  Result<void> verified = planner::verifyPlan(reshard.problem(), reshard.plan());
  EXPECT_TRUE(verified.ok()) << (verified.ok() ? "" : verified.error().message);
  testing::DeviceBuffers sources = testing::sourceBuffers(reshard);
  testing::DeviceBuffers apart(reshard.target(), 4);
  auto traffic =
      testing::executeOnRanks(reshard, sources, apart, 8, [](core::DeviceId id) { return id; });
  ASSERT_TRUE(traffic.ok()) << traffic.error().message;
  EXPECT_EQ(testing::differenceOfSums(reshard, sources, apart), "");
  testing::DeviceBuffers together(reshard.target(), 4);
  ASSERT_TRUE(reshard.execute(sources.readable(), together.writable()).ok());
  EXPECT_TRUE(together.bytes == apart.bytes);
}

std::vector<CollectiveKind> kindsOf(const PlannedReshard &reshard) {
  std::vector<CollectiveKind> kinds;
  for (const planner::ReshardStep &step : reshard.plan().steps)
    kinds.push_back(step.collective.kind);
  return kinds;
}

struct Case {
  const char *text;
  std::vector<CollectiveKind> kinds;
};

TEST(HostSumsTest, partialSumsOfHostsCross) {
  for (const Case &test : std::vector<Case>{
           {R"(64x32xi32 <["x"=2, "y"=4]> [{}, {}], unreduced={"x", "y"} -> [{}, {}])",
            {ReduceScatter, AllReduce, AllGather}},
           {R"(64x32xi32 <["x"=8]> [{}, {}], unreduced={"x"} -> [{}, {}])",
            {ReduceScatter, AllReduce, AllGather}},
           {R"(64x32xi32 <["x"=2, "y"=4]> [{}, {}], unreduced={"x", "y"} -> [{"x", "y"}, {}])",
            {ReduceScatter, ReduceScatter, AllToAll}},
           {R"(64x32xi32 <["x"=8]> [{}, {}], unreduced={"x"} -> [{}, {"x"}])",
            {ReduceScatter, ReduceScatter, AllToAll}}}) {
    SCOPED_TRACE(test.text);
    PlannedReshard reshard = planned(test.text);
    EXPECT_EQ(kindsOf(reshard), test.kinds);
    double seconds = planner::measureSeconds(reshard.problem(), reshard.plan());
    EXPECT_NEAR(scheduleSeconds(reshard.steps(), reshard.problem().topology), seconds,
                0.01 * seconds);
    double flat = scheduleSeconds(planned(test.text, 0).steps(), reshard.problem().topology);
    EXPECT_GT(flat, 3.9 * seconds);
    expectRight(reshard);
  }
}

TEST(HostSumsTest, othersStayAsTheyAre) {
  for (const Case &test : std::vector<Case>{
           // Nothing divides.
           {R"(63x31xi32 <["x"=8]> [{}, {}], unreduced={"x"} -> [{}, {}])", {AllReduce}},
           {R"(i32 <["x"=8]> [], unreduced={"x"} -> [])", {AllReduce}},
           // No other dimension; hosts are not major.
           {R"(64xi32 <["x"=8]> [{}], unreduced={"x"} -> [{"x"}])", {ReduceScatter}},
           {R"(64x32xi32 <["x"=2, "y"=4]> [{}, {}], unreduced={"x", "y"} -> [{"y", "x"}, {}])",
            {ReduceScatter}},
           // Within hosts.
           {R"(64x32xi32 <["x"=2, "y"=4]> [{"x"}, {}], unreduced={"y"} -> [{"x"}, {}])",
            {AllReduce}}}) {
    SCOPED_TRACE(test.text);
    PlannedReshard reshard = planned(test.text);
    EXPECT_EQ(kindsOf(reshard), test.kinds);
    expectRight(reshard);
  }
}

} // namespace
} // namespace shardwise::resharding
