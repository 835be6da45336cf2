// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual computations in the reference evaluator: blocks, every collective, conditions that differ
// between devices, and what is refused. All expectations are written by hand.

#include "shardwise/reference/Evaluator.h"

#include "test/support/evaluation/FindDifference.h"
#include "test/support/evaluation/TestPrograms.h"

#include <gtest/gtest.h>

namespace shardwise::reference {

using runtime::HostTensor;

namespace {

/// A program of one manual computation of %a to %r, whose body makes %r of %l.
struct ManualProgram {
  std::string body;
  std::string local = "tensor<1x2xi32>", localResult = "tensor<1x2xi32>";
  std::string result = "tensor<4x2xi32>";
  std::string in = "[{\"x\"}, {}]", out = "[{\"x\"}, {}]";
  std::string manualAxes = "\"x\"";
  std::string mesh = "<[\"x\"=4]>";
  std::string argument = "tensor<4x2xi32>";
  std::string functions = "";

  std::string text() const {
    return "sdy.mesh @m = " + mesh + "\nfunc.func @main(%a: " + argument + ") -> " + result +
           " {\n  %0 = sdy.manual_computation(%a) in_shardings=[<@m, " + in +
           ">] out_shardings=[<@m, " + out + ">] manual_axes={" + manualAxes + "} (%l: " + local +
           ") {\n" + body + "\n    sdy.return %r : " + localResult + "\n  } : (" + argument +
           ") -> " + result + "\n  return %0 : " + result + "\n}\n" + functions;
  }
};

constexpr const char *kFourRows = "dense<[[1, 2], [3, 4], [5, 6], [7, 8]]>";

/// What evaluating gives: the result, or the diagnostics.
struct Evaluated {
  std::optional<HostTensor> result;
  std::string diagnostics;
};

Evaluated evaluateText(TestPrograms &programs, const std::string &text, const HostTensor &input) {
  auto module = programs.parse(text);
  if (!module)
    return {std::nullopt, programs.diagnostics()};
  auto results = evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), input);
  if (mlir::failed(results))
    return {std::nullopt, programs.diagnostics()};
  return {results->front(), programs.diagnostics()};
}

/// Expects `expected` of `program` on `input`, both without their types, and no diagnostic.
void expectResult(const ManualProgram &program, const std::string &expected,
                  const std::string &input = kFourRows) {
  TestPrograms programs;
  Evaluated evaluated =
      evaluateText(programs, program.text(), programs.tensor(input + " : " + program.argument));
  EXPECT_EQ(evaluated.diagnostics, "");
  ASSERT_TRUE(evaluated.result) << program.text();
  auto difference =
      findDifference(programs.tensor(expected + " : " + program.result), *evaluated.result);
  EXPECT_FALSE(difference) << difference->text << "\n" << program.text();
}

void expectRefused(const ManualProgram &program, const std::string &message,
                   const std::string &input = kFourRows) {
  TestPrograms programs;
  Evaluated evaluated =
      evaluateText(programs, program.text(), programs.tensor(input + " : " + program.argument));
  EXPECT_FALSE(evaluated.result) << program.text();
  EXPECT_NE(evaluated.diagnostics.find(message), std::string::npos) << evaluated.diagnostics;
}

const std::string kChannel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

std::string groups(const std::string &rows, const std::string &shape) {
  return kChannel + ", replica_groups = dense<" + rows + "> : tensor<" + shape + "xi64>";
}

constexpr const char *kAll = "[[0, 1, 2, 3]]";

std::string groupsOver(const std::string &axis) {
  return kChannel +
         ", replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = "
         "[#stablehlo.axis_ref<name = " +
         axis + ">]>";
}

/// `op` with a region that combines two scalars of `element` by `reducer`.
std::string reducing(const std::string &op, const std::string &attributes,
                     const std::string &reducer, const std::string &types,
                     const std::string &element = "i32") {
  return "%r = \"stablehlo." + op + "\"(%l) <{" + attributes + ", use_global_device_ids}> ({\n" +
         "^bb0(%p: tensor<" + element + ">, %q: tensor<" + element + ">):\n  " + reducer +
         "\n  stablehlo.return %s : tensor<" + element + ">\n}) : " + types;
}

const std::string kAdd = "%s = stablehlo.add %p, %q : tensor<i32>";
const std::string kSame = "(tensor<1x2xi32>) -> tensor<1x2xi32>";
/// %i is the number of the device as tensor<1x2xi32>.
const std::string kId = R"(%id = stablehlo.partition_id : tensor<ui32>
  %ci = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %i = stablehlo.broadcast_in_dim %ci, dims = [] : (tensor<i32>) -> tensor<1x2xi32>
)";

TEST(LockstepTest, blocksGoInAndOut) {
  // x=2, y=2: the device (x, y) gets block 2x + y and gives block 2y + x.
  expectResult({.body = "%r = stablehlo.negate %l : tensor<1x2xi32>",
                .in = "[{\"x\", \"y\"}, {}]",
                .out = "[{\"y\", \"x\"}, {}]",
                .manualAxes = "\"x\", \"y\"",
                .mesh = "<[\"x\"=2, \"y\"=2]>"},
               "dense<[[-1, -2], [-5, -6], [-3, -4], [-7, -8]]>");
}

TEST(LockstepTest, freeAxesStayWhole) {
  expectResult({.body = "%r = stablehlo.reverse %l, dims = [0, 1] : tensor<2x2xi32>",
                .local = "tensor<2x2xi32>",
                .localResult = "tensor<2x2xi32>",
                .in = "[{\"x\"}, {\"y\"}]",
                .out = "[{\"x\"}, {\"y\"}]",
                .mesh = "<[\"x\"=2, \"y\"=2]>"},
               "dense<[[4, 3], [2, 1], [8, 7], [6, 5]]>");
}

TEST(LockstepTest, partsOfAxesCut) {
  // "x" of 4 in two halves: the minor one cuts the rows, the major one the columns.
  expectResult({.body = "%r = stablehlo.negate %l : tensor<2x1xi32>",
                .local = "tensor<2x1xi32>",
                .localResult = "tensor<2x1xi32>",
                .in = "[{\"x\":(2)2}, {\"x\":(1)2}]",
                .out = "[{\"x\":(1)2}, {\"x\":(2)2}]"},
               // Device 1 holds rows 2 and 3 of column 0, and gives rows 0 and 1 of column 1.
               "dense<[[-1, -5], [-3, -7], [-2, -6], [-4, -8]]>");
}

TEST(LockstepTest, devicesHaveTheNumbersOfTheMesh) {
  expectResult({.body = kId + "%r = stablehlo.add %l, %i : tensor<1x2xi32>",
                .mesh = "<[\"x\"=4], device_ids=[2, 0, 3, 1]>"},
               "dense<[[3, 4], [3, 4], [8, 9], [8, 9]]>");
}

TEST(LockstepTest, replicaIsAlwaysTheFirst) {
  expectResult({.body = R"(%id = stablehlo.replica_id : tensor<ui32>
  %ci = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %i = stablehlo.broadcast_in_dim %ci, dims = [] : (tensor<i32>) -> tensor<1x2xi32>
  %r = stablehlo.add %l, %i : tensor<1x2xi32>)"},
               kFourRows);
}

TEST(LockstepTest, allReduceAddsOverEachGroup) {
  expectResult({.body = reducing("all_reduce", groups("[[0, 3], [1, 2]]", "2x2"), kAdd, kSame)},
               "dense<[[8, 10], [8, 10], [8, 10], [8, 10]]>");
  expectResult({.body = reducing("all_reduce", groups("[[0, 1], [2, 3]]", "2x2"), kAdd, kSame)},
               "dense<[[4, 6], [4, 6], [12, 14], [12, 14]]>");
  // Without groups, and ids of replicas and partitions, all devices are one.
  expectResult({.body = "%r = \"stablehlo.all_reduce\"(%l) <{" + groups("", "0x0") +
                        "}> ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n" + kAdd +
                        "\nstablehlo.return %s : tensor<i32>\n}) : " + kSame},
               "dense<[[16, 20], [16, 20], [16, 20], [16, 20]]>");
}

TEST(LockstepTest, allReduceGoesThroughAGroupInItsOrder) {
  // 5 - 1, and 7 - 3.
  const std::string subtract = "%s = stablehlo.subtract %p, %q : tensor<i32>";
  expectResult({.body = reducing("all_reduce", groups("[[2, 0], [3, 1]]", "2x2"), subtract, kSame)},
               "dense<4>");
}

TEST(LockstepTest, allReduceCombinesMoreThanOneOperand) {
  const std::string pair = "tensor<1x2xi32>, tensor<1x2xi32>";
  expectResult({.body = "%k = stablehlo.negate %l : tensor<1x2xi32>\n%0:2 = "
                        "\"stablehlo.all_reduce\"(%l, %k) <{" +
                        groups("[[0, 1], [2, 3]]", "2x2") +
                        ", use_global_device_ids}> ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n"
                        "%s = stablehlo.maximum %p, %q : tensor<i32>\n"
                        "stablehlo.return %s : tensor<i32>\n}) : (" +
                        pair + ") -> (" + pair +
                        ")\n%r = stablehlo.add %0#0, %0#1 : "
                        "tensor<1x2xi32>"},
               "dense<[[2, 2], [2, 2], [2, 2], [2, 2]]>");
}

TEST(LockstepTest, allReduceReadsWhatIsAroundItsRegion) {
  expectResult({.body = "%two = stablehlo.constant dense<2> : tensor<i32>\n" +
                        reducing("all_reduce", groups("[[0, 1], [2, 3]]", "2x2"),
                                 "%d = stablehlo.multiply %q, %two : tensor<i32>\n"
                                 "%s = stablehlo.add %p, %d : tensor<i32>",
                                 kSame)},
               "dense<[[7, 10], [7, 10], [19, 22], [19, 22]]>");
}

TEST(LockstepTest, refusesReductionsThatReadWhatDiffers) {
  expectRefused({.body = kId + reducing("all_reduce", groups(kAll, "1x4"),
                                        "%d = stablehlo.add %p, %q : tensor<i32>\n"
                                        "%s = stablehlo.add %d, %ci : tensor<i32>",
                                        kSame)},
                "reads a value around its region that differs between the devices of a group");
}

TEST(LockstepTest, sumsOfFloatsAreRoundedOnce) {
  // In f32 from left to right 2^24 + 1 + 1 + 1 would stay 2^24.
  expectResult({.body = reducing("all_reduce", groups(kAll, "1x4"),
                                 "%s = stablehlo.add %p, %q : tensor<f32>",
                                 "(tensor<1x1xf32>) -> tensor<1x1xf32>", "f32"),
                .local = "tensor<1x1xf32>",
                .localResult = "tensor<1x1xf32>",
                .result = "tensor<1x1xf32>",
                .out = "[{}, {}]",
                .argument = "tensor<4x1xf32>"},
               "dense<16777220.0>", "dense<[[16777216.0], [1.0], [1.0], [1.0]]>");
}

TEST(LockstepTest, reductionsMayWidenTheirElements) {
  expectResult({.body = reducing("all_reduce", groups(kAll, "1x4"),
                                 "%s = stablehlo.add %p, %q : tensor<i32>",
                                 "(tensor<1x1xi8>) -> tensor<1x1xi32>"),
                .local = "tensor<1x1xi8>",
                .localResult = "tensor<1x1xi32>",
                .result = "tensor<1x1xi32>",
                .out = "[{}, {}]",
                .argument = "tensor<4x1xi8>"},
               "dense<400>", "dense<100>");
}

TEST(LockstepTest, groupsAreAxes) {
  for (const auto &[axis, expected] :
       {std::pair("\"x\"", "dense<[[6, 8], [10, 12], [6, 8], [10, 12]]>"),
        std::pair("\"y\"", "dense<[[4, 6], [4, 6], [12, 14], [12, 14]]>")})
    expectResult({.body = reducing("all_reduce", groupsOver(axis), kAdd, kSame),
                  .in = "[{\"x\", \"y\"}, {}]",
                  .out = "[{\"x\", \"y\"}, {}]",
                  .manualAxes = "\"x\", \"y\"",
                  .mesh = "<[\"x\"=2, \"y\"=2]>"},
                 expected);
  // A part of an axis, on a mesh in another order: the first two and the last two rows.
  expectResult(
      {.body = reducing("all_reduce", groupsOver("\"x\", sub_axis_info = (2)2"), kAdd, kSame),
       .mesh = "<[\"x\"=4], device_ids=[2, 0, 3, 1]>"},
      "dense<[[4, 6], [4, 6], [12, 14], [12, 14]]>");
}

TEST(LockstepTest, allGatherFollowsGroupOrder) {
  expectResult({.body = "%r = \"stablehlo.all_gather\"(%l) <{all_gather_dim = 0 : i64, " +
                        groups("[[1, 0], [2, 3]]", "2x2") +
                        ", use_global_device_ids}> : (tensor<1x2xi32>) -> tensor<2x2xi32>",
                .localResult = "tensor<2x2xi32>",
                .result = "tensor<8x2xi32>"},
               "dense<[[3, 4], [1, 2], [3, 4], [1, 2], [5, 6], [7, 8], [5, 6], [7, 8]]>");
  expectResult({.body = "%r = \"stablehlo.all_gather\"(%l) <{all_gather_dim = 1 : i64, " +
                        groups("[[0, 1], [2, 3]]", "2x2") +
                        ", use_global_device_ids}> : (tensor<1x2xi32>) -> tensor<1x4xi32>",
                .localResult = "tensor<1x4xi32>",
                .result = "tensor<4x4xi32>"},
               "dense<[[1, 2, 3, 4], [1, 2, 3, 4], [5, 6, 7, 8], [5, 6, 7, 8]]>");
}

TEST(LockstepTest, reduceScatterGivesPartsInGroupOrder) {
  expectResult(
      {.body = reducing("reduce_scatter",
                        "scatter_dimension = 1 : i64, " + groups("[[1, 0], [2, 3]]", "2x2"), kAdd,
                        "(tensor<1x2xi32>) -> tensor<1x1xi32>"),
       .localResult = "tensor<1x1xi32>",
       .result = "tensor<4x1xi32>"},
      // Device 1 is the first of its group: column 0 of (1, 2) + (3, 4).
      "dense<[[6], [4], [12], [14]]>");
}

TEST(LockstepTest, allToAllExchangesParts) {
  expectResult({.body = "%r = \"stablehlo.all_to_all\"(%l) <{split_dimension = 1 : i64, "
                        "concat_dimension = 0 : i64, split_count = 2 : i64, " +
                        groups("[[0, 1], [3, 2]]", "2x2") +
                        "}> : (tensor<1x2xi32>) -> tensor<2x1xi32>",
                .localResult = "tensor<2x1xi32>",
                .result = "tensor<8x1xi32>"},
               // 0 has the first columns of 0 and 1; of the second group 3 is the first.
               "dense<[[1], [3], [2], [4], [8], [6], [7], [5]]>");
}

/// Every device sends its row to both of its group, to the row of its own number there.
ManualProgram raggedProgram(const std::string &sizes, const std::string &expected,
                            const std::string &firstRow = "0") {
  return {.body = kId + R"(
      %two = stablehlo.constant dense<2> : tensor<1x2xi32>
      %number = stablehlo.remainder %i, %two : tensor<1x2xi32>
      %places = stablehlo.reshape %number : (tensor<1x2xi32>) -> tensor<2xi32>
      %output = stablehlo.constant dense<9> : tensor<3x2xi32>
      %from = stablehlo.constant dense<)" +
                  firstRow + R"(> : tensor<2xi32>
      %sizes = stablehlo.constant dense<)" +
                  sizes + R"(> : tensor<2xi32>
      %expected = stablehlo.constant dense<)" +
                  expected + R"(> : tensor<2xi32>
      %r = stablehlo.custom_call @ragged_all_to_all(%l, %output, %from, %sizes, %places, %expected) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}} : (tensor<1x2xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x2xi32>)",
          .localResult = "tensor<3x2xi32>",
          .result = "tensor<12x2xi32>"};
}

TEST(LockstepTest, raggedAllToAllSendsWhatTheListsSay) {
  expectResult(raggedProgram("[1, 1]", "[1, 1]"),
               "dense<[[1, 2], [3, 4], [9, 9], [1, 2], [3, 4], [9, 9], [5, 6], [7, 8], [9, 9], "
               "[5, 6], [7, 8], [9, 9]]>");
  // To the first of the group only.
  expectRefused(raggedProgram("[1, 0]", "[1, 1]"), "sends 0 rows from device 0 to device 1, which "
                                                   "expects 1 by its recv_sizes");
  expectRefused(raggedProgram("[1, 1]", "[1, 1]", "1"), "sends rows [1, 1 + 1) of 1");
  expectRefused(raggedProgram("[2, 2]", "[2, 2]"), "sends rows [0, 0 + 2) of 1 from device 0");
}

TEST(LockstepTest, permuteMovesAlongItsPairs) {
  // Nothing is sent to device 2: zeros.
  expectResult({.body = "%r = \"stablehlo.collective_permute\"(%l) <{" + kChannel +
                        ", source_target_pairs = dense<[[0, 1], [1, 3], [3, 0]]> : "
                        "tensor<3x2xi64>}> : " +
                        kSame},
               "dense<[[7, 8], [1, 2], [0, 0], [3, 4]]>");
}

TEST(LockstepTest, broadcastGivesWhatTheFirstHas) {
  expectResult({.body = "%r = \"stablehlo.collective_broadcast\"(%l) <{" +
                        groups("[[2, 0]]", "1x2") + "}> : " + kSame},
               "dense<[[5, 6], [0, 0], [5, 6], [0, 0]]>");
}

TEST(LockstepTest, withoutChannelGroupsAreOfReplicasAlone) {
  // One replica: nobody to add.
  expectResult({.body = "%r = \"stablehlo.all_reduce\"(%l) <{replica_groups = dense<0> : "
                        "tensor<1x1xi64>}> ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n" +
                        kAdd + "\nstablehlo.return %s : tensor<i32>\n}) : " + kSame},
               kFourRows);
}

TEST(LockstepTest, sdyAllReduceAddsAlongManualAxes) {
  expectResult({.body = "%r = sdy.all_reduce {\"x\"} %l out_sharding=<@m, [{}, {}]> : "
                        "tensor<2x2xi32>",
                .local = "tensor<2x2xi32>",
                .localResult = "tensor<2x2xi32>",
                .result = "tensor<2x2xi32>",
                .out = "[{}, {}]",
                .mesh = "<[\"x\"=2, \"y\"=2]>"},
               "dense<[[6, 8], [10, 12]]>");
}

TEST(LockstepTest, unreducedResultsAreCombined) {
  for (const auto &[kind, expected] :
       {std::pair("", "dense<[[6, 8], [10, 12]]>"), std::pair("max", "dense<[[5, 6], [7, 8]]>"),
        std::pair("min", "dense<[[1, 2], [3, 4]]>")})
    expectResult({.body = "%r = stablehlo.reshape %l : (tensor<1x2xi32>) -> tensor<1x2xi32>",
                  .result = "tensor<2x2xi32>",
                  .in = "[{\"x\", \"y\"}, {}]",
                  .out = "[{\"y\"}, {}], unreduced=" + std::string(kind) + "{\"x\"}",
                  .manualAxes = "\"x\", \"y\"",
                  .mesh = "<[\"x\"=2, \"y\"=2]>"},
                 expected);
}

TEST(LockstepTest, unreducedOperandsAreAddends) {
  // Summed they are the operand again.
  expectResult({.body = reducing("all_reduce", groups(kAll, "1x4"), kAdd,
                                 "(tensor<4x2xi32>) -> tensor<4x2xi32>"),
                .local = "tensor<4x2xi32>",
                .localResult = "tensor<4x2xi32>",
                .in = "[{}, {}], unreduced={\"x\"}",
                .out = "[{}, {}]"},
               kFourRows);
  // A maximum is taken of copies.
  expectResult({.body = "%r = stablehlo.negate %l : tensor<4x2xi32>",
                .local = "tensor<4x2xi32>",
                .localResult = "tensor<4x2xi32>",
                .in = "[{}, {}], unreduced=max{\"x\"}",
                .out = "[{}, {}]"},
               "dense<[[-1, -2], [-3, -4], [-5, -6], [-7, -8]]>");
}

TEST(LockstepTest, computationsNest) {
  // Inside both, device (x, y) has row 2x + y; its sum along "x" goes to both rows of its column.
  expectResult({.body = R"(%r = sdy.manual_computation(%l) in_shardings=[<@m, [{"y"}, {}]>]
      out_shardings=[<@m, [{"y"}, {}]>] manual_axes={"y"} (%k: tensor<1x2xi32>) {
    %t = "stablehlo.all_reduce"(%k) <{)" +
                        groups("[[0, 2], [1, 3]]", "2x2") +
                        R"(, use_global_device_ids}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %s = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<1x2xi32>) -> tensor<1x2xi32>
    sdy.return %t : tensor<1x2xi32>
  } : (tensor<2x2xi32>) -> tensor<2x2xi32>)",
                .local = "tensor<2x2xi32>",
                .localResult = "tensor<2x2xi32>",
                .mesh = "<[\"x\"=2, \"y\"=2]>"},
               "dense<[[6, 8], [10, 12], [6, 8], [10, 12]]>");
}

TEST(LockstepTest, bodiesCall) {
  expectResult(
      {.body = "%r = func.call @sum(%l) : " + kSame,
       .functions = "func.func private @sum(%l: tensor<1x2xi32>) -> tensor<1x2xi32> {\n" +
                    reducing("all_reduce", groups("[[0, 1], [2, 3]]", "2x2"), kAdd, kSame) +
                    "\nreturn %r : tensor<1x2xi32>\n}\n"},
      "dense<[[4, 6], [4, 6], [12, 14], [12, 14]]>");
}

TEST(LockstepTest, numbersOfAxesAreTheSameAlongFreeAxes) {
  // What JAX prints for axis_index("x"): device number by size of "y", remainder by size of "x".
  expectResult({.body = R"(%id = stablehlo.partition_id : tensor<ui32>
  %two = stablehlo.constant dense<2> : tensor<ui32>
  %d = stablehlo.divide %id, %two : tensor<ui32>
  %m = stablehlo.remainder %d, %two : tensor<ui32>
  %ci = stablehlo.convert %m : (tensor<ui32>) -> tensor<i32>
  %i = stablehlo.broadcast_in_dim %ci, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
  %r = stablehlo.add %l, %i : tensor<2x2xi32>)",
                .local = "tensor<2x2xi32>",
                .localResult = "tensor<2x2xi32>",
                .mesh = "<[\"x\"=2, \"y\"=2]>"},
               "dense<[[1, 2], [3, 4], [6, 7], [8, 9]]>");
}

TEST(LockstepTest, loopsEndOnEachDeviceByItself) {
  // Device d doubles its row d times.
  expectResult({.body = kId + R"(%n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%v = %l, %c = %n) : tensor<1x2xi32>, tensor<i32>
  cond {
    %p = stablehlo.compare GT, %c, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %v2 = stablehlo.add %v, %v : tensor<1x2xi32>
    %c2 = stablehlo.subtract %c, %one : tensor<i32>
    stablehlo.return %v2, %c2 : tensor<1x2xi32>, tensor<i32>
  }
  %r = stablehlo.add %w#0, %i : tensor<1x2xi32>)"},
               "dense<[[1, 2], [7, 9], [22, 26], [59, 67]]>");
}

/// %r is `taken` of %l on devices 2 and 3, %l itself on 0 and 1.
std::string branching(const std::string &taken) {
  return kId + R"(%two = stablehlo.constant dense<2> : tensor<i32>
  %p = stablehlo.compare GE, %ci, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    )" + taken +
         R"(
    stablehlo.return %t : tensor<1x2xi32>
  }, {
    stablehlo.return %l : tensor<1x2xi32>
  }) : (tensor<i1>) -> tensor<1x2xi32>)";
}

std::string sumOf(const std::string &rows, const std::string &shape) {
  return "%t = \"stablehlo.all_reduce\"(%l) <{" + groups(rows, shape) +
         ", use_global_device_ids}> ({\n^bb0(%a0: tensor<i32>, %a1: tensor<i32>):\n"
         "%s = stablehlo.add %a0, %a1 : tensor<i32>\nstablehlo.return %s : tensor<i32>\n}) : " +
         kSame;
}

TEST(LockstepTest, branchesAreTakenByEachDeviceByItself) {
  expectResult({.body = branching("%t = stablehlo.negate %l : tensor<1x2xi32>")},
               "dense<[[1, 2], [3, 4], [-5, -6], [-7, -8]]>");
}

TEST(LockstepTest, collectivesInBranchesNeedTheirGroups) {
  expectResult({.body = branching(sumOf("[[0, 1], [2, 3]]", "2x2"))},
               "dense<[[1, 2], [3, 4], [12, 14], [12, 14]]>");
  expectRefused({.body = branching(sumOf("[[0, 2], [1, 3]]", "2x2"))},
                "waits for device 0, which does not come here");
  expectRefused({.body = branching("%t = \"stablehlo.collective_permute\"(%l) <{" + kChannel +
                                   ", source_target_pairs = dense<[[1, 2]]> : tensor<1x2xi64>}> "
                                   ": " +
                                   kSame)},
                "waits for device 1, which does not come here");
}

TEST(LockstepTest, casesAreChosenByEachDeviceByItself) {
  // Out of range is the last: devices 1, 2 and 3.
  expectResult({.body = kId + R"(%r = "stablehlo.case"(%ci) ({
    stablehlo.return %l : tensor<1x2xi32>
  }, {
    %t = stablehlo.negate %l : tensor<1x2xi32>
    stablehlo.return %t : tensor<1x2xi32>
  }) : (tensor<i32>) -> tensor<1x2xi32>)"},
               "dense<[[1, 2], [-3, -4], [-5, -6], [-7, -8]]>");
}

TEST(LockstepTest, scansRunTheirStepsTogether) {
  // The carry adds what all devices have in a column.
  expectResult({.body = R"(%zero = stablehlo.constant dense<0> : tensor<1xi32>
  %r, %last = chlo.scan(%l) inits (%zero) dimension=1 attributes {is_reverse = false} {
  ^bb0(%e: tensor<1xi32>, %c: tensor<1xi32>):
    %t = "stablehlo.all_reduce"(%e) <{)" +
                        groups(kAll, "1x4") + R"(, use_global_device_ids}> ({
    ^bb1(%p: tensor<i32>, %q: tensor<i32>):
      %s = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<1xi32>) -> tensor<1xi32>
    %n = stablehlo.add %c, %t : tensor<1xi32>
    stablehlo.return %n, %n : tensor<1xi32>, tensor<1xi32>
  } : (tensor<1x2xi32>, tensor<1xi32>) -> (tensor<1x2xi32>, tensor<1xi32>))"},
               "dense<[[16, 36], [16, 36], [16, 36], [16, 36]]>");
}

TEST(LockstepTest, disagreeingCopiesAreNamed) {
  TestPrograms programs;
  ManualProgram program{.body = "%r = stablehlo.negate %l : tensor<1x2xi32>",
                        .result = "tensor<1x2xi32>",
                        .out = "[{}, {}]"};
  Evaluated evaluated = evaluateText(programs, program.text(),
                                     programs.tensor(kFourRows + (" : " + program.argument)));
  ASSERT_TRUE(evaluated.result);
  EXPECT_EQ(*evaluated.result, programs.tensor("dense<[[-1, -2]]> : tensor<1x2xi32>"));
  EXPECT_NE(evaluated.diagnostics.find("result 0: devices 0 and 1 differ in elements that both "
                                       "hold by the out_sharding; those of device 0 are taken"),
            std::string::npos)
      << evaluated.diagnostics;
}

TEST(LockstepTest, differencesAlongFreeAxesAreNamed) {
  TestPrograms programs;
  ManualProgram program{.body = kId + "%r = stablehlo.add %l, %i : tensor<1x2xi32>",
                        .result = "tensor<2x2xi32>",
                        .mesh = "<[\"x\"=2, \"y\"=2]>",
                        .argument = "tensor<2x2xi32>"};
  Evaluated evaluated =
      evaluateText(programs, program.text(), programs.tensor("dense<0> : tensor<2x2xi32>"));
  EXPECT_NE(evaluated.diagnostics.find("devices 0 and 1 differ"), std::string::npos)
      << evaluated.diagnostics;
}

TEST(LockstepTest, refusesGroupsThatDoNotFit) {
  expectRefused({.body = reducing("all_reduce", groups("[[0, 1]]", "1x2"), kAdd, kSame)},
                "rank 2 (id 2) is in no replica group");
  expectRefused({.body = reducing("all_reduce", groups("[[0, 4], [1, 5], [2, 6], [3, 7]]", "4x2"),
                                  kAdd, kSame)},
                "a replica group names rank 4, but 4 ranks run");
  expectRefused({.body = "%r = \"stablehlo.all_gather\"(%l) <{all_gather_dim = 0 : i64, " +
                         groupsOver("\"x\"") +
                         ", use_global_device_ids}> : (tensor<1x2xi32>) -> tensor<2x2xi32>",
                 .localResult = "tensor<2x2xi32>",
                 .result = "tensor<8x2xi32>"},
                "does not fit a group of 4 devices");
  expectRefused({.body = "%r = \"stablehlo.all_to_all\"(%l) <{split_dimension = 1 : i64, "
                         "concat_dimension = 0 : i64, split_count = 2 : i64, " +
                         groupsOver("\"x\"") + "}> : (tensor<1x2xi32>) -> tensor<2x1xi32>",
                 .localResult = "tensor<2x1xi32>",
                 .result = "tensor<8x1xi32>"},
                "has split_count 2, but a group of 4 devices");
  expectRefused({.body = "%r = \"stablehlo.collective_permute\"(%l) <{" + kChannel +
                         ", source_target_pairs = dense<[[0, 4]]> : tensor<1x2xi64>}> : " + kSame},
                "has the pair (0, 4), but there are 4 devices");
}

TEST(LockstepTest, refusesGroupsAcrossFreeAxes) {
  expectRefused({.body = reducing("all_reduce", groups("[[0, 1], [2, 3]]", "2x2"), kAdd,
                                  "(tensor<2x2xi32>) -> tensor<2x2xi32>"),
                 .local = "tensor<2x2xi32>",
                 .localResult = "tensor<2x2xi32>",
                 .mesh = "<[\"x\"=2, \"y\"=2]>"},
                "joins devices 0 and 1, which differ along \"y\", an axis that is not manual");
}

TEST(LockstepTest, refusesAxesThatAreManualWhereAFunctionIsCalled) {
  expectRefused({.body = "%r = func.call @again(%l) : " + kSame,
                 .functions = R"(func.func private @again(%b: tensor<1x2xi32>) -> tensor<1x2xi32> {
  %0 = sdy.manual_computation(%b) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>]
      manual_axes={"x"} (%k: tensor<1x2xi32>) {
    sdy.return %k : tensor<1x2xi32>
  } : (tensor<1x2xi32>) -> tensor<1x2xi32>
  return %0 : tensor<1x2xi32>
})"},
                "has manual axis \"x\", which is manual already where this function is called");
}

TEST(LockstepTest, iterationsAreCountedOnceForAllDevices) {
  // Device n goes round n times.
  ManualProgram program{.body = R"(
    %zero = stablehlo.constant dense<0> : tensor<ui32>
    %one = stablehlo.constant dense<1> : tensor<ui32>
    %id = stablehlo.partition_id : tensor<ui32>
    %w = stablehlo.while(%n = %id) : tensor<ui32>
    cond {
      %p = stablehlo.compare GT, %n, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %m = stablehlo.subtract %n, %one : tensor<ui32>
      stablehlo.return %m : tensor<ui32>
    }
    %r = stablehlo.add %l, %l : tensor<1x2xi32>)"};
  TestPrograms programs;
  auto module = programs.parse(program.text());
  ASSERT_TRUE(module) << programs.diagnostics();
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  HostTensor input = programs.tensor(std::string(kFourRows) + " : " + program.argument);
  LoopBudget loops;
  EXPECT_TRUE(succeeded(evaluate(main, input, &loops))) << programs.diagnostics();
  EXPECT_EQ(loops.done, 3);
  LoopBudget few{.limit = 2};
  EXPECT_TRUE(failed(evaluate(main, input, &few)));
  EXPECT_NE(programs.diagnostics().find("runs on after 2 iterations of all loops"),
            std::string::npos);
}

} // namespace
} // namespace shardwise::reference
