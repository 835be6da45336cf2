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

TEST(NestingLimit, countsBracketsOfAllKinds) {
  EXPECT_FALSE(findNestingError("([{<>}])", 4));
  auto error = findNestingError("ab\n ([{<[]>}])", 4);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->line, 2);
  EXPECT_EQ(error->column, 6);
  EXPECT_NE(error->message.find("deeper than 4 brackets"), std::string::npos) << error->message;
}

TEST(NestingLimit, countsWhatIsOpenAndNotWhatWasThere) {
  EXPECT_FALSE(findNestingError(repeat("([{<>}])", 1000), 4));
  EXPECT_TRUE(findNestingError(repeat("()", 1000) + "((", 1));
}

TEST(NestingLimit, skipsStringsAndComments) {
  EXPECT_FALSE(findNestingError("\"(((\\\"((\" ( // ((((\n)", 1));
  EXPECT_FALSE(findNestingError("// (((", 1));
  EXPECT_FALSE(findNestingError("\"(((", 1));
  EXPECT_TRUE(findNestingError("\"a\" // b\n((", 1));
  EXPECT_TRUE(findNestingError("\"unfinished\n((", 1)) << "a string ends with its line";
}

TEST(NestingLimit, anglesOfArrowsAndComparisonsAreNoBrackets) {
  EXPECT_FALSE(findNestingError(repeat("() -> () <= >= ", 1000), 1));
  EXPECT_FALSE(findNestingError(repeat("<(d0) : (d0 >= 0)>", 1000), 2));
}

TEST(NestingLimit, bytecodeHasNoBrackets) {
  EXPECT_FALSE(findNestingError("ML\xefR((((", 1));
}

/// Bytes of stack that `depth` calls of this function take are touched.
size_t recurse(size_t depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : recurse(depth - 1) + 1 + static_cast<size_t>(frame[0] != frame[0]);
}

TEST(NestingLimit, stackIsDeepHereAndInThreads) {
  constexpr size_t kCalls = 64 * 1024; // more than 64 MiB
  size_t here = 0, inThread = 0;
  runOnDeepStack([&] {
    here = recurse(kCalls);
    std::thread([&] { inThread = recurse(kCalls); }).join();
  });
  EXPECT_EQ(here, kCalls);
  EXPECT_EQ(inThread, kCalls);
}

} // namespace
} // namespace shardwise::driver
