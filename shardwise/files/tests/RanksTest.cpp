// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several ranks do one call together; threads stand for processes.

#include "shardwise/files/Ranks.h"
#include "shardwise/files/FileSet.h"
#include "shardwise/files/ReshardFiles.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "shardwise/runtime/NpyFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <unistd.h>

namespace shardwise::files {
namespace {

namespace fs = std::filesystem;
using runtime::Communicator;

class RanksTest : public testing::Test {
protected:
  RanksTest() : folder(fs::temp_directory_path() / ("ranks" + std::to_string(::getpid()))) {
    fs::create_directory(folder);
    std::vector<int32_t> values(30 * 14);
    std::iota(values.begin(), values.end(), 0);
    whole = runtime::HostTensor::of<int32_t>(runtime::DataType::I32, {30, 14}, values);
    EXPECT_TRUE(runtime::writeNpy(path("whole.npy"), whole).ok());
  }
  ~RanksTest() override { fs::remove_all(folder); }

  std::string path(const std::string &name) const { return (folder / name).string(); }

  Result<void> onRanks(int64_t numRanks, const std::string &input, const std::string &output,
                       ReshardFilesOptions options) {
    return runtime::runRanks(numRanks, std::chrono::seconds(20),
                             [=, this](Communicator &communicator) -> Result<void> {
                               ReshardFilesOptions own = options;
                               own.communicator = &communicator;
                               own.memoryBytes = 256;
                               auto report = reshardFiles(path(input), path(output), own);
                               if (!report)
                                 return report.error();
                               EXPECT_EQ(report->readBytes, 30 * 14 * 4);
                               return {};
                             });
  }

  fs::path folder;
  runtime::HostTensor whole;
};

TEST_F(RanksTest, allHearAll) {
  Result<void> run = runtime::runRanks(5, std::chrono::seconds(20), [](Communicator &communicator) {
    Ranks ranks(&communicator);
    for (int round = 0; round < 3; ++round) {
      auto texts = ranks.exchange("rank " + std::to_string(ranks.rank()));
      if (!texts)
        return Result<void>(texts.error());
      EXPECT_EQ(texts->size(), 5U);
      EXPECT_EQ(texts->back(), "rank 4");
    }
    return Result<void>();
  });
  EXPECT_TRUE(run.ok()) << run.error().message;
}

TEST_F(RanksTest, anyNumberOfRanksWritesTheSame) {
  for (int64_t numRanks : {1, 2, 3, 7}) {
    ReshardFilesOptions options;
    options.mesh = R"(["x"=5])";
    options.to = R"([{"x"}, {}])";
    Result<void> cut = onRanks(numRanks, "whole.npy", "rows", options);
    ASSERT_TRUE(cut.ok()) << cut.error().message;
    options.to = R"([{}, {"x"}])";
    Result<void> moved = onRanks(numRanks, "rows", "columns", options);
    ASSERT_TRUE(moved.ok()) << moved.error().message;
    Result<void> joined = onRanks(numRanks, "columns", "back.npy", {});
    ASSERT_TRUE(joined.ok()) << joined.error().message;
    Result<runtime::HostTensor> back = runtime::readNpy(path("back.npy"));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, whole);
    for (const char *left : {"rows", "columns", "back.npy"})
      fs::remove_all(folder / left);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  }
}

TEST_F(RanksTest, oneFailureEndsAllAndLeavesNothing) {
  ReshardFilesOptions options;
  options.mesh = R"(["x"=5])";
  options.to = R"([{"z"}, {}])";
  Result<void> run = onRanks(3, "whole.npy", "rows", options);
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().message.find(R"("z" is not in the mesh)"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

} // namespace
} // namespace shardwise::files
