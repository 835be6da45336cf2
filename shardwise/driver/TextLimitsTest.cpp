// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/driver/TextLimits.h"

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

TEST(TextLimitsTest, countsBracketsOfAllKinds) {
  EXPECT_FALSE(findTextError("([{<>}])", 4));
  auto error = findTextError("ab\n ([{<[]>}])", 4);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->line, 2);
  EXPECT_EQ(error->column, 6);
  EXPECT_NE(error->message.find("deeper than 4 brackets"), std::string::npos) << error->message;
}

TEST(TextLimitsTest, countsWhatIsOpenAndNotWhatWasThere) {
  EXPECT_FALSE(findTextError(repeat("([{<>}])", 1000), 4));
  EXPECT_TRUE(findTextError(repeat("()", 1000) + "((", 1));
}

TEST(TextLimitsTest, skipsStringsAndComments) {
  EXPECT_FALSE(findTextError("\"(((\\\"((\" ( // ((((\n)", 1));
  EXPECT_FALSE(findTextError("// (((", 1));
  EXPECT_FALSE(findTextError("\"(((", 1));
  EXPECT_TRUE(findTextError("\"a\" // b\n((", 1));
  EXPECT_TRUE(findTextError("\"unfinished\n((", 1)) << "a string ends with its line";
}

TEST(TextLimitsTest, anglesOfArrowsAndComparisonsAreNoBrackets) {
  EXPECT_FALSE(findTextError(repeat("() -> () <= >= ", 1000), 1));
  EXPECT_FALSE(findTextError(repeat("<(d0) : (d0 >= 0)>", 1000), 2));
}

TEST(TextLimitsTest, numbersOfResults) {
  EXPECT_FALSE(findTextError("%0#1, %a#100000, %0 #7 #map4294967296 \"#4294967296\""));
  auto error = findTextError("f {\n  return %0#4294967296 : i1");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->line, 2);
  EXPECT_EQ(error->column, 12);
  EXPECT_EQ(error->message, "result number 4294967296 is beyond 100000, which is the limit; name a "
                            "result that the op has");
  EXPECT_TRUE(findTextError("%0 #100001"));
  EXPECT_TRUE(findTextError("#" + std::string(100, '9')));
}

TEST(TextLimitsTest, longWords) {
  std::string limit(kMaxWordLength, '1');
  EXPECT_FALSE(findTextError(limit + " " + limit + "(" + limit + ")" + limit));
  EXPECT_FALSE(findTextError("\"" + limit + limit + "\" // " + limit + limit));
  for (const std::string &before : {std::string(), std::string("a, "), limit + " ", limit + "<"})
    for (const char *after : {"", " b", ">"}) {
      auto error = findTextError("\n" + before + limit + "x" + after);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->line, 2);
      EXPECT_EQ(error->column, static_cast<int64_t>(before.size()) + 1);
    }
}

TEST(TextLimitsTest, bytecodeHasNoBrackets) {
  EXPECT_FALSE(findTextError("ML\xefR((((", 1));
}

/// Returns `depth` from as many calls in each other, each with a frame of more than 1 KiB.
size_t recurse(size_t depth) {
  volatile char frame[1024];
  frame[0] = 1;
  return depth == 0 ? 0 : recurse(depth - 1) + static_cast<size_t>(frame[0]);
}

TEST(TextLimitsTest, stackIsDeepHereAndInThreads) {
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
