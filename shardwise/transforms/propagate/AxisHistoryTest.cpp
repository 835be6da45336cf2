// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of small programs, derived by hand from the order of steps. Every chain is replayed too.

#include "shardwise/transforms/propagate/AxisHistory.h"

#include "shardwise/transforms/propagate/TracedRunTesting.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace shardwise::propagate {
namespace {

using Chains = std::vector<std::string>;

TracedRun run(std::string_view text, PropagationOptions options = {}) {
  TracedRun traced = traceRun(text, std::move(options));
  EXPECT_EQ(traced.faults, Chains{});
  return traced;
}

constexpr std::string_view kMatmul = R"mlir(
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
                %w: tensor<64x128xf32>) -> tensor<32x128xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %z = stablehlo.tanh %y : tensor<32x128xf32>
  return %z : tensor<32x128xf32>
}
)mlir";

TEST(AxisHistoryTest, throughFactorsOfAMatmul) {
  TracedRun traced = run(kMatmul);
  EXPECT_EQ(traced.chains["%x"], (Chains{R"(0 "data")", R"(1 "model")"}));
  EXPECT_EQ(traced.chains["%w"], (Chains{R"(0 "model" <- %x 1 (dot_general))"}));
  EXPECT_EQ(traced.chains["%z"], (Chains{R"(0 "data" <- %y 0 (tanh) <- %x 0 (dot_general))"}));
  EXPECT_EQ(traced.chains["result 0"],
            (Chains{R"(0 "data" <- %z 0 (return) <- %y 0 (tanh) <- %x 0 (dot_general))"}));
}

TEST(AxisHistoryTest, everyHierarchyIsTraced) {
  for (auto hierarchy : {PropagationHierarchy::Basic, PropagationHierarchy::Aggressive,
                         PropagationHierarchy::OpPriority})
    for (auto strategy : {PropagationStrategy::Basic, PropagationStrategy::BasicThenAggressive}) {
      PropagationOptions options;
      options.hierarchy = hierarchy;
      options.strategy = strategy;
      EXPECT_EQ(run(kMatmul, options).chains["%z"],
                (Chains{R"(0 "data" <- %y 0 (tanh) <- %x 0 (dot_general))"}));
    }
}

TEST(AxisHistoryTest, backFromAResult) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %b = stablehlo.negate %a : tensor<8xf32>
  return %b : tensor<8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%a"], (Chains{R"(0 "x" <- %b 0 (negate) <- result 0 0 (return))"}));
}

TEST(AxisHistoryTest, partsOfAnAxisGoSeparateWaysThroughReshapes) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<24xf32> {
  %b = stablehlo.reshape %a : (tensor<24xf32>) -> tensor<4x6xf32>
  %c = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %d = stablehlo.reshape %c : (tensor<6x4xf32>) -> tensor<24xf32>
  return %d : tensor<24xf32>
}
)mlir");
  EXPECT_EQ(traced.shardings["%d"], R"([{"x":(4)2, ?}])");
  EXPECT_EQ(traced.chains["%b"],
            (Chains{R"(0 "x":(1)4 <- %a 0 (reshape))", R"(1 "x":(4)2 <- %a 0 (reshape))"}));
  EXPECT_EQ(traced.chains["%d"],
            (Chains{R"(0 "x":(4)2 <- %c 0 (reshape) <- %b 1 (transpose) <- %a 0 (reshape))"}));
}

TEST(AxisHistoryTest, anAxisThatCameInTwoPartsHasTwoChains) {
  // %b takes x:(1)2 from %a at once; the rest comes back from the result of the other reshape.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>},
                %d: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16xf32> {
  %b = stablehlo.reshape %a : (tensor<2x8xf32>) -> tensor<16xf32>
  %c = stablehlo.add %b, %d : tensor<16xf32>
  return %c : tensor<16xf32>
}
)mlir");
  EXPECT_EQ(traced.shardings["%b"], R"([{"x", ?}])");
  // The func argument is closed, so all that %b can get comes by the element-wise op.
  EXPECT_EQ(traced.chains["%b"].size(), 2u);
  EXPECT_EQ(traced.chains["%b"].front(), R"(0 "x":(1)2 <- %a 0 (reshape))");
  EXPECT_EQ(traced.chains["%b"].back().substr(0, 10), R"(0 "x":(2)2)");
}

TEST(AxisHistoryTest, majorAxesOnly) {
  // Example 3: after p the major factor has 2 left, which q does not divide.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["p"=2, "q"=3]>
func.func @main(%a: tensor<20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p", "q"}]>}) -> tensor<4x5xf32> {
  %b = stablehlo.reshape %a : (tensor<20xf32>) -> tensor<4x5xf32>
  return %b : tensor<4x5xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%b"], (Chains{R"(0 "p" <- %a 0 (reshape))"}));
}

TEST(AxisHistoryTest, sidewaysToAnotherOperand) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = stablehlo.add %a, %b : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%b"], (Chains{R"(0 "x" <- %a 0 (add))", R"(1 "y" <- %a 1 (add))"}));
}

TEST(AxisHistoryTest, theFirstOfTwoAxesMayComeFromElsewhere) {
  // "y" reaches %c on dimension 0 only from %b, which has all of {"x", "y"}.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<8xf32> {
  %c = stablehlo.add %a, %b : tensor<8xf32>
  return %c : tensor<8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%c"], (Chains{R"(0 "x" <- %b 0 (add))", R"(0 "y" <- %b 0 (add))"}));
}

TEST(AxisHistoryTest, priorityOneComesAfterPriorityZero) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y"}]>}) -> tensor<16x16xf32> {
  %b = stablehlo.negate %a : tensor<16x16xf32>
  return %b : tensor<16x16xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%a"], (Chains{R"(0 "x")", R"(1 "y")"}));
  EXPECT_EQ(traced.chains["%b"],
            (Chains{R"(0 "x" <- %a 0 (negate))", R"(1 "y" <- %a 1 (negate))"}));
}

TEST(AxisHistoryTest, broadcastsPassBackwardsFirst) {
  // Example 6: everything comes from the result; the bias is used on another dimension.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%bias: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %h: tensor<8x16xf32>)
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) {
  %bb = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %o = stablehlo.add %h, %bb : tensor<8x16xf32>
  %t = stablehlo.tanh %o : tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%bb"],
            (Chains{R"(0 "x" <- %o 0 (add) <- %t 0 (tanh) <- result 0 0 (return))"}));
  EXPECT_EQ(traced.chains["%bias"], (Chains{R"(0 "x")"}));
}

constexpr std::string_view kWhile = R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<64x64xf32>)
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) {
  %k = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %a, %n = %k) : tensor<64x64xf32>, tensor<i32>
  cond {
    %end = stablehlo.constant dense<3> : tensor<i32>
    %go = stablehlo.compare LT, %n, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %d = stablehlo.dot_general %i, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %d, %m : tensor<64x64xf32>, tensor<i32>
  }
  %q = stablehlo.negate %r#0 : tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}
)mlir";

TEST(AxisHistoryTest, intoAndOutOfALoop) {
  TracedRun traced = run(kWhile);
  // The targets of the edge share one sharding, named after the result of the loop.
  EXPECT_EQ(traced.chains["%r#0"], (Chains{R"(0 "x" <- %a 0 (data_flow_edge))",
                                           R"(1 "y" <- %q 1 (negate) <- result 0 1 (return))"}));
  EXPECT_EQ(traced.chains["%a"],
            (Chains{R"(0 "x")", R"(1 "y" <- %r#0 1 (data_flow_edge) <- %q 1 (negate))"
                                R"( <- result 0 1 (return))"}));
  EXPECT_EQ(traced.shardings["%w"], R"([{?}, {"y", ?}])");
  EXPECT_EQ(traced.chains["%w"].front(),
            R"(1 "y" <- %d 1 (dot_general) <- %r#0 1 (data_flow_edge) <- %q 1 (negate))"
            R"( <- result 0 1 (return))");
}

TEST(AxisHistoryTest, throughManualComputations) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  %m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}], replicated={"a"}>] manual_axes={"a"} (%arg: tensor<8x8xf32>) {
    %t = stablehlo.tanh %arg : tensor<8x8xf32>
    %u = stablehlo.concatenate %t, %t, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    sdy.return %u : tensor<16x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %n = stablehlo.negate %m : tensor<16x8xf32>
  return %n : tensor<16x8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%arg"], (Chains{R"(0 "b" <- %x 0 (data_flow_edge))"}));
  EXPECT_EQ(traced.chains["%t"], (Chains{R"(0 "b" <- %arg 0 (tanh) <- %x 0 (data_flow_edge))"}));
  EXPECT_EQ(traced.chains["%n"],
            (Chains{R"(0 "b" <- %m 0 (negate) <- %u 0 (data_flow_edge) <- %t 0 (concatenate))"
                    R"( <- %arg 0 (tanh) <- %x 0 (data_flow_edge))"}));
}

TEST(AxisHistoryTest, aManualAxisOutsideComesFromTheEdge) {
  // The edge shows "a" outside without storing it; that is where the chain ends.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg: tensor<8x8xf32>) {
    %t = stablehlo.tanh %arg : tensor<8x8xf32>
    sdy.return %t : tensor<8x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %m : tensor<16x8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%x"], (Chains{R"(0 "a" <- %arg 0 (data_flow_edge))"}));
  EXPECT_EQ(traced.chains["result 0"], (Chains{R"(0 "a" <- %m 0 (return))"}));
  EXPECT_EQ(traced.chains.count("%t"), 0u);
}

TEST(AxisHistoryTest, closedConstraintsBindTheirInput) {
  // Example 12: the constraint is copied to %v, which keeps "y" off it.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%v"], (Chains{R"(0 "x")"}));
  EXPECT_EQ(traced.chains["%a"], (Chains{R"(0 "x" <- %v 0 (add))", R"(1 "y")"}));
  EXPECT_EQ(traced.chains["result 0"], (Chains{R"(0 "x" <- %c 0 (return))"}));
}

TEST(AxisHistoryTest, openConstraintsPassOn) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  %v = stablehlo.negate %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x", ?}, {?}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%a"],
            (Chains{R"(0 "x" <- %v 0 (negate) <- %c 0 (sharding_constraint))", R"(1 "y")"}));
  EXPECT_EQ(traced.chains["%c"],
            (Chains{R"(0 "x")", R"(1 "y" <- %v 1 (sharding_constraint) <- %a 1 (negate))"}));
}

TEST(AxisHistoryTest, membersOfAGroupGetWhatOneGets) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %p = stablehlo.negate %a : tensor<8xf32>
  sdy.sharding_group %p group_id = 0 : tensor<8xf32>
  %q = stablehlo.exponential %b : tensor<8xf32>
  sdy.sharding_group %q group_id = 0 : tensor<8xf32>
  return %p, %q : tensor<8xf32>, tensor<8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%q"], (Chains{R"(0 "x" <- %p (group) <- %a 0 (negate))"}));
  EXPECT_EQ(traced.chains["%b"],
            (Chains{R"(0 "x" <- %q 0 (exponential) <- %p (group) <- %a 0 (negate))"}));
}

TEST(AxisHistoryTest, anAnnotatedMemberSpeaksForItsGroup) {
  // %q comes before %p, and %p has a dimension that waits for its priority.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%q: tensor<8x8xf32>, %p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}p1]>}) -> tensor<8x8xf32> {
  sdy.sharding_group %p group_id = 0 : tensor<8x8xf32>
  sdy.sharding_group %q group_id = 0 : tensor<8x8xf32>
  %r = stablehlo.exponential %q : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%q"], (Chains{R"(0 "x" <- %p (agreed))", R"(1 "y" <- %p (agreed))"}));
  EXPECT_EQ(traced.chains["%r"], (Chains{R"(0 "x" <- %q 0 (exponential) <- %p (agreed))",
                                         R"(1 "y" <- %q 1 (exponential) <- %p (agreed))"}));
}

TEST(AxisHistoryTest, chainsOfAgreementsEnd) {
  // %v5 agrees with %v6 and is refined later, which refines %v6 in its turn.
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%arg0: tensor<10x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"data", "model", ?}]>}, %arg1: tensor<1x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model":(1)2, ?}, {"model":(2)2}]>}, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<2x160xf32>) {
  %v1 = stablehlo.add %arg0, %arg0 : tensor<10x8x8xf32>
  %v2 = stablehlo.constant dense<1> : tensor<i32>
  %v3 = stablehlo.constant dense<1> : tensor<i32>
  %v4 = stablehlo.constant dense<1> : tensor<i32>
  %v5 = stablehlo.dynamic_slice %v1, %v2, %v3, %v4, sizes = [10, 4, 8] : (tensor<10x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<10x4x8xf32>
  %v6 = stablehlo.divide %v5, %v5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"data", "model":(2)2, ?}]>]>} : tensor<10x4x8xf32>
  sdy.sharding_group %v6 group_id=0 : tensor<10x4x8xf32>
  sdy.sharding_group %v5 group_id=0 : tensor<10x4x8xf32>
  sdy.sharding_group %v1 group_id=1 : tensor<10x8x8xf32>
  sdy.sharding_group %arg0 group_id=1 : tensor<10x8x8xf32>
  %v7 = stablehlo.dynamic_update_slice %v5, %arg1, %v2, %arg2, %arg3 : (tensor<10x4x8xf32>, tensor<1x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<10x4x8xf32>
  %v8 = stablehlo.reshape %v7 : (tensor<10x4x8xf32>) -> tensor<2x160xf32>
  return %v8 : tensor<2x160xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%v5"],
            (Chains{R"(1 "model":(1)2 <- %arg1 1 (dynamic_update_slice))",
                    R"(2 "data" <- %v6 (agreed))", R"(2 "model":(2)2 <- %v6 (agreed))"}));
}

TEST(AxisHistoryTest, throughCalls) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func private @f(%p: tensor<8xf32>) -> tensor<8xf32> {
  %s = stablehlo.sine %p : tensor<8xf32>
  return %s : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %d = call @f(%b) : (tensor<8xf32>) -> tensor<8xf32>
  %e = stablehlo.negate %c : tensor<8xf32>
  %g = stablehlo.cosine %d : tensor<8xf32>
  return %e, %g : tensor<8xf32>, tensor<8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%e"], (Chains{R"(0 "x" <- %s 0 (negate) <- %a 0 (sine))"}));
  EXPECT_EQ(traced.chains["%g"], (Chains{R"(0 "y" <- %s 0 (cosine) <- %b 0 (sine))"}));
}

TEST(AxisHistoryTest, throughBranches) {
  TracedRun traced = run(R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%i: tensor<i32>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %c = "stablehlo.case"(%i) ({
    %s = stablehlo.sine %a : tensor<8xf32>
    stablehlo.return %s : tensor<8xf32>
  }, {
    %t = stablehlo.tanh %b : tensor<8xf32>
    stablehlo.return %t : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
)mlir");
  EXPECT_EQ(traced.chains["%c"], (Chains{R"(0 "x" <- %s 0 (data_flow_edge) <- %a 0 (sine))"}));
  EXPECT_EQ(traced.chains["%b"].size(), 1u);
  EXPECT_EQ(traced.chains["%b"].front(),
            R"(0 "x" <- %t 0 (tanh) <- %s 0 (data_flow_edge) <- %a 0 (sine))");
}

TEST(AxisHistoryTest, everyChainOfRealProgramsHolds) {
  int numPrograms = 0;
  int numChains = 0;
  for (std::string_view folder : {"examples", "test/programs"})
    for (const auto &entry : std::filesystem::directory_iterator(
             std::filesystem::path(SHARDWISE_SOURCE_DIR) / folder)) {
      std::ifstream file(entry.path() / "model.mlir");
      if (!file)
        continue;
      std::stringstream text;
      text << file.rdbuf();
      SCOPED_TRACE(entry.path().string());
      numChains += run(text.str()).numChains;
      ++numPrograms;
    }
  EXPECT_GT(numPrograms, 20);
  EXPECT_GT(numChains, 1000);
}

TEST(AxisHistoryTest, aLongChainIsFollowedInLinearTime) {
  std::string text = R"mlir(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%v0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
)mlir";
  constexpr int kLength = 20000;
  for (int i = 0; i < kLength; ++i)
    text += "%v" + std::to_string(i + 1) + " = stablehlo.negate %v" + std::to_string(i) +
            " : tensor<8xf32>\n";
  text += "return %v" + std::to_string(kLength) + " : tensor<8xf32>\n}\n";
  class Asking : public PropagationObserver {
  public:
    void propagated(const PropagationGraph &graph, const PropagationTrace &trace) override {
      AxisHistory history(graph, trace);
      for (ValueGroupId group = 0; group < static_cast<ValueGroupId>(graph.valueGroups().size());
           ++group)
        if (graph.valueGroups()[group].current.isSet())
          origins.push_back(history.originOf(group, {0, 1, 2}));
    }
    std::vector<ValueGroupId> origins;
  };
  Asking asking;
  observeRun(text, asking);
  ASSERT_EQ(asking.origins.size(), static_cast<size_t>(kLength) + 2);
  for (ValueGroupId origin : asking.origins)
    ASSERT_EQ(origin, asking.origins.front());
}

} // namespace
} // namespace shardwise::propagate
