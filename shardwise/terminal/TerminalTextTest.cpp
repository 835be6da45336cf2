// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/terminal/ByteText.h"
#include "shardwise/terminal/TextTable.h"
#include "shardwise/terminal/WrappedText.h"

#include <gtest/gtest.h>

namespace shardwise::terminal {
namespace {

TEST(ByteTextTest, theLargestUnitOfWhichThereIsOneIsTaken) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(1023), "1023 B");
  EXPECT_EQ(bytesText(1024), "1.0 KiB");
  EXPECT_EQ(bytesText(int64_t(5) << 40), "5.0 TiB");
  EXPECT_EQ(bytesText(int64_t(5) << 50), "5120.0 TiB");
}

TEST(SecondsTextTest, threeDigitsAreShown) {
  EXPECT_EQ(secondsText(0), "0.00 ns");
  EXPECT_EQ(secondsText(6.4e-9), "6.40 ns");
  EXPECT_EQ(secondsText(1.35e-3), "1.35 ms");
  EXPECT_EQ(secondsText(9.999e-4), "1.00 ms");
  EXPECT_EQ(secondsText(2.356e-4), "236 us");
  EXPECT_EQ(secondsText(42.04), "42.0 s");
}

TEST(WrappedTextTest, linesBreakAtBlanks) {
  EXPECT_EQ(wrapped("", {10, 0, 2}), "\n");
  EXPECT_EQ(wrapped("one two three", {8, 0, 2}), "one two\n  three\n");
  EXPECT_EQ(wrapped("one two", {20, 4, 2}), "    one two\n");
}

TEST(WrappedTextTest, longWordsStayWhole) {
  EXPECT_EQ(wrapped("a abcdefghij b", {5, 0, 1}), "a\n abcdefghij\n b\n");
}

TEST(WrappedTextTest, blanksWithinALineAreKept) {
  EXPECT_EQ(wrapped("  a   b", {20, 0, 0}), "  a   b\n");
}

TEST(TextTableTest, columnsAreAsWideAsTheirWidestCell) {
  using enum TextTable::Align;
  TextTable table({Left, Right});
  table.addRow({"a", "100"});
  table.addRow({"long", "1"});
  EXPECT_EQ(table.print(), "  a     100\n  long    1\n");
}

} // namespace
} // namespace shardwise::terminal
