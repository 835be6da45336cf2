// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conflicts of small programs: every obstacle, and every rule by which one side goes before the
// other, derived by hand.

#include "shardwise/transforms/propagate/Conflicts.h"

#include "shardwise/transforms/propagate/TracedRunTesting.h"

#include "gtest/gtest.h"

#include <fmt/format.h>

namespace shardwise::propagate {
namespace {

using Conflicts = std::vector<std::string>;

Conflicts conflictsOf(std::string_view text, PropagationOptions options = {}) {
  TracedRun traced = traceRun(text, std::move(options));
  EXPECT_EQ(traced.faults, std::vector<std::string>{});
  return traced.conflicts;
}

/// `%c = dot(%a, %b)` on a mesh of three axes of two devices.
std::string matmul(std::string_view a, std::string_view b, int64_t rows = 64,
                   int64_t columns = 16) {
  std::string left = fmt::format("tensor<{}x8xf32>", rows);
  std::string right = fmt::format("tensor<8x{}xf32>", columns);
  std::string result = fmt::format("tensor<{}x{}xf32>", rows, columns);
  return fmt::format(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: {} {{sdy.sharding = #sdy.sharding<@mesh, {}>}}, %b: {} {{sdy.sharding = #sdy.sharding<@mesh, {}>}}) -> {} {{
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> {}
  return %c : {}
}}
)mlir",
                     left, a, right, b, result, left, right, result, result);
}

/// `%c = add(%a, %b)`, both 16x16.
std::string addition(std::string_view a, std::string_view b, std::string_view result = "") {
  return fmt::format(
      R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: tensor<16x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, {}>}}, %b: tensor<16x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, {}>}}) -> (tensor<16x16xf32> {}) {{
  %c = stablehlo.add %a, %b : tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}}
)mlir",
      a, b,
      result.empty() ? "" : fmt::format("{{sdy.sharding = #sdy.sharding<@mesh, {}>}}", result));
}

TEST(ConflictsTest, noneWhereAllAgree) {
  EXPECT_EQ(conflictsOf(matmul(R"([{"x"}, {"y"}])", R"([{"y"}, {"z"}])")), Conflicts{});
  EXPECT_EQ(conflictsOf(addition(R"([{"x"}, {?}])", R"([{"x"}, {"y"}])")), Conflicts{});
}

//===----------------------------------------------------------------------===//
// Who goes first
//===----------------------------------------------------------------------===//

TEST(ConflictsTest, theLargerSourceGoesFirst) {
  EXPECT_EQ(conflictsOf(matmul(R"([{"x"}, {?}])", R"([{?}, {"x"}])", 64, 16)),
            (Conflicts{R"(dot_general: %c 0 {"x"} from %a over %b 1 {"x"} from %b)"
                       " (other_dimension, larger_source)"}));
  EXPECT_EQ(conflictsOf(matmul(R"([{"x"}, {?}])", R"([{?}, {"x"}])", 16, 64)),
            (Conflicts{R"(dot_general: %c 1 {"x"} from %b over %a 0 {"x"} from %a)"
                       " (other_dimension, larger_source)"}));
}

TEST(ConflictsTest, onlyThePartThatDoesNotOverlapPasses) {
  // Example 4, third row: "z" still passes.
  TracedRun traced = traceRun(matmul(R"([{"x", "y"}, {?}])", R"([{?}, {"z", "x"}])"));
  EXPECT_EQ(traced.shardings["%c"], R"([{"x", "y", ?}, {"z", ?}])");
  EXPECT_EQ(traced.conflicts,
            (Conflicts{R"(dot_general: %c 0 {"x"} from %a over %b 1 {"x"} from %b)"
                       " (other_dimension, larger_source)"}));
}

TEST(ConflictsTest, equalSourcesGoInOrder) {
  EXPECT_EQ(conflictsOf(matmul(R"([{"x"}, {?}])", R"([{?}, {"x"}])", 16, 16)),
            (Conflicts{R"(dot_general: %c 0 {"x"} from %a over %b 1 {"x"} from %b)"
                       " (other_dimension, source_order)"}));
}

TEST(ConflictsTest, theLargestTensorWithTheAxisIsTheSource) {
  // %a is smaller than %b, but the bias has its axis too and is the largest: a custom rule.
  EXPECT_EQ(conflictsOf(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %d: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
  %c = stablehlo.custom_call @outer(%a, %b, %d) {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [i, k])->([i, j]) {i=8, j=16, k=64}, custom>} : (tensor<8xf32>, tensor<16xf32>, tensor<8x64xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
)mlir"),
            (Conflicts{R"(custom_call: %c 0 {"x"} from %a over %b 0 {"x"} from %b)"
                       " (other_dimension, larger_source)"}));
}

TEST(ConflictsTest, moreDevicesGoFirstInElementwiseOps) {
  // Both sources have one size; {"x", "y"} of %b goes before {"x"} of %a, which was first.
  EXPECT_EQ(
      conflictsOf(addition(R"([{"x"}, {?}])", R"([{?}, {"x", "y"}])")),
      (Conflicts{
          R"(add: %c 1 {"x"} from %b over %a 0 {"x"} from %a (other_dimension, more_devices))",
          R"(add: %a 0 {"x"} from %a over %b 1 {"x"} from %b (other_dimension, annotated))"}));
}

TEST(ConflictsTest, axesAreNeverTakenAway) {
  // %a is annotated where %b's axis should go, and the other way round; %c is free.
  Conflicts conflicts = conflictsOf(addition(R"([{"x"}, {?}])", R"([{?}, {"x"}])"));
  ASSERT_EQ(conflicts.size(), 2u);
  EXPECT_EQ(conflicts[0],
            R"(add: %b 1 {"x"} from %b over %a 0 {"x"} from %a (other_dimension, annotated))");
  EXPECT_EQ(conflicts[1],
            R"(add: %c 0 {"x"} from %a over %b 1 {"x"} from %b (other_dimension, source_order))");
}

TEST(ConflictsTest, lowerPriorityNumbersGoFirst) {
  // Example 7.
  Conflicts conflicts = conflictsOf(addition(R"([{"x"}p1, {?}])", R"([{?}, {"x"}])"));
  EXPECT_EQ(
      conflicts,
      (Conflicts{
          R"(add: %c 1 {"x"} from %b over %a 0 {"x"} from %a (other_dimension, user_priority))",
          R"(add: %a 0 {"x"} from %a over %b 1 {"x"} from %b (other_dimension, annotated))"}));
  EXPECT_EQ(conflictsOf(matmul(R"([{"x"}p3, {?}])", R"([{?}, {"x"}p2])", 64, 8)),
            (Conflicts{R"(dot_general: %c 1 {"x"} from %b over %a 0 {"x"} from %a)"
                       " (other_dimension, user_priority)"}));
}

TEST(ConflictsTest, elementwiseOpsGoBeforeContractions) {
  EXPECT_EQ(
      conflictsOf(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<64x64xf32>,
                %d: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<64x64xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = stablehlo.add %c, %d : tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}
)mlir")
          .front(),
      R"(dot_general: %c 1 {"x"} from %d over %a 0 {"x"} from %a (other_dimension, op_priority))");
}

TEST(ConflictsTest, broadcastsPassForwardLast) {
  // %r gets "x" from the dot by its contracted dimension, at level 3; the broadcast could bring it
  // forward to the other dimension only at level 4.
  EXPECT_EQ(conflictsOf(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%bias: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>},
                %v: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<16x4xf32> {
  %r = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %c = stablehlo.dot_general %r, %v, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  return %c : tensor<16x4xf32>
}
)mlir")
                .front(),
            R"(broadcast_in_dim: %r 0 {"x"} from %v over %bias 0 {"x"} from %bias)"
            " (other_dimension, op_priority)");
}

TEST(ConflictsTest, theOpThatIsVisitedFirstGoesFirst) {
  // Both ops want "x" on %c at level 1, on different dimensions; the first in the program wins,
  // without any step that compared the two.
  Conflicts conflicts = conflictsOf(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %c: tensor<16x16xf32>,
                %b: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %d = stablehlo.add %a, %c : tensor<16x16xf32>
  %e = stablehlo.multiply %b, %c : tensor<16x16xf32>
  return %d, %e : tensor<16x16xf32>, tensor<16x16xf32>
}
)mlir");
  EXPECT_EQ(
      conflicts,
      (Conflicts{
          R"(multiply: %e 1 {"x"} from %b over %c 0 {"x"} from %a (other_dimension, source_order))",
          R"(multiply: %c 0 {"x"} from %a over %b 1 {"x"} from %b (other_dimension, program_order))"}));
}

TEST(ConflictsTest, withoutLevelsTheStepDecidesToo) {
  PropagationOptions options;
  options.hierarchy = PropagationHierarchy::Aggressive;
  EXPECT_EQ(conflictsOf(matmul(R"([{"x"}, {?}])", R"([{?}, {"x"}])", 64, 16), options),
            (Conflicts{R"(dot_general: %c 0 {"x"} from %a over %b 1 {"x"} from %b)"
                       " (other_dimension, larger_source)"}));
}

TEST(ConflictsTest, basicStrategyLetsNeitherPass) {
  // Example 4 under the basic strategy: each operand blocks the other's axis, %c gets none.
  PropagationOptions options;
  options.hierarchy = PropagationHierarchy::Basic;
  EXPECT_EQ(conflictsOf(matmul(R"([{"x"}, {?}])", R"([{?}, {"x"}])", 64, 16), options),
            (Conflicts{R"(dot_general: %c 0 over %a 0 {"x"} from %a (direction, none))",
                       R"(dot_general: %c 1 over %b 1 {"x"} from %b (direction, none))"}));
}

//===----------------------------------------------------------------------===//
// What stands in the way
//===----------------------------------------------------------------------===//

TEST(ConflictsTest, differentAxesOnOneFactor) {
  EXPECT_EQ(conflictsOf(addition(R"([{"x"}, {?}])", R"([{"y"}, {?}])")),
            (Conflicts{R"(add: %b 0 {"y"} from %b over %a 0 {"x"} from %a (other_axes, none))"}));
  // What both begin with passes.
  TracedRun traced = traceRun(addition(R"([{"x", "y"}, {?}])", R"([{"x", "z"}, {?}])"));
  EXPECT_EQ(traced.shardings["%c"], R"([{"x", ?}, {?}])");
  EXPECT_EQ(traced.conflicts,
            (Conflicts{R"(add: %b 0 {"x", "z"} from %b over %a 0 {"x", "y"} from %a)"
                       " (other_axes, none)"}));
}

TEST(ConflictsTest, contractedDimensionsThatDisagree) {
  EXPECT_EQ(
      conflictsOf(matmul(R"([{?}, {"x"}])", R"([{"y"}, {?}])")),
      (Conflicts{R"(dot_general: %b 0 {"y"} from %b over %a 1 {"x"} from %a (other_axes, none))"}));
}

TEST(ConflictsTest, closedDimensions) {
  EXPECT_EQ(conflictsOf(addition(R"([{"x"}, {?}])", R"([{}, {?}])")),
            (Conflicts{R"(add: %b 0 over %a 0 {"x"} from %a (closed, none))"}));
  // The result of the function is closed: it is the place to look, not %b that was capped by it.
  EXPECT_EQ(conflictsOf(addition(R"([{"x"}, {?}])", R"([{?}, {?}])", R"([{}, {}])")),
            (Conflicts{R"(return: result 0 0 over %c 0 {"x"} from %a (closed, none))"}));
}

TEST(ConflictsTest, reservedAxes) {
  EXPECT_EQ(conflictsOf(addition(R"([{"x"}, {?}])", R"([{?}, {?}], replicated={"x"})")),
            (Conflicts{R"(add: %b 0 over %a 0 {"x"} from %a (replicated, none))"}));
  EXPECT_EQ(conflictsOf(addition(R"([{"x"}, {?}])", R"([{?}, {?}], unreduced={"x"})")),
            (Conflicts{R"(add: %b 0 over %a 0 {"x"} from %a (unreduced, none))"}));
}

TEST(ConflictsTest, partsThatDoNotDivide) {
  // Example 3: "q" does not divide what is left of the major part.
  EXPECT_EQ(conflictsOf(R"mlir(
sdy.mesh @mesh = <["p"=2, "q"=3]>
func.func @main(%a: tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}, {}]>}) -> tensor<20xf32> {
  %b = stablehlo.reshape %a : (tensor<4x5xf32>) -> tensor<20xf32>
  return %b : tensor<20xf32>
}
)mlir"),
            (Conflicts{R"(reshape: %b 0 over %a 0 {"q"} from %a (uneven, none))"}));
}

TEST(ConflictsTest, partsThatWouldBeStrided) {
  EXPECT_EQ(conflictsOf(R"mlir(
sdy.mesh @mesh = <["p"=2, "q"=3]>
func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"q"}]>}) -> tensor<24xf32> {
  %b = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<24xf32>
  return %b : tensor<24xf32>
}
)mlir"),
            (Conflicts{R"(reshape: %b 0 over %a 1 {"q"} from %a (strided, none))"}));
}

TEST(ConflictsTest, dimensionsThatOpsNeedWhole) {
  EXPECT_EQ(conflictsOf(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> tensor<4x8xf32> {
  %b = stablehlo.dynamic_slice %a, %i, %i, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}
)mlir"),
            (Conflicts{R"(dynamic_slice: %b 0 over %a 0 {"x"} from %a (blocked, none))"}));
}

TEST(ConflictsTest, barriers) {
  auto program = [](std::string_view direction) {
    return fmt::format(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) -> tensor<8xf32> {{
  %b = sdy.propagation_barrier %a allowed_direction={} : tensor<8xf32>
  %c = stablehlo.negate %b : tensor<8xf32>
  return %c : tensor<8xf32>
}}
)mlir",
                       direction);
  };
  Conflicts stopped = {R"(propagation_barrier: %b 0 over %a 0 {"x"} from %a (direction, none))"};
  EXPECT_EQ(conflictsOf(program("NONE")), stopped);
  EXPECT_EQ(conflictsOf(program("BACKWARD")), stopped);
  EXPECT_EQ(conflictsOf(program("FORWARD")), Conflicts{});
}

TEST(ConflictsTest, loopsThatReceiveTwoShardings) {
  // The value goes in on "x" and comes out on "y": the edge has neither.
  Conflicts conflicts = conflictsOf(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %k: tensor<i1>) -> tensor<8xf32> {
  %r:2 = stablehlo.while(%i = %a, %n = %k) : tensor<8xf32>, tensor<i1>
  cond {
    stablehlo.return %n : tensor<i1>
  } do {
    stablehlo.return %b, %n : tensor<8xf32>, tensor<i1>
  }
  return %r#0 : tensor<8xf32>
}
)mlir");
  EXPECT_EQ(conflicts, (Conflicts{R"(data_flow_edge: %b 0 {"y"} from %b over %a 0 {"x"} from %a)"
                                  " (other_axes, none)"}));
}

} // namespace
} // namespace shardwise::propagate
