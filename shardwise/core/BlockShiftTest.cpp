// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifts of blocks: the example of the header, and that every device finds its block.

#include "shardwise/core/BlockShift.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardwise::core {
namespace {

using Direction = BlockShift::Direction;

TEST(BlockShiftTest, oneElementIsTakenFromTheNeighbour) {
  std::optional<BlockShift> widen = blockShift(10, 2, 3, Direction::Widen);
  ASSERT_TRUE(widen);
  EXPECT_EQ(widen->narrow, 5);
  EXPECT_EQ(widen->wide, 6);
  EXPECT_EQ(widen->taken, std::vector<int64_t>{1});
  std::optional<BlockShift> narrow = blockShift(10, 2, 3, Direction::Narrow);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->taken, std::vector<int64_t>{1});
  // GPT-2's vocabulary on four devices, cut in two.
  EXPECT_EQ(blockShift(50257, 4, 2, Direction::Narrow)->taken, std::vector<int64_t>{3});
}

TEST(BlockShiftTest, alignedCutsNeedNone) {
  EXPECT_FALSE(blockShift(12, 2, 3, Direction::Widen));
  EXPECT_FALSE(blockShift(10, 1, 3, Direction::Widen));
  EXPECT_FALSE(blockShift(1, 4, 3, Direction::Narrow));
}

/// The block [start, start + width) with -1 behind the end of the dimension.
std::vector<int64_t> blockAt(int64_t start, int64_t width, int64_t size) {
  std::vector<int64_t> block;
  for (int64_t i = start; i < start + width; ++i)
    block.push_back(i < size ? i : -1);
  return block;
}

TEST(BlockShiftTest, everyDeviceFindsItsBlock) {
  for (int64_t size = 1; size <= 40; ++size)
    for (int64_t blocks = 1; blocks <= 9; ++blocks)
      for (int64_t parts = 2; parts <= 9; ++parts)
        for (Direction direction : {Direction::Widen, Direction::Narrow}) {
          std::optional<BlockShift> shift = blockShift(size, blocks, parts, direction);
          if (!shift)
            continue;
          SCOPED_TRACE(testing::Message() << size << " in " << blocks << " by " << parts);
          bool widens = direction == Direction::Widen;
          int64_t own = widens ? shift->narrow : shift->wide;
          int64_t wanted = widens ? shift->wide : shift->narrow;
          for (int64_t a = 0; a * wanted < size; ++a) {
            std::vector<int64_t> together = blockAt(a * own, own, size);
            for (size_t i = 0; i < shift->taken.size(); ++i) {
              int64_t hop = static_cast<int64_t>(i) + 1, from = widens ? a + hop : a - hop;
              // Who has no such neighbour gets anything.
              std::vector<int64_t> piece(own, -1);
              if (from >= 0 && from < blocks)
                piece = blockAt(from * own, own, size);
              if (widens)
                together.insert(together.end(), piece.begin(), piece.begin() + shift->taken[i]);
              else
                together.insert(together.begin(), piece.end() - shift->taken[i], piece.end());
            }
            together.resize(std::max<size_t>(together.size(), shift->reach), -1);
            int64_t start = shift->firstStart + a * shift->startStep;
            ASSERT_GE(start, 0);
            ASSERT_LE(start + wanted, static_cast<int64_t>(together.size()));
            std::vector<int64_t> expected = blockAt(a * wanted, wanted, size);
            for (int64_t i = 0; i < wanted; ++i)
              if (expected[i] >= 0)
                ASSERT_EQ(together[start + i], expected[i]) << "block " << a << " element " << i;
          }
        }
}

TEST(BlockShiftTest, bytesAreThoseOfThePieces) {
  Mesh mesh = *parseMesh(R"(["x"=2, "y"=3])");
  auto sharding = [&](const char *text) { return *resolve(*parseSharding(text), mesh); };
  // One of five rows of 4 f32.
  EXPECT_EQ(
      handedOverBytes(sharding(R"([{"x"}, {}])"), sharding(R"([{"x", "y"}, {}])"), {10, 4}, 4), 16);
  EXPECT_EQ(
      handedOverBytes(sharding(R"([{"x", "y"}, {}])"), sharding(R"([{"x"}, {}])"), {10, 4}, 4), 16);
  // An all_to_all gives rows back to blocks of five when the columns are cut already.
  EXPECT_EQ(
      handedOverBytes(sharding(R"([{"x", "y"}, {}])"), sharding(R"([{"x"}, {"y"}])"), {10, 4}, 4),
      8);
  EXPECT_EQ(
      handedOverBytes(sharding(R"([{"x"}, {}])"), sharding(R"([{"x", "y"}, {}])"), {12, 4}, 4), 0);
}

} // namespace
} // namespace shardwise::core
