// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parse(print(x)) = x for random values.

#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

using testing::Random;

constexpr uint64_t kNumCases = 10000;

std::string randomName(Random &random) {
  std::string name;
  for (int64_t i = random.below(4); i >= 0; --i)
    name += random.chance(90) ? static_cast<char>('a' + random.below(26))
                              : static_cast<char>(random.below(256));
  return name;
}

/// A sharding that need not fit any mesh: all of what can be written.
WrittenSharding randomWrittenSharding(Random &random) {
  auto axes = [&](int64_t atMost) {
    std::vector<AxisRef> refs;
    for (int64_t i = random.below(atMost + 1); i > 0; --i) {
      refs.push_back({randomName(random), std::nullopt});
      if (random.chance(30))
        refs.back().subAxis = SubAxis{random.between(-3, 9), random.between(-3, 9)};
    }
    return refs;
  };
  WrittenSharding sharding;
  for (int64_t i = random.below(4); i > 0; --i) {
    WrittenDimSharding dim{axes(3), random.chance(50), std::nullopt};
    if (random.chance(30))
      dim.priority = random.chance(50) ? random.below(5) : random.below(int64_t{1} << 62);
    sharding.dims.push_back(std::move(dim));
  }
  if (random.chance(30))
    sharding.replicated = axes(3);
  if (random.chance(30))
    sharding.unreduced = axes(3);
  if (!sharding.unreduced.empty())
    sharding.reduction = static_cast<ReductionKind>(random.below(3));
  return sharding;
}

template <class MakeValue, class Parse> void expectRoundTrip(MakeValue makeValue, Parse parse) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < kNumCases; ++i) {
    Random random(seed + i);
    auto value = makeValue(random);
    std::string text = toString(value);
    auto parsed = parse(text);
    ASSERT_TRUE(parsed.ok()) << "seed " << seed + i << ": " << parsed.error().message << " in "
                             << text;
    ASSERT_EQ(*parsed, value) << "seed " << seed + i << ": " << text;
    ASSERT_EQ(toString(*parsed), text) << "seed " << seed + i;
  }
}

TEST(TextRoundTripTest, meshes) {
  expectRoundTrip([](Random &random) { return testing::randomMesh(random); },
                  [](const std::string &text) { return parseMesh(text); });
}

TEST(TextRoundTripTest, shardings) {
  expectRoundTrip(randomWrittenSharding,
                  [](const std::string &text) { return parseSharding(text); });
}

TEST(TextRoundTripTest, shardingsInMeshes) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < kNumCases; ++i) {
    Random random(seed + i);
    Mesh mesh = testing::randomMesh(random);
    Sharding sharding = testing::randomSharding(random, mesh, random.below(4));
    std::string text = toString(sharding, mesh);
    Result<Sharding> again = resolve(parseSharding(text).value(), mesh);
    ASSERT_TRUE(again.ok() && *again == sharding) << "seed " << seed + i << ": " << text;
  }
}

TEST(TextRoundTripTest, shardingRules) {
  expectRoundTrip(
      [](Random &random) {
        ShardingRule rule = testing::randomRule(random);
        // Also factors with numbered symbols, without caring for the checks.
        if (random.chance(20)) {
          rule.operands.push_back({{random.below(100), random.below(100)}, {random.below(30)}});
          rule.factorSizes.resize(40, -7);
        }
        return rule;
      },
      [](const std::string &text) { return parseShardingRule(text); });
}

TEST(TextRoundTripTest, axes) {
  expectRoundTrip(
      [](Random &random) {
        AxisRef axis{randomName(random), std::nullopt};
        if (random.chance(50))
          axis.subAxis = SubAxis{random.below(int64_t{1} << 60), random.between(-5, 5)};
        return axis;
      },
      [](const std::string &text) { return parseAxisRef(text); });
}

TEST(TextRoundTripTest, goldenTexts) {
  for (const char *text : {
           "[]",
           R"([{"x"}, {"y":(2)2, ?}p1])",
           R"([{}, {}], replicated={"x", "y":(1)2}, unreduced={"z"})",
           R"([{}], unreduced=max{"z"})",
           R"([{?}p0, {?}])",
       })
    EXPECT_EQ(toString(parseSharding(text).value()), text);
  for (const char *text : {
           "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}",
           "([ij])->([i, j]) {i=3, j=5}",
           "([], [i])->([i]) {i=7} need_replication={i} blocked_propagation={i}, custom",
           "([])->([])",
       })
    EXPECT_EQ(toString(parseShardingRule(text).value()), text);
  for (const char *text : {R"(["rows"=2, "cols"=4])", R"(["a"=2], device_ids=[1, 0])", "[]"})
    EXPECT_EQ(toString(parseMesh(text).value()), text);
}

} // namespace
} // namespace shardwise::core
