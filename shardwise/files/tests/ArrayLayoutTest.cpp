// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/ArrayLayout.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

namespace shardwise::files {
namespace {

TensorCut cutOf(const std::string &mesh, const std::string &sharding,
                std::optional<Segments> segments = std::nullopt) {
  TensorCut cut{*core::parseMesh(mesh), {}, std::move(segments)};
  cut.sharding = *core::resolve(*core::parseSharding(sharding), cut.mesh);
  return cut;
}

TEST(ArrayLayoutTest, paddingIsNoPart) {
  TensorCut cut = cutOf(R"(["x"=3])", R"([{"x"}, {}])");
  EXPECT_EQ(arrayLayout({4, 5}, cut, 0), (ArrayLayout{{2, 5}, {{{{0, 0}, {2, 5}}, {0, 0}}}}));
  EXPECT_EQ(arrayLayout({4, 5}, cut, 2), (ArrayLayout{{0, 5}, {}}));
}

TEST(ArrayLayoutTest, segmentsAreCutEachForItself) {
  // q of 4, k and v of 2, over 2 devices: the second has elements 2-3, 5 and 7.
  TensorCut cut = cutOf(R"(["x"=2])", R"([{"x"}])", Segments{0, {4, 2, 2}});
  EXPECT_EQ(arrayLayout({8}, cut, 1),
            (ArrayLayout{{4}, {{{{2}, {2}}, {0}}, {{{5}, {1}}, {2}}, {{{7}, {1}}, {3}}}}));
}

TEST(ArrayLayoutTest, emptySegmentsAreNoPart) {
  TensorCut cut = cutOf(R"(["x"=2])", R"([{}, {"x"}])", Segments{1, {3, 0, 1}});
  EXPECT_EQ(arrayLayout({2, 4}, cut, 1), (ArrayLayout{{2, 1}, {{{{0, 2}, {2, 1}}, {0, 0}}}}));
}

TEST(ArrayLayoutTest, wrongCutsAreRefused) {
  EXPECT_EQ(checkCut({8}, cutOf(R"(["x"=2])", R"([{"x"}, {}])")).error().message,
            R"(sharding [{"x"}, {}] is of 2 dimensions, the tensor has 1: [8])");
  EXPECT_EQ(checkCut({8}, cutOf(R"(["x"=2])", R"([{"x"}])", Segments{0, {4, 5}})).error().message,
            "segments of sizes [4, 5] do not add up to dimension 0, which has 8");
  EXPECT_EQ(checkCut({8}, cutOf(R"(["x"=2])", R"([{"x"}])", Segments{1, {8}})).error().message,
            "segments are of dimension 1, but the tensor has 1 dimensions");
}

TEST(ArrayLayoutTest, replicasHaveOneShardAndSummandsHaveSeveral) {
  TensorCut cut = cutOf(R"(["x"=2, "y"=2, "z"=2])", R"([{"z"}, {}], unreduced={"x"})");
  EXPECT_EQ(numSummands(cut), 2);
  EXPECT_EQ(shardId(cut, 0b000), (ShardId{0, 0}));
  EXPECT_EQ(shardId(cut, 0b010), (ShardId{0, 0}));
  EXPECT_EQ(shardId(cut, 0b001), (ShardId{1, 0}));
  EXPECT_EQ(shardId(cut, 0b110), (ShardId{0, 1}));
  EXPECT_EQ(numSummands(cutOf(R"(["x"=2])", R"([{"x"}])")), 1);
}

} // namespace
} // namespace shardwise::files
