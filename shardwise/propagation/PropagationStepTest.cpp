// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single steps on whole rules: the situations in which strategies, kinds of factors and directions
// differ.

#include "shardwise/propagation/PropagationStep.h"

#include "test/support/propagation/StepTesting.h"

#include <gtest/gtest.h>

namespace shardwise::propagation {
namespace {

using testing::stepInText;
using testing::StepSettings;
using Direction = PropagationDirection;
using Texts = std::vector<std::string>;

const StepSettings kBasic = {.strategy = FactorStrategy::Basic};
const StepSettings kAggressive = {};
const StepSettings kElementwise = {.isElementwise = true};
const StepSettings kBasicElementwise = {.strategy = FactorStrategy::Basic, .isElementwise = true};

TEST(PropagationStepTest, matmulByFactorKinds) {
  std::string mesh = R"(["data"=4, "model"=2])";
  std::string rule = "([i, k], [k, j])->([i, j]) {i=32, j=128, k=64} reduction={k}";
  for (FactorStrategy strategy : {FactorStrategy::Basic, FactorStrategy::Aggressive}) {
    StepSettings passThrough = {
        .strategy = strategy,
        .factorDirections = {Direction::Both, Direction::Both, Direction::None}};
    EXPECT_EQ(stepInText(mesh, rule, {"[{data}, {model}]", "none", "none"}, passThrough),
              (Texts{"[{data}, {model}]", "none", "[{data, ?}, {?}]"}));
    StepSettings all = {.strategy = strategy};
    EXPECT_EQ(stepInText(mesh, rule, {"[{data}, {model}]", "none", "[{data, ?}, {?}]"}, all),
              (Texts{"[{data}, {model}]", "[{model, ?}, {?}]", "[{data, ?}, {?}]"}));
  }
}

TEST(PropagationStepTest, subAxesThroughReshapes) {
  std::string mesh = R"(["x"=8])";
  EXPECT_EQ(stepInText(mesh, "([ij])->([i, j]) {i=4, j=6}", {"[{x}]", "none"})[1],
            "[{x:(1)4, ?}, {x:(4)2, ?}]");
  EXPECT_EQ(
      stepInText(mesh, "([j, i])->([i, j]) {i=6, j=4}", {"[{x:(1)4, ?}, {x:(4)2, ?}]", "none"})[1],
      "[{x:(4)2, ?}, {x:(1)4, ?}]");
  EXPECT_EQ(
      stepInText(mesh, "([i, j])->([ij]) {i=6, j=4}", {"[{x:(4)2, ?}, {x:(1)4, ?}]", "none"})[1],
      "[{x:(4)2, ?}]");
}

TEST(PropagationStepTest, divisibilityAndOverflow) {
  std::string mesh = R"(["p"=2, "q"=3])";
  struct Case {
    const char *rule, *operand, *result;
  };
  for (const Case &c : {
           Case{"([ij])->([i, j]) {i=4, j=5}", "[{p, q}]", "[{p, ?}, {?}]"},
           Case{"([ij])->([i, j]) {i=2, j=10}", "[{p, q}]", "[{p, ?}, {q, ?}]"},
           Case{"([i, j])->([ij]) {i=4, j=5}", "[{p}, {q}]", "[{p, ?}]"},
           Case{"([i, j])->([ij]) {i=2, j=10}", "[{p}, {q}]", "[{p, q, ?}]"},
       })
    for (const StepSettings &settings : {kBasic, kAggressive})
      EXPECT_EQ(stepInText(mesh, c.rule, {c.operand, "none"}, settings),
                (Texts{c.operand, c.result}));
}

TEST(PropagationStepTest, oneAxisWantedByTwoDimensions) {
  std::string mesh = R"(["x"=2, "y"=2, "z"=2])";
  struct Case {
    const char *sizes, *a, *b, *basic, *aggressive;
  };
  for (const Case &c : {
           Case{"{i=64, j=16, k=8}", "[{x}, {?}]", "[{?}, {x}]", "none", "[{x, ?}, {?}]"},
           Case{"{i=16, j=64, k=8}", "[{x}, {?}]", "[{?}, {x}]", "none", "[{?}, {x, ?}]"},
           Case{"{i=64, j=16, k=8}", "[{x, y}, {?}]", "[{?}, {z, x}]", "[{?}, {z, ?}]",
                "[{x, y, ?}, {z, ?}]"},
       }) {
    std::string rule = std::string("([i, k], [k, j])->([i, j]) ") + c.sizes + " reduction={k}";
    EXPECT_EQ(stepInText(mesh, rule, {c.a, c.b, "none"}, kBasic), (Texts{c.a, c.b, c.basic}));
    EXPECT_EQ(stepInText(mesh, rule, {c.a, c.b, "none"}, kAggressive),
              (Texts{c.a, c.b, c.aggressive}));
  }
}

TEST(PropagationStepTest, sidewaysIsCappedByResultsOfElementwiseOps) {
  std::string mesh = R"(["x"=2, "y"=4])";
  std::string rule = "([i, j], [i, j])->([i, j]) {i=8, j=8}";
  Texts before = {"[{x}, {y}]", "none", "[{}, {?}]"};
  Texts capped = {"[{x}, {y}]", "[{?}, {y, ?}]", "[{}, {y, ?}]"};
  EXPECT_EQ(stepInText(mesh, rule, before, kBasicElementwise), capped);
  EXPECT_EQ(stepInText(mesh, rule, before, kElementwise), capped);
  EXPECT_EQ(stepInText(mesh, rule, before, kBasic), capped);
  EXPECT_EQ(stepInText(mesh, rule, before, kAggressive),
            (Texts{"[{x}, {y}]", "[{x, ?}, {y, ?}]", "[{}, {y, ?}]"}));
}

TEST(PropagationStepTest, broadcastCannotUseAnAxisOfAnotherDimension) {
  std::string mesh = R"(["x"=2])";
  std::string rule = "([j])->([i, j]) {i=8, j=16}";
  for (const StepSettings &settings : {kBasic, kAggressive}) {
    EXPECT_EQ(stepInText(mesh, rule, {"[{x}]", "[{x, ?}, {?}]"}, settings),
              (Texts{"[{x}]", "[{x, ?}, {?}]"}));
    EXPECT_EQ(stepInText(mesh, rule, {"[{x}]", "none"}, settings),
              (Texts{"[{x}]", "[{?}, {x, ?}]"}));
  }
  StepSettings backward = {.direction = Direction::Backward};
  EXPECT_EQ(stepInText(mesh, rule, {"[{x}]", "none"}, backward), (Texts{"[{x}]", "none"}));
}

TEST(PropagationStepTest, tiesGoToTheFirstSourceAndReservedAxesStayFree) {
  std::string mesh = R"(["x"=2])";
  std::string rule = "([i, j], [i, j])->([i, j]) {i=16, j=16}";
  EXPECT_EQ(stepInText(mesh, rule, {"[{x}, {?}]", "[{?}, {x}]", "none"}, kElementwise)[2],
            "[{x, ?}, {?}]");
  // The first operand waits for its turn with x reserved.
  EXPECT_EQ(
      stepInText(mesh, rule, {"[{}, {?}], replicated={x}", "[{?}, {x}]", "none"}, kElementwise),
      (Texts{"[{}, {?}], replicated={x}", "[{?}, {x}]", "[{?}, {x, ?}]"}));
}

TEST(PropagationStepTest, elementwiseOpsPreferMoreDevices) {
  // Both sources have the same size. j brings four devices, of which x:(1)2 conflicts with i.
  std::string mesh = R"(["x"=4])";
  std::string rule = "([i, j], [i, j])->([i, j]) {i=16, j=16}";
  Texts before = {"[{x:(1)2}, {?}]", "[{?}, {x}]", "none"};
  EXPECT_EQ(stepInText(mesh, rule, before, kElementwise)[2], "[{?}, {x, ?}]");
  EXPECT_EQ(stepInText(mesh, rule, before, kAggressive)[2], "[{x:(1)2, ?}, {?}]");
}

TEST(PropagationStepTest, slicedPaddedAndUpdatedDimensions) {
  std::string mesh = R"(["x"=2, "y"=2])";
  std::string a = "[{x}, {y}]";
  EXPECT_EQ(stepInText(mesh, "([i, j])->([i, j]) {i=16, j=8} permutation={i}", {a, "none"})[1],
            "[{x, ?}, {y, ?}]");
  EXPECT_EQ(stepInText(mesh,
                       "([i, j], [], [])->([i, j]) {i=16, j=8} need_replication={i} "
                       "blocked_propagation={i}",
                       {a, "none", "none", "none"})[3],
            "[{?}, {y, ?}]");
  EXPECT_EQ(stepInText(mesh, "([i, j], [])->([i, j]) {i=16, j=8} permutation={i}",
                       {a, "none", "none"})[2],
            "[{x, ?}, {y, ?}]");
  EXPECT_EQ(stepInText(mesh, "([i, k], [j, k], [], [])->([i, k]) {i=16, j=4, k=8}",
                       {"none", a, "none", "none", "none"}),
            (Texts{"[{?}, {y, ?}]", a, "none", "none", "[{?}, {y, ?}]"}));
  EXPECT_EQ(stepInText(mesh, "([i, j], [i, j], [i, j])->([i, j]) {i=12, j=8} need_replication={i}",
                       {a, a, a, "none"})[3],
            "[{x, ?}, {y, ?}]");
}

TEST(PropagationStepTest, convolution) {
  std::string rule = "([i, jk, l], [k, l, m])->([i, j, m]) {i=8, j=16, k=2, l=16, m=64} "
                     "reduction={k, l} permutation={j}";
  for (const StepSettings &settings : {kBasic, kAggressive}) {
    EXPECT_EQ(
        stepInText(R"(["b"=2, "s"=4, "k"=2])", rule, {"[{b}, {s}, {k}]", "none", "none"}, settings),
        (Texts{"[{b}, {s}, {k}]", "[{?}, {k, ?}, {?}]", "[{b, ?}, {s, ?}, {?}]"}));
    EXPECT_EQ(stepInText(R"(["s"=32])", rule, {"[{?}, {s}, {?}]", "none", "none"}, settings),
              (Texts{"[{?}, {s}, {?}]", "[{s:(16)2, ?}, {?}, {?}]", "[{?}, {s:(1)16, ?}, {?}]"}));
  }
}

TEST(PropagationStepTest, closedTensorStopsAllOrOnlyItself) {
  std::string mesh = R"(["x"=2])";
  std::string rule = "([i], [i])->([i]) {i=8}";
  Texts before = {"[{x}]", "[{}]", "none"};
  EXPECT_EQ(stepInText(mesh, rule, before, kBasic), before);
  EXPECT_EQ(stepInText(mesh, rule, before, kAggressive), (Texts{"[{x}]", "[{}]", "[{x, ?}]"}));
}

TEST(PropagationStepTest, tensorWithoutTheFactorStopsOthersInBasicOnly) {
  std::string mesh = R"(["x"=2])";
  std::string rule = "([i], [j])->([i]) {i=8, j=8}";
  Texts before = {"[{x}]", "[{x}]", "none"};
  EXPECT_EQ(stepInText(mesh, rule, before, kBasic), before);
  EXPECT_EQ(stepInText(mesh, rule, before, kAggressive)[2], "[{x, ?}]");
  // Replicated axes of such a tensor stop nobody.
  EXPECT_EQ(stepInText(mesh, rule, {"[{x}]", "[{?}], replicated={x}", "none"}, kBasic)[2],
            "[{x, ?}]");
}

TEST(PropagationStepTest, conservativeStepsDoNotSplitAxes) {
  std::string mesh = R"(["x"=8, "y"=2])";
  std::string rule = "([ij])->([i, j]) {i=4, j=8}";
  for (FactorStrategy strategy : {FactorStrategy::Basic, FactorStrategy::Aggressive}) {
    StepSettings conservative = {.strategy = strategy, .isConservative = true};
    EXPECT_EQ(stepInText(mesh, rule, {"[{x}]", "none"}, conservative)[1], "none");
    EXPECT_EQ(stepInText(mesh, rule, {"[{y}]", "none"}, conservative)[1], "[{y, ?}, {?}]");
  }
}

TEST(PropagationStepTest, blockedFactorsAndNoDirection) {
  std::string mesh = R"(["x"=2])";
  EXPECT_EQ(stepInText(mesh, "([i])->([i]) {i=8} blocked_propagation={i}", {"[{x}]", "none"})[1],
            "none");
  StepSettings none = {.direction = Direction::None};
  EXPECT_EQ(stepInText(mesh, "([i])->([i]) {i=8}", {"[{x}]", "none"}, none)[1], "none");
}

TEST(PropagationStepTest, touchedButUnchangedTensorIsNoUpdate) {
  // The minor factor gets y, but the major one is not complete, so nothing of it remains.
  std::string mesh = R"(["x"=2, "y"=2])";
  core::Mesh parsedMesh = core::parseMesh(mesh).value();
  core::ShardingRule rule = core::parseShardingRule("([i, j])->([ij]) {i=4, j=4}").value();
  std::vector<std::optional<core::Sharding>> shardings = {
      testing::shardingOf("[{x}, {y}]", parsedMesh), testing::shardingOf("[{x, ?}]", parsedMesh)};
  EXPECT_EQ(testing::runStep(parsedMesh, rule, {}, shardings), 0u);
  shardings = {testing::shardingOf("[{?}, {y}]", parsedMesh), std::nullopt};
  EXPECT_EQ(testing::runStep(parsedMesh, rule, {}, shardings), 0u);
}

TEST(PropagationStepTest, movingToTheCommonMeshIsAnUpdate) {
  core::Mesh mesh = core::parseMesh(R"(["x"=2, "y"=2])").value();
  core::ShardingRule rule = core::parseShardingRule("([i, j])->([ij]) {i=4, j=4}").value();
  core::Sharding operand = *testing::shardingOf("[{?}, {y}]", mesh);
  core::Sharding result = core::openSharding(1);
  for (bool isOnCommonMesh : {true, false}) {
    TensorSharding operands[] = {{&operand, true}};
    TensorSharding results[] = {{&result, isOnCommonMesh}};
    std::vector<TensorUpdate> updates = propagate({mesh, rule, operands, results});
    EXPECT_EQ(updates.size(), isOnCommonMesh ? 0u : 1u);
  }
}

TEST(PropagationStepTest, updatesNameOperandsThenResults) {
  core::Mesh mesh = core::parseMesh(R"(["x"=2])").value();
  core::ShardingRule rule = core::parseShardingRule("([i], [i])->([i], [i]) {i=4}").value();
  core::Sharding sharding = *testing::shardingOf("[{x}]", mesh);
  TensorSharding operands[] = {{}, {&sharding}};
  TensorSharding results[] = {{}, {}};
  StepBuffers buffers;
  std::vector<TensorUpdate> updates = propagate({mesh, rule, operands, results}, buffers);
  ASSERT_EQ(updates.size(), 3u);
  EXPECT_EQ(updates[0].tensor, 0);
  EXPECT_EQ(updates[1].tensor, 2);
  EXPECT_EQ(updates[2].tensor, 3);
}

TEST(PropagationStepTest, oddFactorSizesDoNoHarm) {
  // Rules of users may say anything about sizes.
  std::string mesh = R"(["x"=4, "y"=3])";
  for (const char *sizes : {"{i=0, j=0}", "{i=-4, j=-2}", "{i=9223372036854775807, j=2}"})
    for (const StepSettings &settings : {kBasic, kAggressive}) {
      std::string rule = std::string("([ij], [i, j])->([i, j]) ") + sizes;
      Texts after = stepInText(mesh, rule, {"[{x, y}]", "[{y}, {?}]", "none"}, settings);
      EXPECT_EQ(after[0], "[{x, y}]");
    }
}

} // namespace
} // namespace shardwise::propagation
