// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algebra of two parts of one axis: worked values, and all pairs on small axes against sets of
// digits.

#include "shardwise/core/Axis.h"
#include "shardwise/core/AxisChecks.h"
#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shardwise::core {
namespace {

Mesh lineOf(int64_t size) {
  return std::move(Mesh::create({{"x", size}})).value();
}

/// Reads `x` or `(4)2` on the only axis of `mesh`.
Axis axisOf(const Mesh &mesh, const std::string &text) {
  AxisRef ref = parseAxisRef(text == "x" ? std::string("\"x\"") : "\"x\":" + text).value();
  return resolve(ref, mesh).value();
}

std::string textOf(const Mesh &mesh, const std::optional<Axis> &axis) {
  if (!axis)
    return "none";
  std::string text = toString(*axis, mesh);
  return text == "\"x\"" ? "x" : text.substr(4);
}

struct WorkedRow {
  int64_t size;
  const char *a, *b;
  bool contains, overlaps, coexist;
  const char *overlap, *prefix, *suffix;
  bool canMerge;
};

TEST(AxisTest, workedValues) {
  const WorkedRow rows[] = {
      {32, "x", "(4)4", true, true, true, "(4)4", "(1)4", "(16)2", false},
      {32, "(1)8", "(2)8", false, true, true, "(2)4", "(1)2", "none", false},
      {32, "(2)8", "(1)8", false, true, true, "(2)4", "none", "(8)2", false},
      {32, "(2)16", "(4)2", true, true, true, "(4)2", "(2)2", "(8)4", false},
      {32, "(1)4", "(4)8", false, false, true, "none", "(1)4", "(1)4", true},
      {32, "(4)8", "(1)4", false, false, true, "none", "(4)8", "(4)8", false},
      {32, "(1)2", "(8)2", false, false, true, "none", "(1)2", "(1)2", false},
      {32, "(1)4", "x", false, true, true, "(1)4", "none", "none", false},
      {24, "(2)3", "(3)4", false, true, false, "none", "none", "none", false},
  };
  for (const WorkedRow &row : rows) {
    SCOPED_TRACE(std::string(row.a) + " and " + row.b);
    Mesh mesh = lineOf(row.size);
    Axis a = axisOf(mesh, row.a);
    Axis b = axisOf(mesh, row.b);
    EXPECT_EQ(contains(a, b), row.contains);
    EXPECT_EQ(overlaps(a, b), row.overlaps);
    EXPECT_EQ(canCoexist(a, b), row.coexist);
    EXPECT_EQ(textOf(mesh, overlap(a, b)), row.overlap);
    EXPECT_EQ(textOf(mesh, prefixWithoutOverlap(a, b)), row.prefix);
    EXPECT_EQ(textOf(mesh, suffixWithoutOverlap(a, b)), row.suffix);
    EXPECT_EQ(canMerge(a, b), row.canMerge);
  }
}

TEST(AxisTest, mergeOfNeighboursIsWrittenFullWhenItIsTheWholeAxis) {
  Mesh mesh = lineOf(32);
  EXPECT_EQ(textOf(mesh, merge(axisOf(mesh, "(1)4"), axisOf(mesh, "(4)8"))), "x");
  EXPECT_EQ(textOf(mesh, merge(axisOf(mesh, "(2)2"), axisOf(mesh, "(4)4"))), "(2)8");
}

TEST(AxisTest, orderWithinOneAxis) {
  Mesh mesh = lineOf(32);
  std::vector<std::string> texts = {"(1)2", "(1)16", "x", "(2)2", "(2)4", "(4)2"};
  for (size_t i = 1; i < texts.size(); ++i)
    EXPECT_LT(axisOf(mesh, texts[i - 1]), axisOf(mesh, texts[i])) << texts[i];
}

TEST(AxisTest, disjointPartsThatCannotCoexist) {
  Mesh mesh = lineOf(12);
  Axis a = axisOf(mesh, "(1)2");
  Axis b = axisOf(mesh, "(3)2");
  EXPECT_FALSE(overlaps(a, b));
  EXPECT_FALSE(canCoexist(a, b));
  EXPECT_EQ(prefixWithoutOverlap(a, b), std::nullopt);
  EXPECT_EQ(prefixWithoutOverlap(b, a), std::nullopt);
}

TEST(AxisTest, axisOfSizeOneOverlapsItselfAndMergesWithNothing) {
  Mesh mesh = lineOf(1);
  Axis x = fullAxis(mesh, 0);
  EXPECT_TRUE(x.isFull(mesh));
  EXPECT_TRUE(overlaps(x, x));
  EXPECT_TRUE(contains(x, x));
  EXPECT_FALSE(canMerge(x, x));
  EXPECT_EQ(overlap(x, x), x);
  EXPECT_EQ(prefixWithoutOverlap(x, x), std::nullopt);
}

TEST(AxisTest, differentAxesDoNotConcernEachOther) {
  Mesh mesh = std::move(Mesh::create({{"x", 4}, {"y", 4}})).value();
  Axis x = fullAxis(mesh, 0);
  Axis y = fullAxis(mesh, 1);
  EXPECT_FALSE(contains(x, y));
  EXPECT_FALSE(overlaps(x, y));
  EXPECT_FALSE(canMerge({0, 1, 2}, {1, 2, 2}));
  EXPECT_TRUE(canCoexist(x, y));
  EXPECT_EQ(prefixWithoutOverlap(x, y), x);
  EXPECT_EQ(suffixWithoutOverlap(x, y), x);
  EXPECT_EQ(greatestCommonPrefix(x, y), std::nullopt);
}

TEST(AxisTest, prefixWithoutListStopsAtNone) {
  Mesh mesh = lineOf(32);
  AxisList others = {axisOf(mesh, "(8)2"), axisOf(mesh, "(2)2")};
  EXPECT_EQ(textOf(mesh, prefixWithoutOverlap(axisOf(mesh, "x"), others)), "(1)2");
  others.push_back(axisOf(mesh, "(1)2"));
  EXPECT_EQ(textOf(mesh, prefixWithoutOverlap(axisOf(mesh, "x"), others)), "none");
}

// The oracle. An ordered factorisation of the axis size into primes makes its coordinates numbers
// with digits of these radices; a part of the axis is an interval of digits if its ends are
// products of the first radices.

using Chain = std::vector<int64_t>; // 1 = products[0], products[1], ..., n

void collectChains(int64_t rest, Chain &chain, std::vector<Chain> &chains) {
  if (rest == 1)
    chains.push_back(chain);
  for (int64_t p = 2; p <= rest; ++p) {
    bool isPrime = true;
    for (int64_t q = 2; q < p; ++q)
      isPrime &= p % q != 0;
    if (!isPrime || rest % p != 0)
      continue;
    chain.push_back(chain.back() * p);
    collectChains(rest / p, chain, chains);
    chain.pop_back();
  }
}

/// Digits of `axis`, none if it is not an interval of them.
std::optional<std::set<size_t>> digitsOf(const Axis &axis, const Chain &chain) {
  std::set<size_t> digits;
  bool hasLow = false;
  bool hasHigh = false;
  for (size_t i = 0; i < chain.size(); ++i) {
    hasLow |= chain[i] == axis.preSize;
    hasHigh |= chain[i] == axis.preSize * axis.size;
    if (chain[i] >= axis.preSize && chain[i] < axis.preSize * axis.size)
      digits.insert(i);
  }
  return hasLow && hasHigh ? std::optional(digits) : std::nullopt;
}

std::optional<Axis> partOf(const std::set<size_t> &digits, const Chain &chain) {
  if (digits.empty())
    return std::nullopt;
  int64_t low = chain[*digits.begin()];
  return Axis{0, low, chain[*digits.rbegin() + 1] / low};
}

AxisList allParts(int64_t size) {
  AxisList parts;
  for (int64_t low = 1; low <= size; ++low)
    for (int64_t factor = 2; low * factor <= size; ++factor)
      if (size % (low * factor) == 0)
        parts.push_back({0, low, factor});
  return parts;
}

/// Checks every operation on `a` and `b`, which are the intervals `da` and `db` of `chain`.
void expectSetAlgebra(const Axis &a, const Axis &b, const std::set<size_t> &da,
                      const std::set<size_t> &db, const Chain &chain) {
  std::set<size_t> both, before, after;
  for (size_t digit : da) {
    if (db.count(digit))
      both.insert(digit);
    if (digit < *db.begin())
      before.insert(digit);
    if (digit > *db.rbegin())
      after.insert(digit);
  }
  EXPECT_EQ(overlaps(a, b), !both.empty());
  EXPECT_EQ(contains(a, b), both == db);
  EXPECT_EQ(isPrefixOf(b, a), both == db && *da.begin() == *db.begin());
  EXPECT_EQ(isStrictPrefixOf(b, a), both == db && *da.begin() == *db.begin() && da != db);
  EXPECT_EQ(isSuffixOf(b, a), both == db && *da.rbegin() == *db.rbegin());
  EXPECT_EQ(canMerge(a, b), *da.rbegin() + 1 == *db.begin());
  EXPECT_EQ(overlap(a, b), partOf(both, chain));
  EXPECT_EQ(prefixWithoutOverlap(a, b), partOf(both.empty() ? da : before, chain));
  EXPECT_EQ(suffixWithoutOverlap(a, b), partOf(both.empty() ? da : after, chain));
  std::set<size_t> shared = *da.begin() == *db.begin() ? both : std::set<size_t>();
  EXPECT_EQ(greatestCommonPrefix(a, b), partOf(shared, chain));
  if (canMerge(a, b)) {
    std::set<size_t> joined = da;
    joined.insert(db.begin(), db.end());
    EXPECT_EQ(merge(a, b), partOf(joined, chain));
  }
}

TEST(AxisTest, allPairsAgreeWithSetsOfDigits) {
  for (int64_t size : {2, 12, 24, 30, 36, 64}) {
    Chain start = {1};
    std::vector<Chain> chains;
    collectChains(size, start, chains);
    AxisList parts = allParts(size);
    for (const Axis &a : parts) {
      for (const Axis &b : parts) {
        SCOPED_TRACE(toString(a, lineOf(size)) + " and " + toString(b, lineOf(size)) + " of " +
                     std::to_string(size));
        bool coexist = false;
        for (const Chain &chain : chains) {
          auto da = digitsOf(a, chain);
          auto db = digitsOf(b, chain);
          if (!da || !db)
            continue;
          coexist = true;
          expectSetAlgebra(a, b, *da, *db, chain);
        }
        EXPECT_EQ(canCoexist(a, b), coexist);
        if (!coexist) {
          EXPECT_EQ(overlap(a, b), std::nullopt);
          EXPECT_EQ(prefixWithoutOverlap(a, b), std::nullopt);
          EXPECT_EQ(suffixWithoutOverlap(a, b), std::nullopt);
          EXPECT_EQ(greatestCommonPrefix(a, b), std::nullopt);
        }
        if (::testing::Test::HasFailure())
          return;
      }
    }
  }
}

TEST(AxisTest, coordinateIsTheNumberMadeOfTheDigits) {
  // y is the axis under test, x and z make sure that strides are right.
  for (int64_t size : {12, 16, 30}) {
    Mesh mesh = std::move(Mesh::create({{"x", 2}, {"y", size}, {"z", 3}})).value();
    Chain start = {1};
    std::vector<Chain> chains;
    collectChains(size, start, chains);
    for (const Axis &part : allParts(size)) {
      for (const Chain &chain : chains) {
        auto digits = digitsOf(part, chain);
        if (!digits)
          continue;
        int64_t position = 0;
        for (int64_t x = 0; x < 2; ++x)
          for (int64_t y = 0; y < size; ++y)
            for (int64_t z = 0; z < 3; ++z, ++position) {
              int64_t expected = 0;
              for (size_t digit : *digits) {
                int64_t radix = chain[digit + 1] / chain[digit];
                expected = expected * radix + y / (size / chain[digit + 1]) % radix;
              }
              EXPECT_EQ(coordinateAlong({1, part.preSize, part.size}, mesh, position), expected);
            }
      }
    }
  }
}

TEST(AxisTest, aSlipInANameIsPointedOut) {
  Mesh mesh = Mesh::create({{"data", 2}, {"tensor", 4}, {"tp", 2}}).value();
  auto errorOf = [&](std::string_view name) { return unknownAxisError(name, mesh).message; };
  EXPECT_EQ(errorOf("tensro"), "unknown axis name: \"tensro\" is not in the mesh "
                               "[\"data\"=2, \"tensor\"=4, \"tp\"=2]; did you mean \"tensor\"?");
  for (auto [name, meant] : {std::pair{"Data", "data"}, {"dat", "data"}, {"tensors", "tensor"}})
    EXPECT_NE(errorOf(name).find(fmt::format("did you mean \"{}\"?", meant)), std::string::npos)
        << name;
  // Any two letters are similar to "tp", and nothing is to what is quite another word.
  for (std::string_view name : {"dp", "tq", "t", "", "model", "sequence", "td"})
    EXPECT_EQ(errorOf(name).find("did you mean"), std::string::npos) << name;
  EXPECT_EQ(errorOf(std::string(100'000, 'x')).find("did you mean"), std::string::npos);
}

TEST(AxisTest, resolveChecksNameAndSubAxis) {
  Mesh mesh = lineOf(8);
  auto errorOf = [&](const std::string &text) {
    Result<Axis> axis = resolve(parseAxisRef(text).value(), mesh);
    return axis ? std::string() : axis.error().message;
  };
  EXPECT_NE(errorOf("\"y\"").find("unknown axis name: \"y\""), std::string::npos);
  EXPECT_NE(errorOf("\"x\":(0)2").find("pre-size must be at least 1"), std::string::npos);
  EXPECT_NE(errorOf("\"x\":(2)1").find("must be greater than 1"), std::string::npos);
  EXPECT_NE(errorOf("\"x\":(2)3").find("next pre-size"), std::string::npos);
  EXPECT_NE(errorOf("\"x\":(4611686018427387904)4").find("next pre-size"), std::string::npos);
  EXPECT_NE(errorOf("\"x\":(1)8").find("equal to the full axis size"), std::string::npos);
  EXPECT_EQ(errorOf("\"x\":(2)4"), "");
  EXPECT_EQ(toRef(fullAxis(mesh, 0), mesh), (AxisRef{"x", std::nullopt}));
  EXPECT_EQ(toRef({0, 2, 4}, mesh), (AxisRef{"x", SubAxis{2, 4}}));
}

} // namespace
} // namespace shardwise::core
