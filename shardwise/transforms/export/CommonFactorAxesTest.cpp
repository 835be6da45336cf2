// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the common axes of an op, on rules and shardings in text form. The expected shardings
// are those of the reference tool.

#include "shardwise/transforms/export/CommonFactorAxes.h"

#include "test/support/propagation/StepTesting.h"

#include "gtest/gtest.h"

#include <random>

namespace shardwise::exporter {
namespace {

using propagation::testing::shardingOf;
using propagation::testing::textOf;

/// An op with its shardings; sizes of tensors are products of the sizes of their factors.
struct Op {
  core::Mesh mesh;
  core::ShardingRule rule;
  std::vector<core::Sharding> shardings;
  std::vector<int64_t> sizes;

  Op(std::string_view meshText, std::string_view ruleText, const std::vector<std::string> &texts)
      : mesh(core::parseMesh(meshText).value()), rule(core::parseShardingRule(ruleText).value()) {
    for (const std::string &text : texts)
      shardings.push_back(*shardingOf(text, mesh));
    for (size_t tensor = 0; tensor < numTensors(); ++tensor) {
      int64_t size = 1;
      for (const core::DimMapping &dim : mapping(tensor))
        for (core::FactorIndex factor : dim)
          size *= rule.factorSizes[factor];
      sizes.push_back(size);
    }
  }

  size_t numTensors() const { return rule.operands.size() + rule.results.size(); }
  const core::TensorMapping &mapping(size_t tensor) const {
    return tensor < rule.operands.size() ? rule.operands[tensor]
                                         : rule.results[tensor - rule.operands.size()];
  }

  propagation::ShardingProjection project() const {
    std::vector<const core::Sharding *> pointers;
    for (const core::Sharding &sharding : shardings)
      pointers.push_back(&sharding);
    propagation::ShardingProjection projection;
    projection.fill(rule, pointers);
    return projection;
  }

  /// Shardings after the change, in text form.
  std::vector<std::string> changed() {
    propagation::ShardingProjection projection = project();
    std::optional<AxesPerFactor> agreed = agreedAxes(projection);
    FactorChoice choice = agreed ? FactorChoice{*agreed, {}} : commonAxes(projection, sizes, mesh);
    std::vector<std::string> texts;
    for (size_t tensor = 0; tensor < numTensors(); ++tensor) {
      core::Sharding &sharding = shardings[tensor];
      sharding.dims = dimensionShardings(projection, int64_t(tensor), choice.of(int64_t(tensor)));
      texts.push_back(textOf(sharding, mesh));
    }
    return texts;
  }
};

using Texts = std::vector<std::string>;
constexpr std::string_view kTwos = R"(<["a"=2, "b"=2, "c"=2]>)";
constexpr std::string_view kPointwise = "<([i, j], [i, j])->([i, j]) {i=16, j=64}>";
constexpr std::string_view kDot = "<([i, k], [k, j])->([i, j]) {i=64, j=32, k=32} reduction={k}>";

TEST(CommonFactorAxesTest, AgreementChangesNothing) {
  EXPECT_EQ(Op(kTwos, kPointwise, {"[{b}, {a}]", "[{b}, {a}]", "[{b}, {a}]"}).changed(),
            (Texts{"[{b}, {a}]", "[{b}, {a}]", "[{b}, {a}]"}));
}

TEST(CommonFactorAxesTest, MostVotesWin) {
  EXPECT_EQ(Op(kTwos, kPointwise, {"[{c, b}, {a}]", "[{a, c}, {b}]", "[{c}, {}]"}).changed(),
            (Texts{"[{c}, {b}]", "[{c}, {b}]", "[{c}, {b}]"}));
  EXPECT_EQ(Op(kTwos, kPointwise, {"[{b}, {}]", "[{b}, {}]", "[{a, b, c}, {}]"}).changed()[2],
            "[{b}, {}]");
}

TEST(CommonFactorAxesTest, ExtensionsAreKept) {
  EXPECT_EQ(Op(kTwos, kPointwise, {"[{a}, {}]", "[{a, b}, {}]", "[{a}, {}]"}).changed()[0],
            "[{a, b}, {}]");
  EXPECT_EQ(Op(kTwos, "<([i, j, k], [i, j, k])->([i, j, k]) {i=16, j=16, k=32}>",
               {"[{c}, {a}, {b}]", "[{c}, {b}, {a}]", "[{}, {b, a}, {}]"})
                .changed()[0],
            "[{c}, {b, a}, {}]");
}

TEST(CommonFactorAxesTest, SumsAreCutLast) {
  EXPECT_EQ(
      Op(R"(<["a"=2, "b"=4, "c"=2]>)", kDot, {"[{}, {a, c}]", "[{c}, {b}]", "[{a}, {b:(2)2}]"})
          .changed(),
      (Texts{"[{a}, {c}]", "[{c}, {b:(2)2}]", "[{a}, {b:(2)2}]"}));
}

TEST(CommonFactorAxesTest, OneOfTwoTensorsIsTakenOver) {
  constexpr std::string_view transpose = "<([j, i])->([i, j]) {i=16, j=16}>";
  EXPECT_EQ(Op(kTwos, transpose, {"[{a}, {}]", "[{b}, {c}]"}).changed(),
            (Texts{"[{c}, {b}]", "[{b}, {c}]"}));
  EXPECT_EQ(Op(kTwos, transpose, {"[{a}, {}]", "[{b}, {}]"}).changed(),
            (Texts{"[{a}, {}]", "[{}, {a}]"}));
  EXPECT_EQ(
      Op(kTwos, "<([i, j])->([i, j]) {i=16, j=16} permutation={i}>", {"[{a, b}, {}]", "[{}, {c}]"})
          .changed(),
      (Texts{"[{}, {c}]", "[{}, {c}]"}));
}

TEST(CommonFactorAxesTest, AxesOfWholeFactorsGoToBatches) {
  constexpr std::string_view mesh = R"(<["a"=2, "b"=2, "c"=2, "d"=2]>)";
  EXPECT_EQ(Op(mesh, "<([i, j], [i, j])->([i, j]) {i=16, j=4} need_replication={i}>",
               {"[{d, c}, {b}]", "[{d, c}, {b}]", "[{a, c}, {b}]"})
                .changed(),
            (Texts{"[{}, {b, d}]", "[{}, {b, d}]", "[{}, {b, d}]"}));
}

TEST(CommonFactorAxesTest, OverflowIsDealtAnew) {
  constexpr std::string_view mesh = R"(<["a"=4, "b"=2, "c"=2, "d"=3]>)";
  constexpr std::string_view reshape = "<([ij, k])->([i, j, k]) {i=5, j=4, k=8}>";
  EXPECT_EQ(Op(mesh, reshape, {"[{b}, {a}]", "[{}, {}, {a}]"}).changed(),
            (Texts{"[{}, {a:(2)2}]", "[{}, {}, {a:(2)2}]"}));
  EXPECT_EQ(Op(mesh, reshape, {"[{d}, {a}]", "[{}, {b}, {a}]"}).changed(),
            (Texts{"[{}, {d, a}]", "[{}, {}, {d, a}]"}));
}

TEST(CommonFactorAxesTest, MinorFactorsWaitForMajorOnes) {
  constexpr std::string_view reshape = "<([i, j, k])->([ij, k]) {i=4, j=5, k=8}>";
  EXPECT_EQ(Op(kTwos, reshape, {"[{}, {b}, {a}]", "[{b}, {}]"}).changed(),
            (Texts{"[{b}, {}, {a}]", "[{b}, {a}]"}));
}

/// Axes in random dimensions of a tensor of rank `rank`.
std::string randomSharding(std::mt19937 &random, size_t rank) {
  std::vector<std::string> dims(rank);
  std::vector<std::string> axes{"a", "b", "c"};
  std::shuffle(axes.begin(), axes.end(), random);
  for (const std::string &axis : axes)
    if (size_t dim = random() % (rank + 1); dim < rank)
      dims[dim] += (dims[dim].empty() ? "" : ", ") + axis;
  std::string text;
  for (const std::string &dim : dims)
    text += (text.empty() ? "{" : ", {") + dim + "}";
  return "[" + text + "]";
}

TEST(CommonFactorAxesTest, AfterTheChangeTheTensorsAgree) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::string_view rule = seed % 2 ? kPointwise : kDot;
    Texts texts;
    for (int tensor = 0; tensor < 3; ++tensor)
      texts.push_back(randomSharding(random, 2));
    Op op(R"(<["a"=2, "b"=4, "c"=3]>)", rule, texts);
    Texts once = op.changed();
    EXPECT_TRUE(agreedAxes(op.project()));
    EXPECT_EQ(op.changed(), once);
  }
}

} // namespace
} // namespace shardwise::exporter
