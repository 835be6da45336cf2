// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/Tiling.h"

#include <gtest/gtest.h>

#include <random>

namespace shardwise::files {
namespace {

TEST(TilingTest, tilesOfRowsAreWholeInside) {
  Tiling tiling({1000, 1000}, 4, 65536, FileOrder::RowMajor);
  EXPECT_EQ(tiling.size(), 63);
  EXPECT_EQ(tiling.tile(62), (core::Box{{992, 0}, {8, 1000}}));
  Tiling parts({3, 1000}, 4, 2048, FileOrder::RowMajor);
  EXPECT_EQ(parts.tile(1), (core::Box{{0, 500}, {1, 500}}));
}

TEST(TilingTest, tilesOfBothOrdersAreLongBothWays) {
  Tiling tiling({1000, 1000}, 4, 65536, FileOrder::Mixed);
  EXPECT_EQ(tiling.size(), 64);
  EXPECT_EQ(tiling.tile(0), (core::Box{{0, 0}, {125, 125}}));
  EXPECT_EQ(Tiling({}, 4, 1, FileOrder::Mixed).size(), 1);
  EXPECT_EQ(Tiling({5, 0}, 4, 64, FileOrder::Mixed).size(), 0);
}

TEST(TilingTest, tilesMakeUpTheTensorWithinTheLimit) {
  std::mt19937 random(1);
  for (int draw = 0; draw < 500; ++draw) {
    core::Shape shape(random() % 5);
    for (int64_t &size : shape)
      size = 1 + static_cast<int64_t>(random() % 9);
    int64_t bytes = 4 + static_cast<int64_t>(random() % 400);
    Tiling tiling(shape, 4, bytes, draw % 2 ? FileOrder::Mixed : FileOrder::RowMajor);
    int64_t elements = 0;
    for (int64_t i = 0; i < tiling.size(); ++i) {
      core::Box tile = tiling.tile(i);
      EXPECT_LE(tile.numElements() * 4, bytes);
      EXPECT_GT(tile.numElements(), 0);
      elements += tile.numElements();
      if (i > 0)
        EXPECT_EQ(core::intersect(tile, tiling.tile(i - 1)).numElements(), 0);
    }
    EXPECT_EQ(elements, core::numElements(shape));
  }
}

} // namespace
} // namespace shardwise::files
