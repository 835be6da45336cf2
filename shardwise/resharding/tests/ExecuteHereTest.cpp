// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards of which one process has all buffers: what is copied, what is shared, what is refused.

#include "test/support/resharding/ReshardTesting.h"

namespace shardwise::resharding {
namespace {

using testing::DeviceBuffers;
using testing::differenceOf;
using testing::problemOf;
using testing::sourceBuffers;

PlannedReshard planned(const planner::ReshardProblem &problem, const ReshardOptions &options = {}) {
  Result<PlannedReshard> result = PlannedReshard::plan(problem, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return *result;
}

PlannedReshard planned(std::string_view text, const ReshardOptions &options = {}) {
  return planned(problemOf(text), options);
}

/// Executes into buffers of their own; returns the traffic.
ReshardTraffic executeAndCheck(const PlannedReshard &reshard) {
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), reshard.problem().elementBytes);
  Result<ReshardTraffic> traffic = reshard.execute(sources.readable(), targets.writable());
  EXPECT_TRUE(traffic.ok()) << (traffic.ok() ? "" : traffic.error().message);
  EXPECT_EQ(differenceOf(reshard, targets), "") << testing::describe(reshard.problem());
  return traffic.ok() ? *traffic : ReshardTraffic();
}

std::string refusal(const PlannedReshard &reshard, const std::vector<const std::byte *> &sources,
                    const std::vector<std::byte *> &targets) {
  Result<ReshardTraffic> traffic = reshard.execute(sources, targets);
  EXPECT_FALSE(traffic.ok());
  return traffic.ok() ? "" : traffic.error().message;
}

TEST(ExecuteHereTest, devicesReceiveWhatTheyLack) {
  // Each has 2x8 of 8x8 and wants 8x2: 2x2 of that is its own.
  ReshardTraffic traffic =
      executeAndCheck(planned(R"(8x8xf32 <["x"=4]> [{"x"}, {}] -> [{}, {"x"}])"));
  EXPECT_EQ(traffic.receivedBytes, std::vector<std::vector<int64_t>>({{48, 48, 48, 48}}));
  EXPECT_EQ(traffic.writtenBytes, 256);
  EXPECT_EQ(traffic.scratchBytes, 0);
}

TEST(ExecuteHereTest, unevenAndEmptyShards) {
  for (const char *text :
       {R"(10x3xf64 <["x"=4]> [{"x"}, {}] -> [{}, {"x"}])",
        R"(2x7xi8 <["x"=4, "y"=3]> [{"x"}, {"y"}] -> [{"y"}, {"x"}])",
        R"(5xbf16 <["x"=8]> [{"x"}] -> [{}])", R"(0x4xf32 <["x"=2]> [{"x"}, {}] -> [{}, {"x"}])",
        R"(f32 <["x"=2]> [] -> [])"}) {
    executeAndCheck(planned(text));
  }
}

TEST(ExecuteHereTest, largeTensorsAreSharedAmongThreads) {
  // Above what one thread copies alone, and above what is streamed past the cache.
  executeAndCheck(planned(R"(512x700xf32 <["x"=2, "y"=4]> [{"x"}, {"y"}] -> [{"y"}, {"x"}])"));
  executeAndCheck(planned(R"(2100x1001xi16 <["x"=2, "y"=4]> [{"x", "y"}, {}] -> [{}, {"y"}])"));
  executeAndCheck(planned(R"(3x5x90000xf64 <["x"=3]> [{"x"}, {}, {}] -> [{}, {}, {"x"}])"));
}

TEST(ExecuteHereTest, shortRowsOfLargeTensors) {
  // Rows of some bytes, from several buffers to one, from one to several and both, with and without
  // padding between them.
  for (const char *text :
       {R"(201x481x25xf32 <["x"=2, "y"=4]> [{}, {}, {"x", "y"}] -> [{"x"}, {"y"}, {}])",
        R"(201x481x25xf32 <["x"=2, "y"=4]> [{"y"}, {"x"}, {}] -> [{}, {}, {"x", "y"}])",
        R"(201x481x25xf32 <["x"=2, "y"=4]> [{}, {"x"}, {"y"}] -> [{"y"}, {}, {"x"}])"}) {
    executeAndCheck(planned(text));
    ReshardOptions options;
    options.target.form = ShardForm::Padded;
    executeAndCheck(planned(text, options));
  }
}

TEST(ExecuteHereTest, replicasThatShareABufferAreWrittenOnce) {
  PlannedReshard reshard = planned(R"(64xf32 <["x"=4]> [{"x"}] -> [{}])");
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  std::vector<std::byte *> shared(4, targets.bytes[0].data());
  Result<ReshardTraffic> traffic = reshard.execute(sources.readable(), shared);
  ASSERT_TRUE(traffic.ok()) << traffic.error().message;
  EXPECT_EQ(traffic->writtenBytes, 256);
  EXPECT_EQ(traffic->receivedBytes, std::vector<std::vector<int64_t>>({{192, 0, 0, 0}}));
  for (size_t position = 1; position < 4; ++position)
    targets.bytes[position] = targets.bytes[0];
  EXPECT_EQ(differenceOf(reshard, targets), "");
}

TEST(ExecuteHereTest, replicasApartGetTheSame) {
  // Little, some, and much, which is put together once for all replicas.
  for (const char *text :
       {R"(16x12xf32 <["x"=2, "y"=4]> [{}, {"x", "y"}] -> [{"x"}, {}])",
        R"(161x241xf32 <["x"=2, "y"=4]> [{}, {"x", "y"}] -> [{}, {}])",
        R"(301x401x30xf16 <["x"=2, "y"=4]> [{}, {"x"}, {"y"}] -> [{}, {}, {"x"}])"}) {
    ReshardTraffic traffic = executeAndCheck(planned(text));
    EXPECT_GT(traffic.receivedBytes.front().back(), 0);
  }
}

TEST(ExecuteHereTest, aShardThatDoesNotChangeStaysWhereItIs) {
  // Devices (0, 0) and (1, 1) keep their quarter of the swap.
  PlannedReshard reshard = planned(R"(4x4xf32 <["x"=2, "y"=2]> [{"x"}, {"y"}] -> [{"y"}, {"x"}])");
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  std::vector<std::byte *> to = targets.writable();
  to[0] = sources.bytes[0].data();
  to[3] = sources.bytes[3].data();
  Result<ReshardTraffic> traffic = reshard.execute(sources.readable(), to);
  ASSERT_TRUE(traffic.ok()) << traffic.error().message;
  EXPECT_EQ(traffic->writtenBytes, 32);
  targets.bytes[0] = sources.bytes[0];
  targets.bytes[3] = sources.bytes[3];
  EXPECT_EQ(differenceOf(reshard, targets), "");
}

TEST(ExecuteHereTest, buffersMayBePaddedAndColumnMajor) {
  for (ShardForm form : {ShardForm::Exact, ShardForm::Padded}) {
    for (MemoryOrder order : {MemoryOrder::RowMajor, MemoryOrder::ColumnMajor}) {
      ReshardOptions options;
      options.source = {ShardForm::Padded, MemoryOrder::ColumnMajor};
      options.target = {form, order};
      executeAndCheck(planned(
          R"(7x10x5xf32 <["x"=2, "y"=4]> [{"x"}, {"y"}, {}] -> [{}, {"y", "x"}, {}])", options));
      executeAndCheck(planned(R"(7x10xf32 <["x"=4]> [{"x"}, {}] -> [{"x"}, {}])", options));
    }
  }
}

TEST(ExecuteHereTest, anotherMeshAndOtherDevices) {
  executeAndCheck(planned(R"(6x8xf32 <["x"=2, "y"=3]> [{"x"}, {"y"}] -> <["z"=4]> [{}, {"z"}])"));
  executeAndCheck(planned(
      R"(6x8xf32 <["x"=4]> [{"x"}, {}] -> <["x"=4], device_ids=[3, 1, 0, 2]> [{"x"}, {}])"));
  executeAndCheck(
      planned(R"(6x8xf32 <["x"=2]> [{"x"}, {}] -> <["x"=2], device_ids=[7, 9]> [{}, {"x"}])"));
}

/// Fills the sources with I32 values and checks the sums.
ReshardTraffic executeSums(std::string_view text) {
  ReshardOptions options;
  options.type = runtime::DataType::I32;
  PlannedReshard reshard = planned(text, options);
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  Result<ReshardTraffic> traffic = reshard.execute(sources.readable(), targets.writable());
  EXPECT_TRUE(traffic.ok()) << (traffic.ok() ? "" : traffic.error().message);
  EXPECT_EQ(testing::differenceOfSums(reshard, sources, targets), "") << text;
  int64_t scratchLimit = reshard.plan().peakBytes * static_cast<int64_t>(reshard.source().size());
  EXPECT_LE(traffic->scratchBytes, scratchLimit);
  return traffic.ok() ? *traffic : ReshardTraffic();
}

TEST(ExecuteHereTest, partialValuesAreCombined) {
  executeSums(R"(8x6xi32 <["x"=4]> [{}, {}], unreduced={"x"} -> [{}, {}])");
  executeSums(R"(8x6xi32 <["x"=4]> [{}, {}], unreduced={"x"} -> [{"x"}, {}])");
  executeSums(R"(8x6xi32 <["x"=2, "y"=4]> [{"y"}, {}], unreduced={"x"} -> [{"x"}, {"y"}])");
  executeSums(R"(7x5xi32 <["x"=2, "y"=3]> [{"y"}, {}], unreduced={"x"} -> [{}, {"y"}])");
  executeSums(
      R"(7x5xi32 <["x"=2, "y"=3]> [{}, {}], unreduced={"x", "y"} -> [{"y"}, {}], unreduced={"x"})");
  executeSums(R"(600x500xi32 <["x"=2, "y"=4]> [{"y"}, {}], unreduced={"x"} -> [{}, {"y"}])");
}

TEST(ExecuteHereTest, aSumIntoOneBufferIsTakenOnce) {
  ReshardOptions options;
  options.type = runtime::DataType::I32;
  PlannedReshard reshard = planned(R"(8xi32 <["x"=4]> [{}], unreduced={"x"} -> [{}])", options);
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  Result<ReshardTraffic> apart = reshard.execute(sources.readable(), targets.writable());
  ASSERT_TRUE(apart.ok());
  // As many bytes as an all_reduce: 2 * 32 * 3 / 4 on each device.
  int64_t total = 0;
  for (int64_t bytes : apart->receivedBytes.front())
    total += bytes;
  EXPECT_EQ(total, 4 * reshard.plan().receivedBytes);
  std::vector<std::byte *> shared(4, targets.bytes[0].data());
  Result<ReshardTraffic> together = reshard.execute(sources.readable(), shared);
  ASSERT_TRUE(together.ok());
  EXPECT_EQ(together->writtenBytes, 32);
}

TEST(ExecuteHereTest, missingBuffersAreRefused) {
  PlannedReshard reshard = planned(R"(8xf32 <["x"=2]> [{"x"}] -> [{}])");
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  std::vector<const std::byte *> from = sources.readable();
  std::vector<std::byte *> to = targets.writable();
  EXPECT_EQ(refusal(reshard, {from[0]}, to),
            "1 source buffers for a mesh of 2 devices; expected one for each, by mesh position");
  EXPECT_EQ(refusal(reshard, from, {to[0], nullptr}),
            "device 1 has no target buffer; expected 32 B for the box at [0] of size [8]");
}

TEST(ExecuteHereTest, buffersThatOverlapAreRefused) {
  PlannedReshard reshard = planned(R"(8xf32 <["x"=2]> [{"x"}] -> [{}])");
  DeviceBuffers sources = sourceBuffers(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  std::vector<const std::byte *> from = sources.readable();
  std::vector<std::byte *> to = targets.writable();
  EXPECT_NE(refusal(reshard, {from[0], from[0]}, to).find("are one, but these devices"),
            std::string::npos)
      << "two sources with different parts";
  EXPECT_NE(refusal(reshard, {to[0], from[1]}, to).find("overlap; a target may only be"),
            std::string::npos);
  std::vector<std::byte> both(64);
  EXPECT_NE(refusal(reshard, from, {both.data(), both.data() + 16}).find("apart from each other"),
            std::string::npos);
}

TEST(ExecuteHereTest, sumsNeedATypeThatAddsUp) {
  planner::ReshardProblem problem = problemOf(R"(8xf32 <["x"=2]> [{}], unreduced={"x"} -> [{}])");
  Result<PlannedReshard> untyped = PlannedReshard::plan(problem);
  ASSERT_FALSE(untyped.ok());
  EXPECT_EQ(untyped.error().message, "partial values are combined on the way, of elements of "
                                     "unknown type; give their type");
  ReshardOptions options;
  options.type = runtime::DataType::F64;
  Result<PlannedReshard> other = PlannedReshard::plan(problem, options);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "elements of 4 B are to be of type f64, which has 8 B");
}

TEST(ExecuteHereTest, memoryLimitsAreThoseOfThePlan) {
  planner::ReshardProblem problem = problemOf(R"(8x8xf32 <["x"=4]> [{"x"}, {}] -> [{}, {}])");
  problem.memoryLimitBytes = 64 + 256;
  EXPECT_TRUE(PlannedReshard::plan(problem).ok());
  problem.memoryLimitBytes = 64 + 255;
  Result<PlannedReshard> refused = PlannedReshard::plan(problem);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Infeasible);
}

} // namespace
} // namespace shardwise::resharding
