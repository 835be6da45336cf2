// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order of groups, sub-axes, and an oracle that counts device by device.

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

#include <map>

namespace shardwise::core {
namespace {

using testing::Random;

TEST(ReplicaGroupsTest, listedOrderIsGroupOrder) {
  Mesh mesh = Mesh::create({{"x", 2}, {"y", 2}}).value();
  Axis x = fullAxis(mesh, 0);
  Axis y = fullAxis(mesh, 1);
  using Groups = std::vector<ReplicaGroup>;
  EXPECT_EQ(replicaGroups(mesh, AxisList{y}), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(replicaGroups(mesh, AxisList{x}), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(replicaGroups(mesh, AxisList{y, x}), (Groups{{0, 2, 1, 3}}));
  EXPECT_EQ(replicaGroups(mesh, AxisList{}), (Groups{{0}, {1}, {2}, {3}}));
}

TEST(ReplicaGroupsTest, subAxisSplitsItsAxis) {
  Mesh mesh = Mesh::create({{"x", 8}}).value();
  EXPECT_EQ(replicaGroups(mesh, AxisList{{0, 2, 2}}),
            (std::vector<ReplicaGroup>{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(ReplicaGroupsTest, maximalMeshIsOneGroup) {
  EXPECT_EQ(replicaGroups(Mesh::create({}, {3}).value(), AxisList{}),
            (std::vector<ReplicaGroup>{{3}}));
}

/// Coordinate of a device along a part of an axis, by counting through the nested loops
/// "major, part, minor" of the axis.
int64_t countedCoordinate(const Axis &part, int64_t axisSize, int64_t coordinate) {
  int64_t minorSize = axisSize / (part.preSize * part.size);
  int64_t counter = 0;
  for (int64_t major = 0; major < part.preSize; ++major)
    for (int64_t i = 0; i < part.size; ++i)
      for (int64_t minor = 0; minor < minorSize; ++minor)
        if (counter++ == coordinate)
          return i;
  return -1;
}

TEST(ReplicaGroupsTest, agreesWithDeviceByDeviceOracle) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < 300; ++i) {
    Random random(seed + i);
    Mesh mesh = testing::randomMesh(random, 3);
    AxisList used, unused;
    for (const Axis &part : testing::randomParts(random, mesh))
      (random.chance(50) ? used : unused).push_back(part);
    std::sort(unused.begin(), unused.end());
    SCOPED_TRACE("seed " + std::to_string(seed + i) + ": " + toString(used, mesh) + " in " +
                 toString(mesh));

    // Key of a group: coordinates of the rest, mesh order. Place in it: those of the used axes.
    auto coordinates = [&](const AxisList &axes, int64_t position) {
      std::vector<int64_t> result;
      for (const Axis &axis : axes)
        result.push_back(countedCoordinate(axis, mesh.axisSize(axis.index),
                                           mesh.coordinates(position)[axis.index]));
      return result;
    };
    std::map<std::vector<int64_t>, std::map<std::vector<int64_t>, DeviceId>> expected;
    for (int64_t position = 0; position < mesh.numDevices(); ++position)
      expected[coordinates(unused, position)][coordinates(used, position)] =
          mesh.deviceAt(position);
    std::vector<ReplicaGroup> expectedGroups;
    for (const auto &[key, members] : expected) {
      expectedGroups.emplace_back();
      for (const auto &[place, device] : members)
        expectedGroups.back().push_back(device);
    }
    EXPECT_EQ(replicaGroups(mesh, used), expectedGroups);

    int64_t position = random.below(mesh.numDevices());
    ReplicaGroup own;
    for (const auto &[place, device] : expected[coordinates(unused, position)])
      own.push_back(device);
    EXPECT_EQ(replicaGroupOf(mesh, used, position), own);
    if (::testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace shardwise::core
