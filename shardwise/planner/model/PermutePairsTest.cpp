// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pairs of a permute: a bijection that brings every device its block.

#include "shardwise/planner/model/PermutePairs.h"
#include "shardwise/planner/tests/PlanTesting.h"

#include <set>

namespace shardwise::planner {
namespace {

using testing::meshOf;
using testing::shardingOf;

/// Checks that `pairs` are a bijection that brings every target its block.
void expectRightPairs(const core::Mesh &mesh, const core::Sharding &before,
                      const core::Sharding &after) {
  Result<std::vector<DevicePair>> pairs = permutePairs(mesh, before, after);
  ASSERT_TRUE(pairs.ok());
  std::set<core::DeviceId> sources;
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    const DevicePair &pair = (*pairs)[position];
    EXPECT_EQ(pair.target, mesh.deviceAt(position));
    sources.insert(pair.source);
    int64_t sourcePosition = 0;
    while (mesh.deviceAt(sourcePosition) != pair.source)
      ++sourcePosition;
    bool keepsBlock = true;
    for (size_t dim = 0; dim < before.dims.size(); ++dim) {
      int64_t wanted = core::coordinateAlong(after.dims[dim].axes, mesh, position);
      EXPECT_EQ(core::coordinateAlong(before.dims[dim].axes, mesh, sourcePosition), wanted);
      keepsBlock =
          keepsBlock && core::coordinateAlong(before.dims[dim].axes, mesh, position) == wanted;
    }
    EXPECT_EQ(core::coordinateAlong(before.unreduced, mesh, position),
              core::coordinateAlong(before.unreduced, mesh, sourcePosition));
    if (keepsBlock) {
      EXPECT_EQ(pair.source, pair.target);
    }
  }
  EXPECT_EQ(static_cast<int64_t>(sources.size()), mesh.numDevices());
}

TEST(PermutePairsTest, allPairsOfEqualCounts) {
  for (const char *text : {R"(["a"=2, "b"=2, "c"=2])", R"(["a"=4, "b"=2, "c"=2])",
                           R"(["a"=2, "b"=2, "c"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0])"}) {
    core::Mesh mesh = meshOf(text);
    std::vector<core::Sharding> shardings = testing::allShardings(mesh, 2);
    for (const core::Sharding &before : shardings) {
      for (const core::Sharding &after : shardings) {
        bool isEqual = true;
        for (size_t dim = 0; dim < 2; ++dim) {
          isEqual = isEqual && core::shardedSize(before.dims[dim].axes) ==
                                   core::shardedSize(after.dims[dim].axes);
        }
        if (isEqual)
          expectRightPairs(mesh, before, after);
        else
          EXPECT_FALSE(permutePairs(mesh, before, after).ok());
      }
    }
  }
}

// (1)2 cuts an axis of 6 behind 3, (3)2 behind 2 and 4.
TEST(PermutePairsTest, partsWithoutCommonCuts) {
  core::Mesh mesh = meshOf(R"(["p"=6, "q"=2, "s"=2], device_ids=[23, 1, 2, 3, 4, 5, 6, 7, 8, 9, )"
                           R"(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 0])");
  std::vector<core::Sharding> shardings;
  for (const char *text : {R"([{"q"}, {"s", "p":(3)2}])", R"([{"p":(1)2}, {"q", "s"}])",
                           R"([{"p":(3)2}, {"q", "s"}])", R"([{"s"}, {"p":(1)2, "q"}])"})
    shardings.push_back(shardingOf(text, mesh));
  for (const core::Sharding &before : shardings)
    for (const core::Sharding &after : shardings)
      expectRightPairs(mesh, before, after);
}

TEST(PermutePairsTest, exampleOfTheHeader) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=2])");
  Result<std::vector<DevicePair>> pairs =
      permutePairs(mesh, shardingOf(R"([{"x", "y"}])", mesh), shardingOf(R"([{"y", "x"}])", mesh));
  EXPECT_EQ(*pairs, (std::vector<DevicePair>{{0, 0}, {2, 1}, {1, 2}, {3, 3}}));
}

TEST(PermutePairsTest, otherOrderOfDevices) {
  core::Mesh before = meshOf(R"(["x"=2, "y"=2])");
  core::Mesh after = meshOf(R"(["x"=2, "y"=2], device_ids=[0, 2, 1, 3])");
  auto pairs = [&](const char *from, const char *to) {
    return *permutePairs(before, shardingOf(from, before), after, shardingOf(to, after));
  };
  // The same axes are other devices.
  EXPECT_EQ(pairs(R"([{"x", "y"}])", R"([{"x", "y"}])"),
            (std::vector<DevicePair>{{0, 0}, {1, 2}, {2, 1}, {3, 3}}));
  // The other axes are the same devices.
  EXPECT_EQ(pairs(R"([{"x"}])", R"([{"y"}])"),
            (std::vector<DevicePair>{{0, 0}, {2, 2}, {1, 1}, {3, 3}}));
  // Copies stay where they are, if they can.
  EXPECT_EQ(pairs(R"([{"x"}])", R"([{"x"}])"),
            (std::vector<DevicePair>{{0, 0}, {1, 2}, {2, 1}, {3, 3}}));
  // Partial values belong to coordinates.
  EXPECT_EQ(pairs(R"([{}], unreduced={"y"})", R"([{}], unreduced={"y"})"),
            (std::vector<DevicePair>{{0, 0}, {1, 2}, {2, 1}, {3, 3}}));
}

TEST(PermutePairsTest, unreducedCoordinatesStay) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=2, "z"=2])");
  expectRightPairs(mesh, shardingOf(R"([{"x"}, {}], unreduced={"z"})", mesh),
                   shardingOf(R"([{"y"}, {}], unreduced={"z"})", mesh));
}

} // namespace
} // namespace shardwise::planner
