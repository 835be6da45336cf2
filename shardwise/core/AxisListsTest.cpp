// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on axis lists against the same operations on sequences of prime digits.

#include "shardwise/core/Axis.h"
#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardwise::core {
namespace {

using testing::Random;

TEST(AxisListsTest, sortAndMerge) {
  EXPECT_EQ(sortAndMerge({{1, 1, 2}, {0, 4, 2}, {0, 1, 2}, {0, 2, 2}}),
            (AxisList{{0, 1, 8}, {1, 1, 2}}));
  // A gap stays.
  EXPECT_EQ(sortAndMerge({{0, 4, 2}, {0, 1, 2}}), (AxisList{{0, 1, 2}, {0, 4, 2}}));
}

TEST(AxisListsTest, strictPrefix) {
  AxisList list = {{0, 1, 4}, {1, 1, 4}};
  EXPECT_TRUE(isStrictPrefixOf(AxisList{}, list));
  EXPECT_TRUE(isStrictPrefixOf(AxisList{{0, 1, 4}, {1, 1, 2}}, list));
  EXPECT_TRUE(isPrefixOf(list, list));
  EXPECT_FALSE(isStrictPrefixOf(list, list));
  EXPECT_FALSE(isStrictPrefixOf(AxisList{}, AxisList{}));
  // Only the last axis may be cut.
  EXPECT_FALSE(isPrefixOf(AxisList{{0, 1, 2}, {1, 1, 4}}, list));
  EXPECT_FALSE(isPrefixOf(AxisList{{0, 2, 2}}, list));
}

TEST(AxisListsTest, removeSuffix) {
  AxisList list = {{1, 1, 2}, {0, 1, 8}};
  EXPECT_EQ(removeSuffix(list, AxisList{{0, 2, 4}}), (AxisList{{1, 1, 2}, {0, 1, 2}}));
  EXPECT_EQ(removeSuffix(list, AxisList{{1, 1, 2}, {0, 1, 8}}), AxisList{});
  EXPECT_EQ(removeSuffix(list, AxisList{{0, 1, 4}}), std::nullopt);
  EXPECT_EQ(removeSuffix(list, AxisList{{1, 1, 2}}), std::nullopt);
  // (2)6 of 12 ends like (3)4, but nothing of whole size is left before it.
  EXPECT_EQ(removeSuffix(AxisList{{0, 2, 6}}, AxisList{{0, 3, 4}}), std::nullopt);
}

TEST(AxisListsTest, overlappingLists) {
  EXPECT_TRUE(overlaps(AxisList{{1, 1, 2}, {0, 1, 4}}, AxisList{{0, 2, 4}}));
  EXPECT_FALSE(overlaps(AxisList{{1, 1, 2}, {0, 1, 2}}, AxisList{{0, 2, 4}}));
}

// The oracle: a list is the sequence of its prime digits, given as full-size parts of size p.

using Digits = std::vector<Axis>;

/// A list made of `digits`, neighbours merged.
AxisList listOf(const Digits &digits) {
  AxisList list;
  for (const Axis &digit : digits)
    appendOrMerge(list, digit);
  return list;
}

Digits someOf(Random &random, const Digits &digits) {
  Digits result;
  for (const Axis &digit : digits)
    if (random.chance(50))
      result.push_back(digit);
  return result;
}

bool has(const Digits &digits, const Axis &digit) {
  return std::find(digits.begin(), digits.end(), digit) != digits.end();
}

TEST(AxisListsTest, operationsAgreeWithDigitSequences) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < 5000; ++i) {
    Random random(seed + i);
    Mesh mesh = testing::randomMesh(random, 3);
    Digits all = testing::randomParts(random, mesh, /*isFinest=*/true);
    Digits a = someOf(random, all);
    Digits b;
    if (random.chance(50)) {
      // A list that shares a prefix or suffix with the first.
      b = a;
      if (random.chance(50) && !b.empty())
        b.resize(random.below(static_cast<int64_t>(b.size()) + 1));
      else if (!b.empty())
        b.erase(b.begin(), b.begin() + random.below(static_cast<int64_t>(b.size()) + 1));
    } else {
      random.shuffle(all);
      b = someOf(random, all);
    }
    AxisList x = listOf(a);
    AxisList y = listOf(b);
    SCOPED_TRACE("seed " + std::to_string(seed + i) + ": " + toString(x, mesh) + " and " +
                 toString(y, mesh) + " in " + toString(mesh));

    auto shared = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    bool isPrefix = shared.first == a.end();
    EXPECT_EQ(isPrefixOf(x, y), isPrefix);
    EXPECT_EQ(isStrictPrefixOf(x, y), isPrefix && shared.second != b.end());
    EXPECT_EQ(commonPrefix(x, y), listOf({a.begin(), shared.first}));

    auto firstTaken = std::find_if(a.begin(), a.end(), [&](const Axis &d) { return has(b, d); });
    EXPECT_EQ(truncateByOverlap(x, y), listOf({a.begin(), firstTaken}));
    EXPECT_EQ(overlaps(x, y), firstTaken != a.end());

    Digits difference;
    for (const Axis &digit : a)
      if (!has(b, digit))
        difference.push_back(digit);
    // Pieces of different entries are not merged with each other.
    AxisList pieces = setDifference(x, y);
    EXPECT_EQ(listOf(pieces), listOf(difference));

    bool isSuffix = b.size() <= a.size() && std::equal(b.rbegin(), b.rend(), a.rbegin());
    std::optional<AxisList> rest = removeSuffix(x, y);
    EXPECT_EQ(rest.has_value(), isSuffix);
    if (rest && isSuffix) {
      EXPECT_EQ(*rest, listOf({a.begin(), a.end() - b.size()}));
    }

    int64_t size = 1;
    for (const Axis &digit : a)
      size *= digit.size;
    EXPECT_EQ(shardedSize(x), size);
    Digits sorted = a;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sortAndMerge(a), listOf(sorted));
    if (::testing::Test::HasFailure())
      return;
  }
}

TEST(AxisListsTest, coordinateIsMixedRadixMajorFirst) {
  Mesh mesh = std::move(Mesh::create({{"x", 2}, {"y", 3}})).value();
  // Positions 0..5 have (x, y) = (0,0), (0,1), (0,2), (1,0), ...
  AxisList yx = {{1, 1, 3}, {0, 1, 2}};
  std::vector<int64_t> expected = {0, 2, 4, 1, 3, 5};
  for (int64_t position = 0; position < 6; ++position)
    EXPECT_EQ(coordinateAlong(yx, mesh, position), expected[position]);
  EXPECT_EQ(coordinateAlong(AxisList{}, mesh, 4), 0);
}

} // namespace
} // namespace shardwise::core
