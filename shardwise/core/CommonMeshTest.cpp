// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which mesh several are told on, and what their axes are there.

#include "shardwise/core/CommonMesh.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace shardwise::core {
namespace {

Mesh mesh(std::vector<MeshAxis> axes, std::vector<DeviceId> ids = {}) {
  return Mesh::create(std::move(axes), std::move(ids)).value();
}

/// The common mesh, and the axes of all meshes there: `"data"=4, "model"=2: {"data"} {"model"} ;
/// ...`.
std::string told(const std::vector<MeshUse> &uses) {
  auto common = commonMesh(uses);
  if (!common)
    return common.error().message;
  std::string text = toString(common->mesh);
  for (const MeshTranslation &translation : common->translations) {
    text += translation.mesh == common->mesh ? " ;" : " ; <" + toString(translation.mesh) + ">";
    for (const AxisList &axes : translation.axes)
      text += " " + toString(axes, common->mesh);
  }
  return text;
}

const Mesh kGrid = mesh({{"data", 4}, {"model", 2}});

TEST(CommonMeshTest, theFinestMeshIsTakenAsItIs) {
  EXPECT_EQ(told({{kGrid}, {mesh({{"expert", 8}})}}),
            R"(["data"=4, "model"=2] ; {"data"} {"model"} ; {"data", "model"})");
  EXPECT_EQ(told({{mesh({{"expert", 8}})}, {kGrid}}),
            R"(["data"=4, "model"=2] ; {"data", "model"} ; {"data"} {"model"})");
  EXPECT_EQ(told({{kGrid}, {mesh({{"m", 2}, {"d", 4}}, {0, 2, 4, 6, 1, 3, 5, 7})}}),
            R"(["data"=4, "model"=2] ; {"data"} {"model"} ; {"model"} {"data"})")
      << "a transposed order is the same mesh";
}

TEST(CommonMeshTest, axesAreCutWhereNoMeshHasThemAll) {
  EXPECT_EQ(told({{kGrid}, {mesh({{"x", 2}, {"y", 4}})}}),
            R"(["data"=4, "model"=2] ; {"data"} {"model"} ; {"data":(1)2} {"data":(2)2, "model"})");
}

TEST(CommonMeshTest, axesOfManualComputationsAreNotCut) {
  Mesh other = mesh({{"x", 2}, {"y", 4}});
  EXPECT_EQ(told({{kGrid}, {other, {}, {0}}}),
            R"(["x"=2, "y"=4] ; {"x", "y":(1)2} {"y":(2)2} ; {"x"} {"y"})");
  EXPECT_EQ(told({{kGrid, {}, {0}}, {other, {}, {0}}}),
            R"(["data:(1)2"=2, "data:(2)2"=2, "model"=2] ; {"data:(1)2", "data:(2)2"} {"model"} ; )"
            R"({"data:(1)2"} {"data:(2)2", "model"})");
}

TEST(CommonMeshTest, axesOfSizeOneAreNone) {
  EXPECT_EQ(told({{kGrid}, {mesh({{"one", 1}, {"all", 8}})}}),
            R"(["data"=4, "model"=2] ; {"data"} {"model"} ; {} {"data", "model"})");
}

TEST(CommonMeshTest, cutsThatDoNotDivideEachOtherChangeTheOrderOfDevices) {
  EXPECT_EQ(
      told({{mesh({{"a", 2}, {"b", 3}})}, {mesh({{"c", 3}, {"d", 2}})}}),
      R"(["a"=2, "b"=3] ; {"a"} {"b"} ; <["a"=2, "b"=3], device_ids=[0, 2, 4, 1, 3, 5]> {"b"} {"a"})");
  EXPECT_EQ(told({{mesh({{"a", 4}, {"b", 9}})}, {mesh({{"c", 6}, {"d", 6}})}}).substr(0, 62),
            R"(["a"=4, "b"=9] ; {"a"} {"b"} ; <["a"=4, "b"=9], device_ids=[0,)");
}

TEST(CommonMeshTest, anyOtherOrderStaysAMesh) {
  EXPECT_EQ(told({{kGrid}, {mesh({{"expert", 8}}, {7, 6, 5, 4, 3, 2, 1, 0})}}),
            R"(["data"=4, "model"=2] ; {"data"} {"model"} ; )"
            R"(<["data"=4, "model"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]> {"data", "model"})");
}

TEST(CommonMeshTest, writtenPartsAreCuts) {
  EXPECT_EQ(told({{mesh({{"a", 2}, {"b", 4}})}, {mesh({{"x", 8}}), {{0, 1, 4}}}}),
            R"(["a"=2, "b"=4] ; {"a"} {"b"} ; {"a", "b"})");
  EXPECT_EQ(
      told({{mesh({{"a", 6}}), {{0, 1, 2}, {0, 1, 3}}}, {mesh({{"b", 3}, {"c", 2}})}}),
      "parts of axis \"a\" of mesh <[\"a\"=6]> cut it at places that do not divide each other, "
      "so that no other mesh can be told beside it; use parts like (1)2 and (2)3");
}

TEST(CommonMeshTest, otherDevicesAreRefused) {
  EXPECT_EQ(told({{kGrid}, {mesh({{"x", 4}})}}),
            R"(mesh <["x"=4]> has other devices than mesh <["data"=4, "model"=2]>)");
}

/// Every device has the same place along an axis, and along what the axis is told as.
TEST(CommonMeshTest, devicesStayWhereTheyAre) {
  std::mt19937 random(7);
  auto pick = [&](int bound) { return int(random() % bound); };
  for (int round = 0; round < 300; ++round) {
    const int64_t counts[] = {4, 6, 8, 12, 24, 36};
    int64_t count = counts[pick(6)];
    std::vector<MeshUse> uses;
    for (int i = 0, n = 2 + pick(2); i < n; ++i) {
      std::vector<MeshAxis> axes;
      for (int64_t rest = count; rest > 1 || axes.empty();) {
        std::vector<int64_t> divisors;
        for (int64_t size = 1; size <= rest; ++size)
          if (rest % size == 0)
            divisors.push_back(size);
        int64_t size = divisors[pick(int(divisors.size()))];
        axes.push_back({std::string(1, char('a' + i)) + std::to_string(axes.size()), size});
        rest /= size;
        if (axes.size() == 4 && rest > 1)
          axes.push_back({"rest" + std::to_string(i), std::exchange(rest, 1)});
      }
      std::vector<DeviceId> ids;
      if (pick(3) == 0) {
        ids.resize(count);
        std::iota(ids.begin(), ids.end(), 0);
        if (pick(2)) // A transposition.
          for (int64_t k = 0; k < count; ++k)
            ids[k] = k % axes[0].size * (count / axes[0].size) + k / axes[0].size;
        else
          std::shuffle(ids.begin(), ids.end(), random);
      }
      uses.push_back({mesh(axes, ids)});
      if (pick(3) == 0)
        uses.back().wholeAxes.push_back(pick(int(axes.size())));
    }
    auto common = commonMesh(uses);
    if (!common) {
      EXPECT_NE(common.error().message.find("manual"), std::string::npos) << common.error().message;
      continue;
    }
    for (size_t i = 0; i < uses.size(); ++i) {
      const MeshTranslation &translation = common->translations[i];
      std::vector<int64_t> positionOf(count);
      for (int64_t p = 0; p < count; ++p)
        positionOf[translation.mesh.deviceAt(p)] = p;
      for (int32_t axis = 0; axis < uses[i].mesh.numAxes(); ++axis)
        for (int64_t p = 0; p < count; ++p)
          ASSERT_EQ(coordinateAlong(fullAxis(uses[i].mesh, axis), uses[i].mesh, p),
                    coordinateAlong(translation.axes[axis], translation.mesh,
                                    positionOf[uses[i].mesh.deviceAt(p)]))
              << told(uses);
      for (int32_t axis : uses[i].wholeAxes)
        for (const Axis &part : translation.axes[axis])
          EXPECT_TRUE(part.isFull(translation.mesh));
    }
  }
}

} // namespace
} // namespace shardwise::core
