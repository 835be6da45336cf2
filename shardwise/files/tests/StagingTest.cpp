// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call finds that another one has left, killed at any point.

#include "shardwise/files/Staging.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace shardwise::files {
namespace {

namespace fs = std::filesystem;

class StagingTest : public testing::Test {
protected:
  StagingTest() : folder(fs::temp_directory_path() / ("staging" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~StagingTest() override { fs::remove_all(folder); }

  std::string output() const { return (folder / "out.npy").string(); }

  void write(const std::string &name, const std::string &text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }

  /// What a call leaves that was killed when it had made its files.
  void beginAndLeave(const std::string &done) const {
    OutputPlan plan;
    plan.files.push_back({"out.npy", "header", 10});
    Result<Staging> staging = Staging::begin(output(), work);
    ASSERT_TRUE(staging.ok()) << staging.error().message;
    ASSERT_TRUE(staging->makeFiles(plan).ok());
    staging->keep();
    write("out.npy.partial/done.0", done);
  }

  std::set<size_t> doneTensors() const {
    Result<Staging> staging = Staging::begin(output(), work);
    EXPECT_TRUE(staging.ok()) << staging.error().message;
    staging->keep();
    return staging->doneTensors();
  }

  /// The journal of a call that was killed after `lines`.
  void writeJournal(const std::string &lines) const {
    write("out.npy.partial/journal",
          fmt::format("shardwise reshard 1\nrequest r\ninput i\nfiles\n{}", lines));
  }

  fs::path folder;
  StagedWork work{"r", "i"};
};

TEST_F(StagingTest, aNumberThatWasCutOffIsNotDoneNorLater) {
  beginAndLeave("0\n1");
  EXPECT_EQ(doneTensors(), std::set<size_t>{0});
  EXPECT_EQ(doneTensors(), std::set<size_t>{0});
}

TEST_F(StagingTest, otherWorkBeginsAnew) {
  beginAndLeave("0\n");
  work.input = "other";
  EXPECT_EQ(doneTensors(), std::set<size_t>{});
}

TEST_F(StagingTest, aCommitThatWasCutOffIsNoneNorContinued) {
  beginAndLeave("");
  std::ofstream(folder / "out.npy.partial/journal", std::ios::app) << "commit 12";
  Result<bool> recovered = Staging::recover(output(), "r");
  ASSERT_TRUE(recovered.ok());
  EXPECT_FALSE(*recovered);
  {
    Result<Staging> staging = Staging::begin(output(), work);
    ASSERT_TRUE(staging.ok());
    ASSERT_TRUE(staging->commitFile("out.npy").ok());
  }
  EXPECT_TRUE(fs::exists(output()));
  EXPECT_FALSE(fs::exists(folder / "out.npy.partial"));
}

TEST_F(StagingTest, aChecksumThatHasItsNameAlreadyStays) {
  write("out.npy", "new");
  write("out.npy.crc32", "of the new one");
  fs::create_directories(folder / "out.npy.partial/files");
  writeJournal("commit 1 out.npy\n");
  Result<bool> recovered = Staging::recover(output(), "r");
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  EXPECT_TRUE(*recovered);
  EXPECT_TRUE(fs::exists(folder / "out.npy.crc32"));
  EXPECT_FALSE(fs::exists(folder / "out.npy.partial"));
}

TEST_F(StagingTest, theChecksumOfTheFileBeforeGoes) {
  write("out.npy", "old");
  write("out.npy.crc32", "of the old one");
  write("out.npy.partial/files/out.npy", "new");
  writeJournal("without-checksum\ncommit 1 out.npy\n");
  ASSERT_TRUE(Staging::recover(output(), "r").ok());
  EXPECT_FALSE(fs::exists(folder / "out.npy.crc32"));
  std::string text;
  std::getline(std::ifstream(output()), text);
  EXPECT_EQ(text, "new");
}

} // namespace
} // namespace shardwise::files
