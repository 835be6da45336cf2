// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles against elements; of the worked swaps: volumes, index maps and drawing.

#include "shardwise/planner/model/Tiles.h"

#include "shardwise/planner/tests/PlanTesting.h"
#include "shardwise/planner/verify/MeasurePlan.h"
#include <set>

namespace shardwise::planner {
namespace {

constexpr std::string_view k2x3 = R"(["a"=2, "b"=3])";

TEST(TilesTest, agreeWithElements) {
  for (int64_t size = 0; size <= 24; ++size) {
    for (int64_t source = 1; source <= 7; ++source) {
      for (int64_t target = 1; target <= 7; ++target) {
        std::vector<TileInterval> tiles = tileIntervals(size, source, target);
        int64_t next = 0;
        for (const TileInterval &tile : tiles) {
          EXPECT_EQ(tile.begin, next);
          EXPECT_GT(tile.size(), 0);
          next = tile.end;
          int64_t sourceSize = (size + source - 1) / source;
          int64_t targetSize = (size + target - 1) / target;
          for (int64_t i = tile.begin; i < tile.end; ++i) {
            EXPECT_EQ(i / sourceSize, tile.sourceBlock);
            EXPECT_EQ(i / targetSize, tile.targetBlock);
          }
          BlockRange met = blocksMeeting(size, target, tile.targetBlock, source);
          EXPECT_LE(met.first, tile.sourceBlock);
          EXPECT_GE(met.last, tile.sourceBlock);
        }
        EXPECT_EQ(next, size);
      }
    }
  }
}

TEST(TilesTest, cutPatternOfThreeAndTwo) {
  std::vector<int64_t> lengths;
  for (const TileInterval &tile : tileIntervals(6, 2, 3))
    lengths.push_back(tile.size());
  EXPECT_EQ(lengths, (std::vector<int64_t>{2, 1, 1, 2}));
}

TEST(TilesTest, volumesOfTheSwap) {
  // Tiles, messages, largest and total bytes.
  struct Case {
    std::string_view mesh;
    core::Shape shape;
    int64_t tiles, messages, largest, total;
  };
  for (const Case &c : {Case{k2x3, {6, 6}, 16, 12, 6, 26},
                        {R"(["a"=2, "b"=6])", {12, 12}, 36, 30, 12, 120},
                        {R"(["a"=3, "b"=4])", {16, 23}, 30, 25, 32, 296}}) {
    ReshardProblem problem =
        testing::problemOf(c.mesh, c.shape, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
    int64_t rows = problem.mesh.axisSize(0);
    int64_t columns = problem.mesh.axisSize(1);
    EXPECT_EQ(static_cast<int64_t>(tileIntervals(c.shape[0], rows, columns).size() *
                                   tileIntervals(c.shape[1], columns, rows).size()),
              c.tiles);
    Placement before(problem, problem.source, OnMesh::Source);
    Placement after(problem, problem.target, OnMesh::Target);
    EXPECT_EQ(static_cast<int64_t>(exchangeMessages(problem, before, after).size()), c.messages);
    MissingBytes missing = missingBetween(problem, before, after);
    EXPECT_EQ(missing.largest, c.largest);
    EXPECT_EQ(missing.total, c.total);
  }
}

TEST(TilesTest, compositionOfTheSwap) {
  // t[13, 17] of 16x23 is at [1, 5] of source device (2, 2) and at [1, 1] of target device (2, 3).
  TileInterval rows = tileInterval(16, 3, 2, 4, 3);
  TileInterval columns = tileInterval(23, 4, 2, 3, 2);
  EXPECT_TRUE(rows.begin <= 13 && 13 < rows.end);
  EXPECT_TRUE(columns.begin <= 17 && 17 < columns.end);
  EXPECT_EQ(13 - rows.begin + rows.sourceOffset, 1);
  EXPECT_EQ(17 - columns.begin + columns.sourceOffset, 5);
  EXPECT_EQ(13 - rows.begin + rows.targetOffset, 1);
  EXPECT_EQ(17 - columns.begin + columns.targetOffset, 1);
}

TEST(TilesTest, elementsOfTheUnevenSwap) {
  // E7: where element (i, j) of a KxL tensor is on an MxN mesh before and after the swap.
  struct Case {
    int64_t rows, columns, meshRows, meshColumns, i, j;
    std::vector<int64_t> source, target; // Device coordinates, then the index in its shard.
  };
  for (const Case &c : {Case{16, 23, 3, 4, 13, 17, {2, 2, 1, 5}, {2, 3, 1, 1}},
                        {27, 14, 5, 2, 19, 9, {3, 1, 1, 2}, {3, 1, 5, 0}}}) {
    TileInterval rows, columns;
    for (const TileInterval &tile : tileIntervals(c.rows, c.meshRows, c.meshColumns))
      rows = tile.begin <= c.i && c.i < tile.end ? tile : rows;
    for (const TileInterval &tile : tileIntervals(c.columns, c.meshColumns, c.meshRows))
      columns = tile.begin <= c.j && c.j < tile.end ? tile : columns;
    EXPECT_EQ((std::vector<int64_t>{rows.sourceBlock, columns.sourceBlock,
                                    c.i - rows.begin + rows.sourceOffset,
                                    c.j - columns.begin + columns.sourceOffset}),
              c.source);
    EXPECT_EQ((std::vector<int64_t>{columns.targetBlock, rows.targetBlock,
                                    c.i - rows.begin + rows.targetOffset,
                                    c.j - columns.begin + columns.targetOffset}),
              c.target);
  }
  // Element (9, 19) of 27x14 does not exist, nor does device (6, 0) of 5x2.
}

TEST(TilesTest, tilesOfTheUnevenSwap) {
  // E7, 16x23 on 3x4: cuts of rows and columns, and the volumes.
  auto cuts = [](int64_t size, int64_t source, int64_t target) {
    std::vector<int64_t> result = {0};
    for (const TileInterval &tile : tileIntervals(size, source, target))
      result.push_back(tile.end);
    return result;
  };
  EXPECT_EQ(cuts(16, 3, 4), (std::vector<int64_t>{0, 4, 6, 8, 12, 16}));
  EXPECT_EQ(cuts(23, 4, 3), (std::vector<int64_t>{0, 6, 8, 12, 16, 18, 23}));
  ReshardProblem problem =
      testing::problemOf(R"(["a"=3, "b"=4])", {16, 23}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
  MissingBytes missing = missingBetween(problem, Placement(problem, problem.source, OnMesh::Source),
                                        Placement(problem, problem.target, OnMesh::Target));
  EXPECT_EQ(missing.largest, 32);
  EXPECT_EQ(missing.total, 296);
  EXPECT_EQ(16 * 23 - missing.total, 72);
}

TEST(TilesTest, drawingOfTheTiles) {
  // E8: the 16 tiles of the swap on 2x3, row by row: "source device > target device".
  const std::vector<std::string> drawing = {"11>11 12>11 12>21 13>21", "11>12 12>12 12>22 13>22",
                                            "21>12 22>12 22>22 23>22", "21>13 22>13 22>23 23>23"};
  std::vector<TileInterval> rows = tileIntervals(6, 2, 3);
  std::vector<TileInterval> columns = tileIntervals(6, 3, 2);
  std::vector<std::string> found;
  std::set<std::string> moving;
  for (const TileInterval &row : rows) {
    std::string line;
    for (const TileInterval &column : columns) {
      std::string source = fmt::format("{}{}", row.sourceBlock + 1, column.sourceBlock + 1);
      std::string target = fmt::format("{}{}", column.targetBlock + 1, row.targetBlock + 1);
      line += fmt::format("{}{}>{}", line.empty() ? "" : " ", source, target);
      if (source != target)
        moving.insert(fmt::format("{}>{} {}x{}", source, target, row.size(), column.size()));
    }
    found.push_back(line);
  }
  EXPECT_EQ(found, drawing);
  EXPECT_EQ(moving.size(), 12U);
  // The messages of the exchange are the tiles that move.
  ReshardProblem problem =
      testing::problemOf(k2x3, {6, 6}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
  std::set<std::string> sent;
  auto nameOf = [](core::DeviceId device) {
    return fmt::format("{}{}", device / 3 + 1, device % 3 + 1);
  };
  for (const Message &message :
       exchangeMessages(problem, Placement(problem, problem.source, OnMesh::Source),
                        Placement(problem, problem.target, OnMesh::Target))) {
    sent.insert(fmt::format("{}>{} {}x{}", nameOf(message.source), nameOf(message.target),
                            message.box.size[0], message.box.size[1]));
  }
  EXPECT_EQ(sent, moving);
}

} // namespace
} // namespace shardwise::planner
