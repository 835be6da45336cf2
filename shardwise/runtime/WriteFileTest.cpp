// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/runtime/WriteFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace shardwise::runtime {
namespace {

namespace fs = std::filesystem;

class WriteFileTest : public testing::Test {
protected:
  void SetUp() override {
    folder =
        fs::temp_directory_path() / ("shardwise-write-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string pathOf(const char *name) const { return (folder / name).string(); }
  static std::string textOf(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t numFiles() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  fs::path folder;
};

TEST_F(WriteFileTest, replacesAndLeavesNothingBeside) {
  std::string path = pathOf("a");
  ASSERT_TRUE(writeFile(path, {"first, longer"}));
  ASSERT_TRUE(writeFile(path, {"sec", "ond"}));
  EXPECT_EQ(textOf(path), "second");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(WriteFileTest, severalFilesAppearTogether) {
  ASSERT_TRUE(writeFile(pathOf("a"), {"before"}));
  fs::create_symlink("target", pathOf("link"));
  fs::create_symlink("target", pathOf("other link"));
  PendingFiles files;
  for (const char *name : {"a", "b", "link", "other link"})
    ASSERT_TRUE(files.add(pathOf(name), {"new ", name}));
  EXPECT_EQ(textOf(pathOf("a")), "before");
  EXPECT_FALSE(fs::exists(pathOf("b")) || fs::exists(pathOf("target")));
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(textOf(pathOf("a")), "new a");
  EXPECT_EQ(textOf(pathOf("b")), "new b");
  EXPECT_EQ(textOf(pathOf("target")), "new other link");
  EXPECT_EQ(numFiles(), 5u);
}

TEST_F(WriteFileTest, ofSeveralFilesNoneAppearsIfOneCannotBeWritten) {
  ASSERT_TRUE(writeFile(pathOf("a"), {"before"}));
  fs::create_symlink("/dev/full", pathOf("full"));
  {
    PendingFiles files;
    ASSERT_TRUE(files.add(pathOf("a"), {"new"}));
    ASSERT_TRUE(files.add(pathOf("b"), {"new"}));
    EXPECT_FALSE(files.add(pathOf("full"), {"new"}));
  }
  EXPECT_EQ(textOf(pathOf("a")), "before");
  EXPECT_EQ(numFiles(), 2u);
}

TEST_F(WriteFileTest, ofSeveralFilesNoneStaysIfOneCannotGetItsName) {
  PendingFiles files;
  for (const char *name : {"a", "b", "c"})
    ASSERT_TRUE(files.add(pathOf(name), {"new"}));
  fs::create_directory(pathOf("b"));
  Result<void> committed = files.commit();
  ASSERT_FALSE(committed);
  EXPECT_NE(committed.error().message.find("b': Is a directory"), std::string::npos);
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(WriteFileTest, followsLinks) {
  fs::create_symlink("target", pathOf("link"));
  ASSERT_TRUE(writeFile(pathOf("link"), {"text"}));
  EXPECT_TRUE(fs::is_symlink(pathOf("link")));
  EXPECT_EQ(textOf(pathOf("target")), "text");
}

TEST_F(WriteFileTest, writesIntoADeviceAndNeverReplacesIt) {
  fs::create_symlink("/dev/full", pathOf("full"));
  Result<void> written = writeFile(pathOf("full"), {"text"});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("No space left"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_TRUE(fs::is_symlink(pathOf("full")));
  EXPECT_EQ(partialName("/dev/null"), "");
}

TEST_F(WriteFileTest, namesThePathThatWasGiven) {
  std::string path = pathOf("none/a");
  Result<void> written = writeFile(path, {"text"});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write '" + path + "': No such file or directory");
  EXPECT_FALSE(writeFile(folder.string(), {"text"}));
  EXPECT_EQ(numFiles(), 0u);
}

} // namespace
} // namespace shardwise::runtime
