// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/driver/NestingLimit.h"

#include <gtest/gtest.h>

#include <thread>

namespace shardwise::driver {
namespace {

std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(NestingLimitTest, countsBracketsOfAllKinds) {
  EXPECT_FALSE(findNestingError("([{<>}])", 4));
  auto error = findNestingError("ab\n ([{<[]>}])", 4);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->line, 2);
  EXPECT_EQ(error->column, 6);
  EXPECT_NE(error->message.find("deeper than 4 brackets"), std::string::npos) << error->message;
}

TEST(NestingLimitTest, countsWhatIsOpenAndNotWhatWasThere) {
  EXPECT_FALSE(findNestingError(repeat("([{<>}])", 1000), 4));
  EXPECT_TRUE(findNestingError(repeat("()", 1000) + "((", 1));
}

TEST(NestingLimitTest, skipsStringsAndComments) {
  EXPECT_FALSE(findNestingError("\"(((\\\"((\" ( // ((((\n)", 1));
  EXPECT_FALSE(findNestingError("// (((", 1));
  EXPECT_FALSE(findNestingError("\"(((", 1));
  EXPECT_TRUE(findNestingError("\"a\" // b\n((", 1));
  EXPECT_TRUE(findNestingError("\"unfinished\n((", 1)) << "a string ends with its line";
}

TEST(NestingLimitTest, anglesOfArrowsAndComparisonsAreNoBrackets) {
  EXPECT_FALSE(findNestingError(repeat("() -> () <= >= ", 1000), 1));
  EXPECT_FALSE(findNestingError(repeat("<(d0) : (d0 >= 0)>", 1000), 2));
}

TEST(NestingLimitTest, bytecodeHasNoBrackets) {
  EXPECT_FALSE(findNestingError("ML\xefR((((", 1));
}

/// Returns `depth` from as many calls in each other, each with a frame of more than 1 KiB.
size_t recurse(size_t depth) {
  volatile char frame[1024];
  frame[0] = 1;
  return depth == 0 ? 0 : recurse(depth - 1) + static_cast<size_t>(frame[0]);
}

TEST(NestingLimitTest, stackIsDeepHereAndInThreads) {
  constexpr size_t kDeep = 128 * 1024, kLessDeep = 32 * 1024; // each more than 1 KiB
  size_t here = 0, inThread = 0;
  runOnDeepStack([&] {
    here = recurse(kDeep);
    std::thread([&] { inThread = recurse(kLessDeep); }).join();
  });
  EXPECT_EQ(here, kDeep);
  EXPECT_EQ(inThread, kLessDeep);
}

} // namespace
} // namespace shardwise::driver
