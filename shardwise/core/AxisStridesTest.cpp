// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strides in text form, and the elements that devices hold before and after reshapes.

#include "shardwise/core/AxisStrides.h"

#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include "gtest/gtest.h"

namespace shardwise::core {
namespace {

const Mesh kMesh = Mesh::create({{"x", 2}, {"y", 4}, {"z", 3}}).value();

Sharding sharding(const char *text) {
  return resolve(parseSharding(text).value(), kMesh).value();
}

std::string strides(const Shape &shape, const char *text) {
  auto strides = axisStrides(shape, sharding(text));
  if (!strides)
    return "none";
  std::string result;
  for (const AxisStride &each : *strides)
    result += (result.empty() ? "" : " ") + toString(each.axis, kMesh) + "@" +
              std::to_string(each.stride);
  return result;
}

/// The sharding of `to` that places elements as `text` does on `from`.
std::string reshaped(const Shape &from, const char *text, const Shape &to) {
  auto strides = axisStrides(from, sharding(text));
  auto result = strides ? shardingOfStrides(to, *strides) : std::nullopt;
  return result ? toString(*result, kMesh) : "none";
}

TEST(AxisStridesTest, distancesInRowMajorOrder) {
  EXPECT_EQ(strides({16, 32}, R"([{"x"}, {"y"}])"), R"("x"@256 "y"@8)");
  EXPECT_EQ(strides({16, 32}, R"([{"y", "x"}, {}])"), R"("y"@128 "x"@64)");
  EXPECT_EQ(strides({4, 4}, R"([{"x", "y":(1)2}, {"y":(2)2}])"), R"("x"@8 "y"@2)")
      << "the parts of y continue";
  EXPECT_EQ(strides({2, 4}, R"([{"y":(1)2}, {"y":(2)2}])"), R"("y"@2)");
  EXPECT_EQ(strides({8, 4}, R"([{"x", "y":(1)2}, {"y":(2)2}])"), R"("x"@16 "y":(1)2@8 "y":(2)2@2)");
  EXPECT_EQ(strides({}, "[]"), "");
  EXPECT_EQ(strides({3, 1}, R"([{"z"}, {}])"), R"("z"@1)");
}

TEST(AxisStridesTest, noneIfUneven) {
  EXPECT_EQ(strides({5, 32}, R"([{"x"}, {}])"), "none");
  EXPECT_EQ(strides({4, 32}, R"([{"x", "y"}, {}])"), "none");
  EXPECT_EQ(strides({0, 32}, R"([{}, {"x"}])"), "none");
}

TEST(AxisStridesTest, reshapes) {
  EXPECT_EQ(reshaped({16, 32}, R"([{"x", "y"}, {}])", {512}), R"([{"x", "y"}])");
  EXPECT_EQ(reshaped({16, 32}, R"([{"x"}, {"y"}])", {512}), "none");
  EXPECT_EQ(reshaped({512}, R"([{"x", "y"}])", {4, 4, 32}), R"([{"x", "y":(1)2}, {"y":(2)2}, {}])");
  EXPECT_EQ(reshaped({16, 32}, R"([{"x"}, {"y"}])", {4, 4, 1, 32}), R"([{"x"}, {}, {}, {"y"}])");
  EXPECT_EQ(reshaped({12}, R"([{"y"}])", {6, 2}), "none") << "4 parts of 6 rows";
  EXPECT_EQ(reshaped({12}, R"([{"x", "z"}])", {2, 6}), R"([{"x"}, {"z"}])");
  EXPECT_EQ(reshaped({12}, R"([{"z"}])", {2, 6}), "none") << "3 parts do not begin with whole rows";
}

/// Positions of the elements of the shard at `position`, in row-major order.
std::vector<int64_t> elementsAt(const Shape &shape, const Sharding &sharding, const Mesh &mesh,
                                int64_t position) {
  Box box = shardBox(shape, sharding, mesh, position);
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < box.numElements(); ++i) {
    int64_t rest = i, place = 0, scale = 1;
    for (size_t dim = shape.size(); dim-- > 0;) {
      place += (box.start[dim] + rest % box.size[dim]) * scale;
      rest /= box.size[dim];
      scale *= shape[dim];
    }
    elements.push_back(place);
  }
  return elements;
}

TEST(AxisStridesTest, resultHoldsTheSameElementsOnEveryDevice) {
  testing::Random random(testing::testSeed());
  const std::vector<Shape> shapes = {{24},      {2, 12},   {12, 2},    {4, 6},       {6, 4},
                                     {2, 3, 4}, {2, 2, 6}, {1, 24, 1}, {2, 3, 2, 2}, {8, 3}};
  int numFound = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Shape &from = shapes[random.below(static_cast<int64_t>(shapes.size()))];
    const Shape &to = shapes[random.below(static_cast<int64_t>(shapes.size()))];
    // Random parts of random dimensions.
    Sharding before = replicatedSharding(static_cast<int64_t>(from.size()));
    AxisList parts = {{0, 1, 2}, {1, 1, 2}, {1, 2, 2}, {2, 1, 3}};
    for (; !parts.empty();) {
      size_t pick = random.below(static_cast<int64_t>(parts.size()));
      if (random.chance(60))
        appendOrMerge(before.dims[random.below(static_cast<int64_t>(from.size()))].axes,
                      parts[pick]);
      parts.erase(parts.begin() + static_cast<int64_t>(pick));
    }
    auto strides = axisStrides(from, before);
    ASSERT_EQ(strides.has_value(), isEvenlyDivisible(from, before));
    auto after = strides ? shardingOfStrides(to, *strides) : std::nullopt;
    if (!after)
      continue;
    ++numFound;
    EXPECT_EQ(axisStrides(to, *after), strides);
    for (int64_t position = 0; position < kMesh.numDevices(); ++position)
      ASSERT_EQ(elementsAt(from, before, kMesh, position), elementsAt(to, *after, kMesh, position))
          << toString(before, kMesh) << " became " << toString(*after, kMesh);
  }
  EXPECT_GT(numFound, 2000);
}

} // namespace
} // namespace shardwise::core
