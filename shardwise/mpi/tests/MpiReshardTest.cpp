// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshard plans executed by ranks in several processes: the bits of one process, and the bytes that
// were predicted.

#include "shardwise/resharding/PlannedReshard.h"
#include "test/support/resharding/ReshardTesting.h"
#include "test/support/runtime/RankTesting.h"

namespace shardwise::mpi {
namespace {

using resharding::PlannedReshard;
using resharding::ReshardTraffic;
using resharding::testing::DeviceBuffers;

PlannedReshard planned(std::string_view text) {
  resharding::ReshardOptions options;
  options.type = runtime::DataType::F32;
  auto result = PlannedReshard::plan(resharding::testing::problemOf(text), options);
  EXPECT_TRUE(result.ok()) << text << (result.ok() ? "" : result.error().message);
  return *result;
}

/// Buffers of floats of very different sizes, so that sums show their order.
DeviceBuffers sourcesOf(const PlannedReshard &reshard) {
  DeviceBuffers sources(reshard.source(), 4);
  for (size_t position = 0; position < sources.bytes.size(); ++position) {
    int64_t partial = reshard.source()[position].partial;
    resharding::testing::forEachElement(
        reshard.source()[position], [&](const std::vector<int64_t> &index, int64_t offset) {
          int64_t number = resharding::testing::numberOf(index, reshard.problem().shape);
          float value = static_cast<float>((number * 7919 + partial * 104'729) % 1'000) *
                        (partial % 3 == 0 ? 1e6F : 1e-3F);
          std::memcpy(sources.bytes[position].data() + offset, &value, sizeof(value));
        });
  }
  return sources;
}

Error wrong(std::string what) {
  return {ErrorKind::Internal, std::move(what)};
}

/// Runs on `numRanks` ranks, to which devices are dealt in turn; each rank looks at its own
/// devices.
Result<void> executeAndCompare(const PlannedReshard &reshard, int64_t numRanks,
                               const DeviceBuffers &expected) {
  auto rankOf = [&](core::DeviceId id) { return id % numRanks; };
  DeviceBuffers sources = sourcesOf(reshard);
  DeviceBuffers targets(reshard.target(), 4);
  return runtime::testing::runTested(
      numRanks, std::chrono::seconds(30), [&](runtime::Communicator &communicator) -> Result<void> {
        auto from = sources.readable();
        auto to = targets.writable();
        std::vector<size_t> own;
        for (size_t position = 0; position < from.size(); ++position)
          if (rankOf(reshard.source()[position].device) != communicator.rank())
            from[position] = nullptr;
        for (size_t position = 0; position < to.size(); ++position)
          if (rankOf(reshard.target()[position].device) != communicator.rank())
            to[position] = nullptr;
          else
            own.push_back(position);
        Result<ReshardTraffic> traffic = reshard.execute(communicator, from, to, rankOf);
        if (!traffic)
          return traffic.error();
        for (size_t position : own)
          if (targets.bytes[position] != expected.bytes[position])
            return wrong(fmt::format("the device at {} holds something else", position));
        for (size_t step = 0; step < reshard.steps().steps.size(); ++step) {
          std::vector<int64_t> predicted = resharding::receivedBytes(reshard.steps(), step);
          for (size_t position = 0; position < predicted.size(); ++position)
            if (rankOf(reshard.steps().states[step + 1][position].device) == communicator.rank() &&
                traffic->receivedBytes[step][position] != predicted[position])
              return wrong(fmt::format("the device at {} received {} B in step {}, expected {}",
                                       position, traffic->receivedBytes[step][position], step,
                                       predicted[position]));
        }
        return {};
      });
}

TEST(MpiReshardTest, plansGiveTheBitsAndBytesOfOneProcess) {
  for (const char *text :
       {R"(64x48xf32 <["x"=8]> [{"x"}, {}] -> [{}, {"x"}])",
        R"(64x48xf32 <["x"=2, "y"=4]> [{"x"}, {"y"}] -> [{"y"}, {"x"}])",
        R"(64x48xf32 <["x"=2, "y"=4]> [{"x", "y"}, {}] -> [{"y"}, {}])",
        R"(37x5xf32 <["x"=8]> [{}, {}], unreduced={"x"} -> [{}, {}])",
        R"(64x50xf32 <["x"=2, "y"=4]> [{}, {}], unreduced={"x", "y"} -> [{"x"}, {}])",
        R"(33x7xf32 <["x"=4, "y"=2]> [{"y"}, {}], unreduced={"x"} -> [{}, {"y"}])",
        R"(300x200xf32 <["x"=4]> [{"x"}, {}] -> <["y"=8]> [{}, {"y"}])",
        R"(500x300xf32 <["x"=3]> [{"x"}, {}] -> [{}, {"x"}])"}) {
    PlannedReshard reshard = planned(text);
    DeviceBuffers expected(reshard.target(), 4);
    DeviceBuffers sources = sourcesOf(reshard);
    ASSERT_TRUE(reshard.execute(sources.readable(), expected.writable()).ok()) << text;
    for (int64_t numRanks : {2, 3, 4, 6, 8}) {
      Result<void> done = executeAndCompare(reshard, numRanks, expected);
      EXPECT_TRUE(done.ok()) << text << " on " << numRanks << " ranks: " << done.error().message;
    }
  }
}

} // namespace
} // namespace shardwise::mpi
