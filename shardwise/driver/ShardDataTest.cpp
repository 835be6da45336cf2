// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cutting and putting together are inverse, and replicas that disagree are found.

#include "shardwise/driver/ShardData.h"

#include "shardwise/core/Text.h"
#include "shardwise/driver/RandomInputs.h"

#include <gtest/gtest.h>

#include <vector>

using namespace shardwise;
using driver::assemble;
using driver::shardOf;
using runtime::DataType;
using runtime::HostTensor;

namespace {

struct Case {
  const char *mesh;
  const char *sharding;
  core::Shape shape;
};

const Case kCases[] = {
    {R"(["x"=2, "y"=3])", R"([{"x"}, {"y"}])", {4, 6}},
    {R"(["x"=2, "y"=3])", R"([{"y", "x"}, {}])", {6, 5}},
    {R"(["x"=2, "y"=3])", R"([{}, {}])", {4, 6}},
    {R"(["x"=8])", R"([{"x":(2)2}, {}, {"x":(1)2}])", {4, 3, 2}},
    {R"(["x"=2, "y"=2], device_ids=[3, 1, 0, 2])", R"([{"x", "y"}])", {8}},
    {R"(["x"=2])", R"([])", {}},
    {R"(["x"=2])", R"([{"x"}, {}])", {2, 0}},
    {R"([])", R"([{}])", {3}},
    {R"(["x"=2, "y"=3])", R"([{"x"}, {}], unreduced={"y"})", {4, 6}},
    {R"(["x"=2, "y"=2, "z"=2])", R"([{"z"}], unreduced={"x"})", {6}},
    {R"(["x"=2, "y"=2, "z"=2])", R"([{"y"}], replicated={"x"}, unreduced=max{"z"})", {6}},
    {R"(["x"=8])", R"([{"x":(2)2}], unreduced=min{"x":(4)2})", {6}},
    // Padded, and empty.
    {R"(["x"=2, "y"=3])", R"([{"x"}, {"y"}])", {5, 7}},
    {R"(["x"=2, "y"=3])", R"([{"y", "x"}, {}])", {4, 2}},
    {R"(["x"=4, "y"=2])", R"([{"x"}, {}])", {1, 3}},
    {R"(["x"=2, "y"=3])", R"([{"y"}, {}], unreduced={"x"})", {4, 2}},
};

std::vector<HostTensor> cut(const HostTensor &tensor, const core::Sharding &sharding,
                            const core::Mesh &mesh) {
  std::vector<HostTensor> shards;
  for (int64_t position = 0; position < mesh.numDevices(); ++position)
    shards.push_back(shardOf(tensor, sharding, mesh, position));
  return shards;
}

Result<HostTensor> putTogether(const std::vector<HostTensor> &shards, const core::Shape &shape,
                               const core::Sharding &sharding, const core::Mesh &mesh) {
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &shard : shards)
    pointers.push_back(&shard);
  return assemble(pointers, shape, sharding, mesh);
}

TEST(ShardDataTest, assembleIsTheInverseOfShardOf) {
  for (const Case &c : kCases)
    for (DataType type : {DataType::F32, DataType::I64, DataType::I1}) {
      SCOPED_TRACE(c.sharding);
      core::Mesh mesh = *core::parseMesh(c.mesh);
      core::Sharding sharding = *core::resolve(*core::parseSharding(c.sharding), mesh);
      HostTensor tensor = driver::randomTensor(type, c.shape, /*seed=*/1, /*index=*/0);
      auto whole = putTogether(cut(tensor, sharding, mesh), c.shape, sharding, mesh);
      ASSERT_TRUE(whole.ok()) << whole.error().message;
      EXPECT_EQ(*whole, tensor);
    }
}

TEST(ShardDataTest, shardHoldsItsBlock) {
  core::Mesh mesh = *core::parseMesh(R"(["x"=2, "y"=3])");
  core::Sharding sharding = *core::resolve(*core::parseSharding(R"([{"y"}, {"x"}])"), mesh);
  std::vector<int32_t> values(6 * 4);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int32_t>(i);
  auto tensor = HostTensor::of<int32_t>(DataType::I32, {6, 4}, values);
  // Position 5 is (x=1, y=2): rows 4..5, columns 2..3.
  std::vector<int32_t> expected = {18, 19, 22, 23};
  EXPECT_EQ(shardOf(tensor, sharding, mesh, 5),
            HostTensor::of<int32_t>(DataType::I32, {2, 2}, expected));
}

TEST(ShardDataTest, paddingIsZeroAndMayDiffer) {
  core::Mesh mesh = *core::parseMesh(R"(["x"=3, "y"=2])");
  core::Sharding sharding = *core::resolve(*core::parseSharding(R"([{"x"}])"), mesh);
  std::vector<int32_t> values = {1, 2, 3, 4}, last = {0, 0}, garbage = {7, -1};
  auto tensor = HostTensor::of<int32_t>(DataType::I32, {4}, values);
  auto shards = cut(tensor, sharding, mesh);
  // Blocks of 2, 2 and 0 elements.
  EXPECT_EQ(shards[4], HostTensor::of<int32_t>(DataType::I32, {2}, last));
  shards[4] = HostTensor::of<int32_t>(DataType::I32, {2}, garbage);
  auto whole = putTogether(shards, {4}, sharding, mesh);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(*whole, tensor);
}

TEST(ShardDataTest, replicasThatDisagreeAreAnError) {
  core::Mesh mesh = *core::parseMesh(R"(["x"=2, "y"=2], device_ids=[2, 3, 0, 1])");
  core::Sharding sharding = *core::resolve(*core::parseSharding(R"([{"x"}])"), mesh);
  HostTensor tensor = driver::randomTensor(DataType::F32, {4}, 1, 0);
  auto shards = cut(tensor, sharding, mesh);
  shards[3].elements<float>()[1] += 1;
  auto whole = putTogether(shards, {4}, sharding, mesh);
  ASSERT_FALSE(whole.ok());
  EXPECT_EQ(whole.error().kind, ErrorKind::Internal);
  EXPECT_NE(whole.error().message.find("devices 0 and 1"), std::string::npos)
      << whole.error().message;
}

/// A shard of two elements on each of the devices of <["x"=2, "y"=3]>: {p, 10 - p} at position p.
std::vector<HostTensor> countedShards() {
  std::vector<HostTensor> shards;
  for (int32_t position = 0; position < 6; ++position) {
    std::vector<int32_t> values = {position, 10 - position};
    shards.push_back(HostTensor::of<int32_t>(DataType::I32, {2}, values));
  }
  return shards;
}

TEST(ShardDataTest, partialValuesCombineAlongTheUnreducedAxes) {
  core::Mesh mesh = *core::parseMesh(R"(["x"=2, "y"=3])");
  struct {
    const char *sharding;
    std::vector<int32_t> expected;
  } cases[] = {
      // x=0 has positions 0, 1, 2, x=1 has 3, 4, 5.
      {R"([{"x"}], unreduced={"y"})", {3, 27, 12, 18}},
      {R"([{"x"}], unreduced=max{"y"})", {2, 10, 5, 7}},
      {R"([{"x"}], unreduced=min{"y"})", {0, 8, 3, 5}},
      {R"([{}], unreduced={"x", "y"})", {15, 45}},
      {R"([{"y"}], unreduced={"x"})", {3, 17, 5, 15, 7, 13}},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.sharding);
    core::Sharding sharding = *core::resolve(*core::parseSharding(c.sharding), mesh);
    core::Shape shape = {static_cast<int64_t>(c.expected.size())};
    auto whole = putTogether(countedShards(), shape, sharding, mesh);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    EXPECT_EQ(*whole, HostTensor::of<int32_t>(DataType::I32, shape, c.expected));
  }
  // Along y every device should hold the same part.
  core::Sharding sharding = *core::resolve(*core::parseSharding(R"([{}], unreduced={"x"})"), mesh);
  auto whole = putTogether(countedShards(), {2}, sharding, mesh);
  ASSERT_FALSE(whole.ok());
  EXPECT_NE(whole.error().message.find("devices 0 and 1"), std::string::npos)
      << whole.error().message;
}

} // namespace
