// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short, empty and scalar shards, and an oracle that goes element by element.

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

using testing::Random;

Sharding shardingOf(const std::string &text, const Mesh &mesh) {
  return resolve(parseSharding(text).value(), mesh).value();
}

TEST(ShardMapTest, lastShardsMayBeShortOrEmpty) {
  Mesh mesh = Mesh::create({{"x", 3}}).value();
  Sharding sharding = shardingOf(R"([{"x"}])", mesh);
  EXPECT_EQ(localShape({4}, sharding), (Shape{2}));
  EXPECT_FALSE(isEvenlyDivisible({4}, sharding));
  EXPECT_TRUE(isEvenlyDivisible({6}, sharding));
  EXPECT_EQ(shardBox({4}, sharding, mesh, 0), (Box{{0}, {2}}));
  EXPECT_EQ(shardBox({4}, sharding, mesh, 1), (Box{{2}, {2}}));
  EXPECT_EQ(shardBox({4}, sharding, mesh, 2), (Box{{4}, {0}}));
}

TEST(ShardMapTest, orderOfAxesMatters) {
  Mesh mesh = Mesh::create({{"x", 2}, {"y", 3}}).value();
  // The device at (0, 1) of a tensor of six elements.
  EXPECT_EQ(shardBox({6}, shardingOf(R"([{"x", "y"}])", mesh), mesh, 1), (Box{{1}, {1}}));
  EXPECT_EQ(shardBox({6}, shardingOf(R"([{"y", "x"}])", mesh), mesh, 1), (Box{{2}, {1}}));
}

TEST(ShardMapTest, scalarsEmptyTensorsAndSingleDevices) {
  Mesh mesh = Mesh::create({{"x", 2}}).value();
  EXPECT_EQ(shardBox({}, shardingOf("[]", mesh), mesh, 1), (Box{{}, {}}));
  EXPECT_EQ(numElements(Shape{}), 1);
  EXPECT_EQ(shardBox({0}, shardingOf(R"([{"x"}])", mesh), mesh, 1), (Box{{0}, {0}}));
  // On a maximal mesh the sharding has no dimensions, whatever the rank.
  Mesh maximal = Mesh::create({}, {7}).value();
  EXPECT_EQ(shardBox({4, 2}, shardingOf("[]", maximal), maximal, 0), (Box{{0, 0}, {4, 2}}));
}

TEST(ShardMapTest, intersection) {
  EXPECT_EQ(intersect({{0, 2}, {4, 4}}, {{2, 0}, {4, 3}}), (Box{{2, 2}, {2, 1}}));
  EXPECT_EQ(intersect({{0}, {2}}, {{4}, {2}}).numElements(), 0);
}

/// Coordinate along `axes` by counting: walk the axis as nested loops over its three parts.
int64_t countedBlock(const AxisList &axes, const Mesh &mesh, int64_t position) {
  int64_t block = 0;
  std::vector<int64_t> coordinates = mesh.coordinates(position);
  for (const Axis &axis : axes) {
    int64_t counter = 0;
    for (int64_t major = 0; major < axis.preSize; ++major)
      for (int64_t i = 0; i < axis.size; ++i)
        for (int64_t m = 0; m < mesh.axisSize(axis.index) / axis.nextPreSize(); ++m)
          if (counter++ == coordinates[axis.index])
            block = block * axis.size + i;
  }
  return block;
}

TEST(ShardMapTest, agreesWithElementByElementOracle) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < 300; ++i) {
    Random random(seed + i);
    Mesh mesh = testing::randomMesh(random, 3);
    int64_t rank = random.below(3);
    Sharding sharding = testing::randomSharding(random, mesh, rank);
    Shape shape;
    for (int64_t d = 0; d < rank; ++d)
      shape.push_back(random.below(14));
    SCOPED_TRACE("seed " + std::to_string(seed + i) + ": " + toString(sharding, mesh) + " in " +
                 toString(mesh));

    int64_t covered = 0;
    for (int64_t position = 0; position < mesh.numDevices(); ++position) {
      Box box = shardBox(shape, sharding, mesh, position);
      Shape local = localShape(shape, sharding);
      for (int64_t d = 0; d < rank; ++d) {
        const AxisList &axes = sharding.dims[d].axes;
        int64_t parts = shardedSize(axes);
        // The smallest width whose blocks reach the end of the dimension.
        int64_t width = 0;
        while (width * parts < shape[d])
          ++width;
        EXPECT_EQ(local[d], width);
        for (int64_t e = 0; e < shape[d]; ++e) {
          bool isHere = e / width == countedBlock(axes, mesh, position);
          EXPECT_EQ(isHere, e >= box.start[d] && e < box.start[d] + box.size[d]);
        }
      }
      covered += box.numElements();
    }
    // Every element once per replica.
    int64_t replicas = mesh.numDevices() / shardedSize(dimensionAxes(sharding));
    EXPECT_EQ(covered, replicas * numElements(shape));
    if (::testing::Test::HasFailure())
      return;
  }
}

TEST(ShardMapTest, intersectionAgreesWithElements) {
  Random random(testing::testSeed());
  for (int i = 0; i < 500; ++i) {
    auto randomBox = [&] {
      return Box{{random.below(6), random.below(6)}, {random.below(5), random.below(5)}};
    };
    Box a = randomBox();
    Box b = randomBox();
    auto has = [](const Box &box, int64_t x, int64_t y) {
      return x >= box.start[0] && x < box.start[0] + box.size[0] && y >= box.start[1] &&
             y < box.start[1] + box.size[1];
    };
    Box common = intersect(a, b);
    for (int64_t x = 0; x < 11; ++x)
      for (int64_t y = 0; y < 11; ++y)
        EXPECT_EQ(has(common, x, y), has(a, x, y) && has(b, x, y));
  }
}

} // namespace
} // namespace shardwise::core
