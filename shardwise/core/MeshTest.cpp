// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts, device orders, special meshes, and what the factory refuses.

#include "shardwise/core/Mesh.h"

#include <gtest/gtest.h>

#include <limits>

namespace shardwise::core {
namespace {

std::string errorOf(std::vector<MeshAxis> axes, std::vector<DeviceId> ids = {}) {
  Result<Mesh> mesh = Mesh::create(std::move(axes), std::move(ids));
  return mesh ? std::string() : mesh.error().message;
}

bool mentions(const std::string &message, const std::string &fragment) {
  return message.find(fragment) != std::string::npos;
}

TEST(MeshTest, countsDevices) {
  Mesh mesh = Mesh::create({{"data", 4}, {"model", 2}}).value();
  EXPECT_EQ(mesh.numDevices(), 8);
  EXPECT_EQ(mesh.numAxes(), 2);
  EXPECT_EQ(mesh.axisIndexOrNull("model"), 1);
  EXPECT_EQ(mesh.axisIndexOrNull("rows"), std::nullopt);
  EXPECT_EQ(mesh.coordinates(5), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(mesh.deviceAt(5), 5);
  EXPECT_FALSE(mesh.isEmpty());
  EXPECT_FALSE(mesh.isMaximal());
}

TEST(MeshTest, explicitOrderMapsPositionsToIds) {
  Mesh mesh = Mesh::create({{"a", 2}, {"b", 2}}, {2, 0, 3, 1}).value();
  EXPECT_EQ(mesh.deviceAt(0), 2);
  EXPECT_EQ(mesh.deviceAt(3), 1);
}

TEST(MeshTest, identityOrderIsDropped) {
  EXPECT_EQ(Mesh::create({{"a", 2}}, {0, 1}).value(), Mesh::create({{"a", 2}}).value());
  // Not on a mesh without axes: there the id says which device.
  EXPECT_EQ(Mesh::create({}, {0}).value().deviceIds(), (std::vector<DeviceId>{0}));
}

TEST(MeshTest, emptyAndMaximal) {
  EXPECT_TRUE(Mesh().isEmpty());
  EXPECT_EQ(Mesh::create({}).value(), Mesh());
  Mesh maximal = Mesh::create({}, {5}).value();
  EXPECT_TRUE(maximal.isMaximal());
  EXPECT_FALSE(maximal.isEmpty());
  EXPECT_EQ(maximal.deviceAt(0), 5);
  Mesh sizeOne = Mesh::create({{"a", 1}}).value();
  EXPECT_FALSE(sizeOne.isEmpty() || sizeOne.isMaximal());
}

TEST(MeshTest, equalsIgnoringDeviceIds) {
  Mesh plain = Mesh::create({{"a", 2}}).value();
  Mesh reversed = Mesh::create({{"a", 2}}, {1, 0}).value();
  EXPECT_NE(plain, reversed);
  EXPECT_TRUE(plain.equalsIgnoringDeviceIds(reversed));
  EXPECT_FALSE(plain.equalsIgnoringDeviceIds(Mesh::create({{"b", 2}}).value()));
  EXPECT_FALSE(Mesh().equalsIgnoringDeviceIds(Mesh::create({}, {0}).value()));
  EXPECT_TRUE(Mesh::create({}, {3}).value().equalsIgnoringDeviceIds(Mesh::create({}, {0}).value()));
}

TEST(MeshTest, rejectsWhatBreaksTheInvariant) {
  EXPECT_TRUE(mentions(errorOf({{"a", 0}}), "must be at least 1, got \"a\"=0"));
  EXPECT_TRUE(mentions(errorOf({{"a", 2}}, {0, -1}), "non-negative, got -1"));
  EXPECT_TRUE(mentions(errorOf({}, {0, 1}), "axes are empty"));
  EXPECT_TRUE(mentions(errorOf({{"a", 2}, {"a", 2}}), "duplicate axis name: \"a\""));
  EXPECT_TRUE(mentions(errorOf({{"a", 2}, {"b", 2}}, {0, 1, 2}), "4 != 3"));
  EXPECT_TRUE(mentions(errorOf({{"a", 4}}, {3, 0, 1, 1}), "got: 0, 1, 1, 3"));
  int64_t big = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_TRUE(mentions(errorOf({{"a", big}, {"b", 3}}), "does not fit 64 bits"));
}

} // namespace
} // namespace shardwise::core
