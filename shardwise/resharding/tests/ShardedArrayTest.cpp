// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays: cut, resharded, put together again; and which buffers they share.

#include "shardwise/resharding/ShardedArray.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

#include <numeric>

namespace shardwise::resharding {
namespace {

core::Mesh meshOf(std::string_view text) {
  return *core::parseMesh(text);
}

core::Sharding shardingOf(std::string_view text, const core::Mesh &mesh) {
  return *core::resolve(*core::parseSharding(text), mesh);
}

runtime::HostTensor numbers(std::vector<int64_t> shape) {
  std::vector<int32_t> values(core::numElements(shape));
  std::iota(values.begin(), values.end(), 0);
  return runtime::HostTensor::of<int32_t>(runtime::DataType::I32, std::move(shape), values);
}

TEST(ShardedArrayTest, goesThroughShardingsAndBack) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=4])");
  runtime::HostTensor tensor = numbers({9, 11});
  Result<ShardedArray> array = shard(tensor, mesh, shardingOf(R"([{"x"}, {"y"}])", mesh));
  ASSERT_TRUE(array.ok());
  for (const char *next : {R"([{"y"}, {"x"}])", R"([{}, {"x", "y"}])", R"([{}, {}])",
                           R"([{"y":(1)2}, {"x"}])", R"([{"y", "x"}, {}])"}) {
    Result<ShardedArray> moved = reshard(*array, shardingOf(next, mesh));
    ASSERT_TRUE(moved.ok()) << moved.error().message;
    Result<runtime::HostTensor> whole = gather(*moved);
    ASSERT_TRUE(whole.ok());
    EXPECT_TRUE(*whole == tensor) << next;
    array = std::move(moved);
  }
}

TEST(ShardedArrayTest, replicasShareBuffers) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=4])");
  Result<ShardedArray> array = shard(numbers({8}), mesh, shardingOf(R"([{"x"}])", mesh));
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->shards[0], array->shards[3]);
  EXPECT_NE(array->shards[0], array->shards[4]);
  Result<ShardedArray> whole = reshard(*array, shardingOf("[{}]", mesh));
  ASSERT_TRUE(whole.ok());
  for (const Buffer &buffer : whole->shards)
    EXPECT_EQ(buffer, whole->shards[0]);
}

TEST(ShardedArrayTest, boxesThatStayAreNotCopied) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=2])");
  Result<ShardedArray> array = shard(numbers({4, 4}), mesh, shardingOf(R"([{"x"}, {"y"}])", mesh));
  ASSERT_TRUE(array.ok());
  Result<ShardedArray> swapped = reshard(*array, shardingOf(R"([{"y"}, {"x"}])", mesh));
  ASSERT_TRUE(swapped.ok());
  // The devices at (0, 1) and (1, 0) have each other's box now.
  EXPECT_EQ(swapped->shards[0], array->shards[0]);
  EXPECT_EQ(swapped->shards[1], array->shards[2]);
  EXPECT_EQ(swapped->shards[2], array->shards[1]);
  EXPECT_EQ(swapped->shards[3], array->shards[3]);
}

TEST(ShardedArrayTest, partialValuesAddUp) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=4])");
  runtime::HostTensor tensor = numbers({5, 4});
  Result<ShardedArray> array =
      shard(tensor, mesh, shardingOf(R"([{"x"}, {}], unreduced={"y"})", mesh));
  ASSERT_TRUE(array.ok());
  EXPECT_FALSE(gather(*array).ok());
  Result<ShardedArray> summed = reshard(*array, shardingOf(R"([{}, {"y"}])", mesh));
  ASSERT_TRUE(summed.ok()) << summed.error().message;
  Result<runtime::HostTensor> whole = gather(*summed);
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(*whole == tensor);
}

TEST(ShardedArrayTest, toAnotherMesh) {
  core::Mesh mesh = meshOf(R"(["x"=4])");
  core::Mesh other = meshOf(R"(["a"=3, "b"=2])");
  runtime::HostTensor tensor = numbers({6, 4});
  Result<ShardedArray> array = shard(tensor, mesh, shardingOf(R"([{"x"}, {}])", mesh));
  ASSERT_TRUE(array.ok());
  Result<ShardedArray> moved = reshard(*array, shardingOf(R"([{"a"}, {"b"}])", other), other);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ(moved->shards.size(), 6u);
  EXPECT_TRUE(*gather(*moved) == tensor);
}

TEST(ShardedArrayTest, shardingsThatDoNotFitAreRefused) {
  core::Mesh mesh = meshOf(R"(["x"=4])");
  EXPECT_FALSE(shard(numbers({6, 4}), mesh, shardingOf(R"([{"x"}])", mesh)).ok());
  Result<ShardedArray> array = shard(numbers({6}), mesh, shardingOf(R"([{"x"}])", mesh));
  ASSERT_TRUE(array.ok());
  array->shards.pop_back();
  Result<ShardedArray> moved = reshard(*array, shardingOf("[{}]", mesh));
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().message, "the array has 3 shards on a mesh of 4 devices");
}

} // namespace
} // namespace shardwise::resharding
