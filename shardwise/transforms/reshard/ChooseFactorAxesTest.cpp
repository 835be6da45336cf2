// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the choice of factor axes, on rules and shardings in text form.

#include "shardwise/transforms/reshard/ChooseFactorAxes.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"

#include "gtest/gtest.h"

#include <random>

namespace shardwise::reshard {
namespace {

/// Received bytes if everything not held were fetched: enough to order choices.
double fetchedBytes(std::span<const int64_t> shape, int64_t elementBytes,
                    const core::Sharding &from, const core::Sharding &to) {
  core::Shape whole(shape.begin(), shape.end());
  double target = double(core::numElements(core::localShape(whole, to)));
  core::Sharding both = to;
  double kept = 1;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    core::AxisList common = core::commonPrefix(from.dims[d].axes, to.dims[d].axes);
    double overlap =
        double(core::shardedSize(common)) / double(core::shardedSize(from.dims[d].axes));
    kept *= overlap;
  }
  double reduced = from.unreduced == to.unreduced ? 0 : 2 * target;
  return (target * (1 - kept) + reduced) * double(elementBytes);
}

/// An op whose tensors are added operands first; sizes of dimensions are products of the sizes of
/// their factors.
struct Case {
  core::Mesh mesh;
  core::ShardingRule rule;
  std::vector<core::FactorUse> uses;
  std::vector<core::Padding> paddings;
  std::vector<core::Shape> shapes;
  std::vector<core::Sharding> placements;
  std::vector<core::OperandWindow> windows;

  Case(std::string_view meshText, std::string_view ruleText)
      : mesh(core::parseMesh(meshText).value()), rule(core::parseShardingRule(ruleText).value()),
        uses(rule.factorSizes.size()) {
    for (core::FactorIndex factor = 0; factor < rule.numFactors(); ++factor)
      if (rule.kind(factor) == core::FactorKind::Reduction)
        uses[factor] = core::FactorUse::partial(core::ReductionKind::Sum);
      else if (rule.kind(factor) == core::FactorKind::PassThrough)
        uses[factor] = core::FactorUse::local();
  }

  Case &tensor(const core::TensorMapping &mapping, std::string_view sharding) {
    core::Shape &shape = shapes.emplace_back();
    for (const core::DimMapping &dim : mapping) {
      int64_t size = 1;
      for (core::FactorIndex factor : dim)
        size *= rule.factorSizes[factor];
      shape.push_back(size);
    }
    placements.push_back(core::resolve(core::parseSharding(sharding).value(), mesh).value());
    return *this;
  }
  Case &operand(std::string_view sharding) {
    return tensor(rule.operands[placements.size()], sharding);
  }
  Case &result(std::string_view sharding) {
    return tensor(rule.results[placements.size() - rule.operands.size()], sharding);
  }
  propagation::AxesPerFactor choose() const {
    std::vector<const core::Sharding *> pointers;
    std::vector<propagation::FactorTensor> tensors;
    for (size_t i = 0; i < placements.size(); ++i) {
      pointers.push_back(&placements[i]);
      tensors.push_back({shapes[i]});
    }
    propagation::ShardingProjection projection;
    projection.fill(rule, pointers, propagation::Remainder::CutOffInProducts);
    return chooseFactorAxes({projection, tensors, mesh, uses, paddings, fetchedBytes, windows});
  }
  std::string chosen() const {
    std::string text;
    for (const core::AxisList &axes : choose())
      text += (text.empty() ? "" : " ") + core::toString(axes, mesh);
    return text;
  }
};

constexpr std::string_view kMesh = R"(<["data"=4, "model"=2]>)";
constexpr std::string_view kMatmul =
    "<([i, k], [k, j])->([i, j]) {i=64, j=32, k=16} reduction={k}>";

TEST(ChooseFactorAxesTest, agreementIsKept) {
  Case matmul(kMesh, kMatmul);
  matmul.operand(R"([{"data"}, {}])").operand(R"([{}, {"model"}])");
  matmul.result(R"([{"data"}, {"model"}])");
  EXPECT_EQ(matmul.chosen(), R"({"data"} {"model"} {})");
}

TEST(ChooseFactorAxesTest, unevenFactorsAreCutAsFarAsTheOpAllows) {
  Case matmul(kMesh, "<([i, k], [k, j])->([i, j]) {i=10, j=3, k=6} reduction={k}>");
  matmul.operand(R"([{}, {"data"}])").operand(R"([{"data"}, {"model"}])");
  matmul.result(R"([{}, {"model"}])");
  EXPECT_EQ(matmul.chosen(), R"({} {} {"data":(1)2})");
  matmul.paddings = {core::Padding::Ignored, core::Padding::Ignored, core::Padding::Neutral};
  EXPECT_EQ(matmul.chosen(), R"({} {"model"} {"data"})");
}

TEST(ChooseFactorAxesTest, shardedContractionStaysSharded) {
  Case matmul(kMesh, kMatmul);
  matmul.operand(R"([{"data"}, {"model"}])").operand(R"([{"model"}, {}])");
  matmul.result(R"([{"data"}, {}])");
  EXPECT_EQ(matmul.chosen(), R"({"data"} {} {"model"})");
}

TEST(ChooseFactorAxesTest, gradientIsReducedOverTheBatch) {
  // Contracting over the batch: partial sums, although gathering the activations is cheaper.
  Case matmul(kMesh, "<([k, i], [k, j])->([i, j]) {i=512, j=256, k=16} reduction={k}>");
  matmul.operand(R"([{"data"}, {}])").operand(R"([{"data"}, {"model"}])");
  matmul.result(R"([{}, {"model"}])");
  EXPECT_EQ(matmul.chosen(), R"({} {"model"} {"data"})");
}

TEST(ChooseFactorAxesTest, batchStaysShardedWhereFeaturesConflict) {
  // Both features want "model", which only one can have; the batch is not given up for that.
  Case matmul(kMesh, "<([k, i], [k, j])->([i, j]) {i=32, j=32, k=8} reduction={k}>");
  matmul.operand(R"([{"data"}, {"model"}])").operand(R"([{"data"}, {"model"}])");
  matmul.result(R"([{"model"}, {}])");
  EXPECT_EQ(matmul.chosen(), R"({"model"} {} {"data"})");
}

TEST(ChooseFactorAxesTest, weightsAreGatheredWhereTheBatchIsLarge) {
  // One axis wanted by the batch of the activations and by the contraction of the weights.
  Case matmul(kMesh, "<([i, k], [k, j])->([i, j]) {i=4096, j=32, k=16} reduction={k}>");
  matmul.operand(R"([{"data"}, {}])").operand(R"([{"data"}, {}])").result(R"([{"data"}, {}])");
  EXPECT_EQ(matmul.chosen(), R"({"data"} {} {})");
}

TEST(ChooseFactorAxesTest, replicatedOperandIsSliced) {
  Case add(kMesh, "<([i, j], [i, j])->([i, j]) {i=8, j=8}>");
  add.operand(R"([{"data"}, {}])").operand(R"([{}, {}])").result(R"([{"data"}, {}])");
  EXPECT_EQ(add.chosen(), R"({"data"} {})");
}

TEST(ChooseFactorAxesTest, needReplicationIsNotCut) {
  Case sort(kMesh, "<([i, j])->([i, j]) {i=8, j=8} need_replication={j}>");
  sort.operand(R"([{"data"}, {"model"}])").result(R"([{"data"}, {"model"}])");
  // There is room for "model" in the other factor.
  EXPECT_EQ(sort.chosen(), R"({"data", "model"} {})");
}

TEST(ChooseFactorAxesTest, needReplicationIsNotCutWithoutRoomElsewhere) {
  Case sort(kMesh, "<([i, j])->([i, j]) {i=4, j=8} need_replication={j}>");
  sort.operand(R"([{"data"}, {"model"}])").result(R"([{"data"}, {"model"}])");
  EXPECT_EQ(sort.chosen(), R"({"data"} {})");
}

TEST(ChooseFactorAxesTest, twoPhasesAreWeighed) {
  // 2 candidates of each part, or 16 of 32 elements.
  for (int64_t candidates : {2, 16}) {
    Case topK(kMesh, "<([i, j])->([i, j]) {i=8, j=64} need_replication={j}>");
    topK.operand(R"([{}, {"data"}])").result("[{}, {}]");
    topK.uses[1] = core::FactorUse::twoPhase(candidates, core::FactorUse::SecondPhase::Selects);
    topK.shapes[1] = {8, candidates};
    EXPECT_EQ(topK.chosen(), candidates == 2 ? R"({} {"data"})" : R"({"data"} {})");
  }
}

TEST(ChooseFactorAxesTest, readFactorLeavesTheResultWhole) {
  Case slice(kMesh, "<([i, j])->([i, j]) {i=8, j=64} need_replication={j}>");
  slice.operand(R"([{}, {"data"}])").result("[{}, {}]");
  slice.uses[1] = core::FactorUse::read(core::ReductionKind::Sum);
  slice.shapes[1] = {8, 1};
  EXPECT_EQ(slice.chosen(), R"({} {"data"})");
}

TEST(ChooseFactorAxesTest, sizesThatDoNotDivideAreCutToAPrefix) {
  Case exp(kMesh, "<([i])->([i]) {i=6}>");
  exp.operand(R"([{"data"}])").result(R"([{"data"}])");
  EXPECT_EQ(exp.chosen(), R"({"data":(1)2})");
}

TEST(ChooseFactorAxesTest, subAxesThroughReshape) {
  Case reshape(R"(<["x"=8]>)", "<([ij])->([i, j]) {i=4, j=6}>");
  reshape.operand(R"([{"x"}])").result(R"([{"x":(1)4}, {"x":(4)2}])");
  EXPECT_EQ(reshape.chosen(), R"({"x":(1)4} {"x":(4)2})");
}

TEST(ChooseFactorAxesTest, noStridedShards) {
  // The minor factor is cut in the result, but in the operand the major one is not cut.
  Case reshape(kMesh, "<([ij])->([i, j]) {i=4, j=8}>");
  reshape.operand(R"([{}])").result(R"([{}, {"model"}])");
  EXPECT_EQ(reshape.chosen(), R"({} {})");
}

/// Whatever the shardings are: lists divide, do not overlap, and forbidden factors have none.
TEST(ChooseFactorAxesTest, alwaysLegal) {
  core::Mesh mesh = core::parseMesh(R"(<["a"=2, "b"=4, "c"=3]>)").value();
  const char *lists[] = {"{}", R"({"a"})", R"({"b"})", R"({"c"})", R"({"b":(1)2})"};
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    auto sharding = [&] {
      for (;;) {
        std::string text =
            std::string("[") + lists[random() % 5] + ", " + lists[random() % 5] + "]";
        if (core::resolve(core::parseSharding(text).value(), mesh).ok())
          return text;
      }
    };
    Case matmul(R"(<["a"=2, "b"=4, "c"=3]>)",
                "<([i, k], [k, j])->([i, j]) {i=12, j=8, k=6} reduction={k}>");
    matmul.operand(sharding()).operand(sharding()).result(sharding());
    if (random() % 4 == 0)
      matmul.uses[2] = core::FactorUse::whole();
    propagation::AxesPerFactor axes = matmul.choose();
    core::AxisList seen;
    for (size_t factor = 0; factor < axes.size(); ++factor) {
      EXPECT_EQ(matmul.rule.factorSizes[factor] % core::shardedSize(axes[factor]), 0)
          << "seed " << seed;
      EXPECT_FALSE(core::overlaps(axes[factor], seen)) << "seed " << seed;
      EXPECT_TRUE(matmul.uses[factor].mayBeCut() || axes[factor].empty()) << "seed " << seed;
      seen.insert(seen.end(), axes[factor].begin(), axes[factor].end());
    }
  }
}

/// An op of which index q of factor i reads `window` of its operand, with one more dimension.
Case windowCase(core::Window window, int64_t size, std::string_view operand,
                std::string_view result) {
  std::string sizes = "i=" + std::to_string(size);
  Case op(kMesh, "<([i, j])->([i, j]) {" + sizes + ", j=16} permutation={i}>");
  op.uses[0] = core::FactorUse::window();
  op.windows.push_back({0, 0, 0, size, window});
  op.operand(operand).result(result);
  return op;
}

TEST(ChooseFactorAxesTest, windowStaysCut) {
  Case op = windowCase({1, 1, 3, 1}, 64, R"([{"data"}, {}])", R"([{"data"}, {}])");
  EXPECT_EQ(op.chosen(), R"({"data"} {})");
}

TEST(ChooseFactorAxesTest, whatAWindowFetchesIsPaid) {
  // "data" has to move to the other dimension, before the op or behind it. Before, nothing is read
  // of neighbours.
  Case op = windowCase({1, 1, 3, 1}, 64, R"([{"data"}, {}])", R"([{}, {"data"}])");
  EXPECT_EQ(op.chosen(), R"({} {"data"})");
}

TEST(ChooseFactorAxesTest, windowOfEverythingIsWholeAndItsAxesMove) {
  Case op = windowCase({1, 63, 127, 1}, 64, R"([{"data"}, {}])", R"([{"data"}, {}])");
  EXPECT_EQ(op.chosen(), R"({} {"data"})");
}

TEST(ChooseFactorAxesTest, windowIsCutAsFarAsItsIntervalsAreAlike) {
  // Blocks of two indices begin at every element of a base dilated by 2, not of one by 4.
  Case op = windowCase({1, 0, 1, 2}, 8, R"([{"data"}, {}])", R"([{"data"}, {}])");
  EXPECT_EQ(op.chosen(), R"({"data"} {})");
  op = windowCase({1, 0, 1, 4}, 8, R"([{"data"}, {}])", R"([{"data"}, {}])");
  EXPECT_EQ(op.chosen(), R"({} {"data"})");
}

} // namespace
} // namespace shardwise::reshard
