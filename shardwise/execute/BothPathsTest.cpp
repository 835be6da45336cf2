// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled path against known answers, and against the reference evaluator on random inputs.

#include "shardwise/execute/Program.h"

#include "shardwise/reference/CompareTensors.h"
#include "shardwise/reference/Evaluator.h"
#include "shardwise/reference/KnownAnswers.h"
#include "shardwise/reference/TestPrograms.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include <gtest/gtest.h>

namespace shardwise::execute {
namespace {

using reference::findDifference;
using reference::KnownAnswer;
using reference::TestPrograms;
using reference::Tolerance;
using runtime::DataType;
using runtime::HostTensor;

/// Runs on one rank.
Result<std::vector<HostTensor>> runAlone(const Program &program,
                                         const std::vector<HostTensor> &inputs) {
  std::vector<HostTensor> results;
  Result<void> done = runtime::runRanks(1, runtime::kDefaultTimeout,
                                        [&](runtime::Communicator &communicator) -> Result<void> {
                                          auto output = run(program, communicator, inputs);
                                          if (!output)
                                            return output.error();
                                          results = std::move(*output);
                                          return {};
                                        });
  if (!done)
    return done.error();
  return results;
}

class KnownAnswerTest : public ::testing::TestWithParam<KnownAnswer> {};

TEST_P(KnownAnswerTest, runs) {
  TestPrograms programs;
  auto module = programs.parse(reference::moduleText(GetParam()));
  ASSERT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  auto results = runAlone(*program, {});
  ASSERT_TRUE(results.ok()) << results.error().message;
  for (auto [text, actual] : llvm::zip(GetParam().expected, *results)) {
    auto difference = findDifference(programs.tensor(text), actual, {GetParam().tolerance, 0.0});
    EXPECT_FALSE(difference) << difference->text;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, KnownAnswerTest, ::testing::ValuesIn(reference::knownAnswers()),
                         [](const auto &info) { return info.param.name; });

/// Runs `function` text on random inputs through both paths. Floats may differ by a few units in
/// the last place, times the square root of `terms`.
void comparePaths(const std::string &text, unsigned seed, int64_t terms = 1) {
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  TestPrograms programs;
  auto module = programs.parse(text);
  ASSERT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  std::mt19937 random(seed);
  std::vector<HostTensor> inputs;
  for (const TensorType &type : program->argumentTypes())
    inputs.push_back(reference::randomTensor(random, type.type, type.shape));
  auto expected = reference::evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), inputs);
  ASSERT_TRUE(mlir::succeeded(expected)) << programs.diagnostics();
  auto actual = runAlone(*program, inputs);
  ASSERT_TRUE(actual.ok()) << actual.error().message;
  ASSERT_EQ(expected->size(), actual->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    auto difference = findDifference((*expected)[i], (*actual)[i],
                                     Tolerance::forSums((*expected)[i].type, terms));
    EXPECT_FALSE(difference) << "result " << i << ", " << difference->text << "\nthunks:\n"
                             << program->describe();
  }
}

std::string function(const std::string &arguments, const std::string &type,
                     const std::string &body) {
  return "func.func @main(" + arguments + ") -> " + type + " {\n" + body + "\n}\n";
}

const std::vector<std::string> kShapes = {"",       "0x",     "7x",    "3x5x",
                                          "2x0x3x", "2x3x4x", "1300x", "33x65x"};

TEST(RandomTest, elementwiseChains) {
  unsigned seed = 1;
  for (const std::string &shape : kShapes)
    for (const std::string type : {"f32", "f64", "bf16", "f16"}) {
      std::string t = "tensor<" + shape + type + ">";
      std::string p = "tensor<" + shape + "i1>";
      comparePaths(function("%x: " + t + ", %y: " + t, "(" + t + ", " + t + ", " + p + ")",
                            "%0 = stablehlo.add %x, %y : " + t + "\n%1 = stablehlo.tanh %0 : " + t +
                                "\n%2 = stablehlo.multiply %1, %x : " + t +
                                "\n%3 = stablehlo.compare GT, %2, %y : (" + t + ", " + t + ") -> " +
                                p + "\n%4 = stablehlo.select %3, %2, %y : " + p + ", " + t +
                                "\n%5 = stablehlo.logistic %4 : " + t +
                                "\n%6 = stablehlo.subtract %5, %1 : " + t +
                                "\nreturn %4, %6, %3 : " + t + ", " + t + ", " + p),
                   seed++, 16);
    }
}

TEST(RandomTest, everyUnaryFloatOp) {
  unsigned seed = 100;
  for (const std::string op :
       {"abs", "negate", "sign", "ceil", "floor", "round_nearest_afz", "round_nearest_even",
        "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "sqrt", "rsqrt",
        "cbrt", "sine", "cosine", "tan", "tanh"})
    for (const std::string type : {"f32", "f64", "bf16", "f16"}) {
      std::string t = "tensor<257x" + type + ">";
      comparePaths(
          function("%x: " + t, t, "%0 = stablehlo." + op + " %x : " + t + "\nreturn %0 : " + t),
          seed++, 4);
    }
}

TEST(RandomTest, everyChloFloatOp) {
  unsigned seed = 180;
  for (const std::string op : {"erf", "erfc", "erf_inv", "square", "asinh", "atan", "cosh", "sinh"})
    for (const std::string type : {"f32", "f64", "bf16", "f16"}) {
      std::string t = "tensor<257x" + type + ">";
      comparePaths(function("%x: " + t, t,
                            "%0 = chlo." + op + " %x : " + t + " -> " + t + "\nreturn %0 : " + t),
                   seed++, 4);
    }
}

TEST(RandomTest, everyBinaryOpOnEveryInteger) {
  unsigned seed = 200;
  for (const std::string op :
       {"add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum", "and",
        "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"})
    for (const std::string type : {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}) {
      std::string t = "tensor<100x" + type + ">";
      comparePaths(function("%x: " + t + ", %y: " + t, t,
                            "%0 = stablehlo." + op + " %x, %y : " + t + "\nreturn %0 : " + t),
                   seed++);
    }
}

TEST(RandomTest, convertsBetweenAllTypes) {
  unsigned seed = 400;
  const std::vector<std::string> types = {"i1",   "i8",   "i16",  "i32", "i64", "ui8", "ui16",
                                          "ui32", "ui64", "bf16", "f16", "f32", "f64"};
  for (const std::string &from : types)
    for (const std::string &to : types) {
      std::string a = "tensor<40x" + from + ">";
      std::string b = "tensor<40x" + to + ">";
      comparePaths(
          function("%x: " + a, b,
                   "%0 = stablehlo.convert %x : (" + a + ") -> " + b + "\nreturn %0 : " + b),
          seed++);
    }
}

TEST(RandomTest, broadcastsInsideOfChains) {
  comparePaths(function("%x: tensor<33x65xf32>, %b: tensor<65xf32>, %c: tensor<33xf32>, %s: "
                        "tensor<f32>",
                        "(tensor<33x65xf32>, tensor<65x33xf32>)", R"(
    %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<65xf32>) -> tensor<33x65xf32>
    %1 = stablehlo.add %x, %0 : tensor<33x65xf32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<33xf32>) -> tensor<33x65xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<33x65xf32>
    %4 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<33x65xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<33x65xf32>
    %6 = stablehlo.iota dim = 1 : tensor<33x65xf32>
    %7 = stablehlo.add %5, %6 : tensor<33x65xf32>
    %8 = stablehlo.transpose %7, dims = [1, 0] : (tensor<33x65xf32>) -> tensor<65x33xf32>
    %9 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<33x65xf32>) -> tensor<65x33xf32>
    %10 = stablehlo.add %8, %9 : tensor<65x33xf32>
    return %7, %10 : tensor<33x65xf32>, tensor<65x33xf32>)"),
               500);
}

/// Reshapes, and a broadcast of a value of the group it feeds.
TEST(RandomTest, chainsThroughReshapes) {
  comparePaths(function("%x: tensor<6x4xf32>", "(tensor<24xf32>, tensor<6x4xf32>)", R"(
    %0 = stablehlo.exponential %x : tensor<6x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
    %2 = stablehlo.add %1, %1 : tensor<24xf32>
    %3 = stablehlo.reshape %2 : (tensor<24xf32>) -> tensor<4x6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %5 = stablehlo.subtract %4, %0 : tensor<6x4xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %7 = stablehlo.add %6, %5 : tensor<6x4xf32>
    return %2, %7 : tensor<24xf32>, tensor<6x4xf32>)"),
               510, 16);
}

TEST(RandomTest, movement) {
  comparePaths(function("%x: tensor<5x6x7xi16>, %v: tensor<i16>, %i: tensor<i32>, %u: "
                        "tensor<2x6x3xi16>",
                        "(tensor<7x5x6xi16>, tensor<5x6x7xi16>, tensor<2x6x3xi16>, "
                        "tensor<9x3x10xi16>, tensor<5x12x7xi16>, tensor<2x6x3xi16>, "
                        "tensor<5x6x7xi16>)",
                        R"(
    %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<5x6x7xi16>) -> tensor<7x5x6xi16>
    %1 = stablehlo.reverse %x, dims = [0, 2] : tensor<5x6x7xi16>
    %2 = stablehlo.slice %x [1:5:2, 0:6, 2:7:2] : (tensor<5x6x7xi16>) -> tensor<2x6x3xi16>
    %3 = stablehlo.pad %x, %v, low = [0, -2, 3], high = [0, -1, 0], interior = [1, 0, 0] : (tensor<5x6x7xi16>, tensor<i16>) -> tensor<9x3x10xi16>
    %4 = stablehlo.concatenate %x, %1, dim = 1 : (tensor<5x6x7xi16>, tensor<5x6x7xi16>) -> tensor<5x12x7xi16>
    %5 = stablehlo.dynamic_slice %x, %i, %i, %i, sizes = [2, 6, 3] : (tensor<5x6x7xi16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x6x3xi16>
    %6 = stablehlo.dynamic_update_slice %1, %u, %i, %i, %i : (tensor<5x6x7xi16>, tensor<2x6x3xi16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x6x7xi16>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<7x5x6xi16>, tensor<5x6x7xi16>, tensor<2x6x3xi16>, tensor<9x3x10xi16>, tensor<5x12x7xi16>, tensor<2x6x3xi16>, tensor<5x6x7xi16>)"),
               520);
  // Large enough for tiles.
  for (const std::string type : {"i8", "f16", "f32", "f64"})
    comparePaths(function("%x: tensor<3x70x45x" + type + ">", "tensor<45x70x3x" + type + ">",
                          "%0 = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<3x70x45x" +
                              type + ">) -> tensor<45x70x3x" + type +
                              ">\nreturn %0 : tensor<45x70x3x" + type + ">"),
                 530);
}

struct DotCase {
  std::string lhs, rhs, result, dims;
};

TEST(RandomTest, dots) {
  const std::vector<DotCase> cases = {
      {"8x5x", "5x7x", "8x7x", "contracting_dims = [1] x [0]"},
      {"5x8x", "5x7x", "8x7x", "contracting_dims = [0] x [0]"},
      {"8x5x", "7x5x", "8x7x", "contracting_dims = [1] x [1]"},
      {"5x8x", "7x5x", "8x7x", "contracting_dims = [0] x [1]"},
      {"3x8x5x", "3x5x7x", "3x8x7x", "batching_dims = [0] x [0], contracting_dims = [2] x [1]"},
      {"4x6x2x8x", "4x9x2x8x", "4x2x6x9x",
       "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]"},
      {"2x3x4x", "4x3x5x", "2x5x", "contracting_dims = [1, 2] x [1, 0]"},
      {"6x", "6x", "", "contracting_dims = [0] x [0]"},
      {"6x", "5x", "6x5x", "contracting_dims = [] x []"},
      {"1x5x", "5x1x", "1x1x", "contracting_dims = [1] x [0]"},
      {"5x1x", "1x4x", "5x4x", "contracting_dims = [1] x [0]"},
      {"5x2x1x", "3x1x", "5x2x3x", "contracting_dims = [2] x [1]"},
      {"0x5x", "5x7x", "0x7x", "contracting_dims = [1] x [0]"},
      {"8x0x", "0x7x", "8x7x", "contracting_dims = [1] x [0]"},
      {"70x90x", "90x130x", "70x130x", "contracting_dims = [1] x [0]"},
  };
  unsigned seed = 600;
  for (const DotCase &dot : cases)
    for (const std::string type : {"f32", "f64", "bf16", "f16", "i32", "i8", "ui16", "i64", "i1"}) {
      std::string a = "tensor<" + dot.lhs + type + ">";
      std::string b = "tensor<" + dot.rhs + type + ">";
      std::string r = "tensor<" + dot.result + type + ">";
      comparePaths(function("%x: " + a + ", %y: " + b, r,
                            "%0 = stablehlo.dot_general %x, %y, " + dot.dims + " : (" + a + ", " +
                                b + ") -> " + r + "\nreturn %0 : " + r),
                   seed++, 100);
    }
  comparePaths(function("%x: tensor<4x6xbf16>, %y: tensor<6x3xbf16>", "tensor<4x3xf32>",
                        "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
                        "(tensor<4x6xbf16>, tensor<6x3xbf16>) -> tensor<4x3xf32>\nreturn %0 : "
                        "tensor<4x3xf32>"),
               seed);
}

struct ConvolutionCase {
  std::string lhs, rhs, result, numbers, window;
  int featureGroups = 1, batchGroups = 1;
};

TEST(RandomTest, convolutions) {
  const std::vector<ConvolutionCase> cases = {
      {"2x8x9x3x", "3x3x3x5x", "2x8x9x5x", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
       "pad = [[1, 1], [1, 1]]"},
      {"2x3x8x9x", "5x3x3x2x", "2x5x4x8x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "stride = [2, 1], pad = [[1, 1], [0, 0]]"},
      {"2x5x5x4x", "2x2x4x3x", "3x2x10x11x", "[b, 0, 1, f]x[0, 1, i, o]->[f, b, 0, 1]",
       "pad = [[1, 1], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 2], reverse = [true, false]"},
      {"2x6x6x4x", "3x3x1x8x", "2x4x4x8x", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "", 4, 1},
      {"4x6x6x3x", "3x3x3x8x", "2x4x4x8x", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "", 1, 2},
      {"2x7x3x", "3x3x4x", "2x2x4x", "[b, 0, f]x[0, i, o]->[b, 0, f]",
       "stride = [3], pad = [[-1, 1]]"},
      {"3x4x", "4x5x", "3x5x", "[b, f]x[i, o]->[b, f]", ""},
      {"0x5x3x", "2x3x4x", "0x4x4x", "[b, 0, f]x[0, i, o]->[b, 0, f]", ""},
  };
  unsigned seed = 800;
  for (const ConvolutionCase &c : cases)
    for (const std::string type : {"f32", "f64", "bf16", "i32"}) {
      std::string a = "tensor<" + c.lhs + type + ">";
      std::string b = "tensor<" + c.rhs + type + ">";
      std::string r = "tensor<" + c.result + type + ">";
      comparePaths(function("%x: " + a + ", %y: " + b, r,
                            "%0 = stablehlo.convolution(%x, %y) dim_numbers = " + c.numbers +
                                ", window = {" + c.window +
                                "} {batch_group_count = " + std::to_string(c.batchGroups) +
                                " : i64, feature_group_count = " + std::to_string(c.featureGroups) +
                                " : i64} : (" + a + ", " + b + ") -> " + r + "\nreturn %0 : " + r),
                   seed++, 100);
    }
}

TEST(RandomTest, reductions) {
  unsigned seed = 900;
  struct Case {
    std::string input, dims, result;
  };
  const std::vector<Case> cases = {
      {"7x", "0", ""},         {"3x50x", "1", "3x"},     {"3x50x", "0", "50x"},
      {"3x50x", "0, 1", ""},   {"4x5x6x", "0, 2", "5x"}, {"4x5x6x", "1", "4x6x"},
      {"4x0x6x", "1", "4x6x"}, {"0x6x", "1", "0x"},      {"2x1500x", "1", "2x"},
      {"1500x3x", "0", "3x"},  {"3x4x", "", "3x4x"}};
  for (const Case &c : cases)
    for (const std::string op : {"add", "multiply", "maximum", "minimum"})
      for (const std::string type : {"f32", "bf16", "i32", "ui8", "i1"}) {
        std::string t = "tensor<" + c.input + type + ">";
        std::string r = "tensor<" + c.result + type + ">";
        std::string s = "tensor<" + type + ">";
        std::string identity = op == "add"        ? (type[0] == 'f' || type[0] == 'b' ? "0.0" : "0")
                               : op == "multiply" ? (type[0] == 'f' || type[0] == 'b' ? "1.0" : "1")
                               : op == "maximum"  ? (type[0] == 'f' || type[0] == 'b' ? "-9.0e2"
                                                     : type[0] == 'u' || type == "i1" ? "0"
                                                                                      : "-99")
                               : (type[0] == 'f' || type[0] == 'b') ? "9.0e2"
                               : type == "i1"                       ? "1"
                                                                    : "99";
        // Long products overflow; their signs and infinities are still compared.
        comparePaths(function("%x: " + t, r,
                              "%i = stablehlo.constant dense<" + identity + "> : " + s +
                                  "\n%0 = stablehlo.reduce(%x init: %i) applies stablehlo." + op +
                                  " across dimensions = [" + c.dims + "] : (" + t + ", " + s +
                                  ") -> " + r + "\nreturn %0 : " + r),
                     seed++, 3000);
      }
}

TEST(RandomTest, reductionByRegionWithCapturedValue) {
  comparePaths(function("%x: tensor<40x30xf32>, %k: tensor<f32>", "tensor<40xf32>", R"(
    %i = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<40x30xf32>, tensor<f32>) -> tensor<40xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.multiply %b, %k : tensor<f32>
      %2 = stablehlo.maximum %a, %1 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
    return %0 : tensor<40xf32>)"),
               1200);
}

TEST(RandomTest, bf16InputsReducedInF32) {
  comparePaths(function("%x: tensor<40x1500xbf16>, %i: tensor<f32>", "tensor<40xf32>", R"(
    %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<40x1500xbf16>, tensor<f32>) -> tensor<40xf32>
    return %0 : tensor<40xf32>)"),
               1210, 1500);
}

TEST(RandomTest, windows) {
  comparePaths(function("%x: tensor<2x9x9x3xf32>, %d: tensor<2x5x5x3xf32>",
                        "(tensor<2x5x5x3xf32>, tensor<2x4x4x3xf32>, tensor<2x9x9x3xf32>)", R"(
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<2x9x9x3xf32>, tensor<f32>) -> tensor<2x5x5x3xf32>
    %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<2x9x9x3xf32>, tensor<f32>) -> tensor<2x4x4x3xf32>
    %2 = "stablehlo.select_and_scatter"(%x, %d, %zero) <{padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<2x9x9x3xf32>, tensor<2x5x5x3xf32>, tensor<f32>) -> tensor<2x9x9x3xf32>
    return %0, %1, %2 : tensor<2x5x5x3xf32>, tensor<2x4x4x3xf32>, tensor<2x9x9x3xf32>)"),
               1300);
  // Windows along the row, with stride, dilation and holes; and a region that is no single op.
  comparePaths(function("%x: tensor<4x11xf32>", "(tensor<4x6xf32>, tensor<4x20xf32>)", R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [2, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<4x11xf32>, tensor<f32>) -> tensor<4x6xf32>
    %1 = "stablehlo.reduce_window"(%x, %zero) <{base_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.multiply %b, %b : tensor<f32>
      %m = stablehlo.add %a, %s : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<4x11xf32>, tensor<f32>) -> tensor<4x20xf32>
    return %0, %1 : tensor<4x6xf32>, tensor<4x20xf32>)"),
               1310);
}

/// Padding has the init value, so that one which is no identity counts once per padded place.
TEST(RandomTest, windowsWithAnInitThatIsNoIdentity) {
  comparePaths(function("%x: tensor<3x5xi32>, %i: tensor<i32>",
                        "(tensor<3x5xi32>, tensor<3x5xi32>, tensor<4x5xi32>)", R"(
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 5>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %m = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %m : tensor<i32>
    }) : (tensor<3x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %1 = "stablehlo.reduce_window"(%x, %i) <{padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %m = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %m : tensor<i32>
    }) : (tensor<3x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %2 = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %m = stablehlo.add %b, %a : tensor<i32>
      stablehlo.return %m : tensor<i32>
    }) : (tensor<3x5xi32>, tensor<i32>) -> tensor<4x5xi32>
    return %0, %1, %2 : tensor<3x5xi32>, tensor<3x5xi32>, tensor<4x5xi32>)"),
               1350);
}

TEST(RandomTest, groupingOpsAndMaps) {
  comparePaths(function("%x: tensor<3000xf32>, %y: tensor<3000xf32>, %k: tensor<f32>",
                        "(tensor<3000xf32>, tensor<3000xf32>)", R"(
    %0 = sdy.named_computation<"block">(%x) (%a: tensor<3000xf32>) {
      %1 = stablehlo.add %a, %a : tensor<3000xf32>
      sdy.return %1 : tensor<3000xf32>
    } : (tensor<3000xf32>) -> tensor<3000xf32>
    sdy.sharding_group %0 group_id=0 : tensor<3000xf32>
    %2 = "stablehlo.map"(%0, %y) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.multiply %a, %k : tensor<f32>
      %4 = stablehlo.maximum %3, %b : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<3000xf32>, tensor<3000xf32>) -> tensor<3000xf32>
    %5 = stablehlo.custom_call @mhlo.erf(%2) : (tensor<3000xf32>) -> tensor<3000xf32>
    return %0, %5 : tensor<3000xf32>, tensor<3000xf32>)"),
               1360, 4);
}

TEST(RandomTest, gatherAndScatter) {
  comparePaths(function("%t: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>",
                        "(tensor<5x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>)", R"(
    %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
    %1 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
    %3 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.multiply %a, %a : tensor<f32>
      %4 = stablehlo.subtract %b, %2 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
    return %0, %1, %3 : tensor<5x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>)"),
               1400, 1000);
  // Transposed windows that hang over the edges; two indexed dimensions.
  comparePaths(function("%t: tensor<7x8x5xi32>, %i: tensor<2x4xi32>, %u: tensor<3x4x2xi32>",
                        "(tensor<3x4x2xi32>, tensor<7x8x5xi32>)", R"(
    %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [2, 0], index_vector_dim = 0>, slice_sizes = array<i64: 3, 1, 2>}> : (tensor<7x8x5xi32>, tensor<2x4xi32>) -> tensor<3x4x2xi32>
    %1 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      stablehlo.return %b : tensor<i32>
    }) : (tensor<7x8x5xi32>, tensor<2x4xi32>, tensor<3x4x2xi32>) -> tensor<7x8x5xi32>
    return %0, %1 : tensor<3x4x2xi32>, tensor<7x8x5xi32>)"),
               1410);
}

TEST(RandomTest, sorts) {
  comparePaths(function("%x: tensor<6x50x2xi8>, %y: tensor<6x50x2xf32>",
                        "(tensor<6x50x2xi8>, tensor<6x50x2xf32>, tensor<6x50x2xf32>)", R"(
    %0, %1 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<f32>, %d: tensor<f32>):
      %p = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<6x50x2xi8>, tensor<6x50x2xf32>) -> (tensor<6x50x2xi8>, tensor<6x50x2xf32>)
    %2 = "stablehlo.sort"(%y) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.negate %a : tensor<f32>
      %n = stablehlo.negate %b : tensor<f32>
      %p = stablehlo.compare LT, %m, %n, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<6x50x2xf32>) -> tensor<6x50x2xf32>
    return %0, %1, %2 : tensor<6x50x2xi8>, tensor<6x50x2xf32>, tensor<6x50x2xf32>)"),
               1500);
}

TEST(RandomTest, scanWithStackedOutputsAndCalls) {
  comparePaths(R"(
    func.func @main(%h: tensor<4xf32>, %w: tensor<4x4xf32>, %xs: tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<i32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.constant dense<5> : tensor<i32>
      %z = stablehlo.constant dense<0.0> : tensor<5x4xf32>
      %0:3 = stablehlo.while(%i = %c, %s = %h, %ys = %z) : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %x = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
        %x1 = stablehlo.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
        %t = func.call @step(%s, %w, %x1) : (tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %r = stablehlo.reshape %t : (tensor<4xf32>) -> tensor<1x4xf32>
        %ys1 = stablehlo.dynamic_update_slice %ys, %r, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
        %i1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %i1, %t, %ys1 : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
      }
      %again = func.call @step(%0#1, %w, %h) : (tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %again, %0#2, %0#0 : tensor<4xf32>, tensor<5x4xf32>, tensor<i32>
    }
    func.func private @step(%s: tensor<4xf32>, %w: tensor<4x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.dot_general %s, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
      %1 = stablehlo.add %0, %x : tensor<4xf32>
      %c = stablehlo.constant dense<true> : tensor<i1>
      %2 = "stablehlo.if"(%c) ({
        %3 = stablehlo.tanh %1 : tensor<4xf32>
        stablehlo.return %3 : tensor<4xf32>
      }, {
        stablehlo.return %1 : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    })",
               1600, 100);
}

TEST(RandomTest, nestedLoopsAndBranches) {
  comparePaths(R"(
    func.func @main(%x: tensor<6xf32>, %k: tensor<i32>) -> (tensor<6xf32>, tensor<6xf32>) {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %c3 = stablehlo.constant dense<3> : tensor<i32>
      %half = stablehlo.constant dense<0.5> : tensor<6xf32>
      %y = stablehlo.multiply %x, %half : tensor<6xf32>
      %0:3 = stablehlo.while(%i = %c0, %a = %x, %b = %y) : tensor<i32>, tensor<6xf32>, tensor<6xf32>
      cond {
        %p = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %1:2 = stablehlo.while(%j = %c0, %d = %a) : tensor<i32>, tensor<6xf32>
        cond {
          %q = stablehlo.compare LT, %j, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %q : tensor<i1>
        } do {
          %e = stablehlo.add %d, %b : tensor<6xf32>
          %j1 = stablehlo.add %j, %c1 : tensor<i32>
          stablehlo.return %j1, %e : tensor<i32>, tensor<6xf32>
        }
        %f = "stablehlo.case"(%i) ({
          stablehlo.return %1#1 : tensor<6xf32>
        }, {
          %g = stablehlo.negate %a : tensor<6xf32>
          stablehlo.return %g : tensor<6xf32>
        }, {
          %g = stablehlo.add %y, %half : tensor<6xf32>
          stablehlo.return %g : tensor<6xf32>
        }) : (tensor<i32>) -> tensor<6xf32>
        %i1 = stablehlo.add %i, %c1 : tensor<i32>
        stablehlo.return %i1, %f, %1#1 : tensor<i32>, tensor<6xf32>, tensor<6xf32>
      }
      %h = stablehlo.subtract %0#1, %half : tensor<6xf32>
      return %h, %0#2 : tensor<6xf32>, tensor<6xf32>
    })",
               1700, 10);
}

/// Random straight-line programs over a few values: fusion and buffer reuse in all orders.
TEST(RandomTest, programs) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
    std::vector<std::string> squares = {"%x", "%y"};
    std::vector<std::string> rows = {"%r"};
    std::string body;
    const std::string s = "tensor<8x8xf32>";
    const std::string v = "tensor<8xf32>";
    for (int i = 0; i < 25; ++i) {
      std::string name = "%v" + std::to_string(i);
      std::string a = squares[pick(squares.size())];
      std::string b = squares[pick(squares.size())];
      std::string r = rows[pick(rows.size())];
      switch (pick(9)) {
      case 0:
        body += name + " = stablehlo.add " + a + ", " + b + " : " + s;
        break;
      case 1:
        body += name + " = stablehlo.minimum " + a + ", " + b + " : " + s;
        break;
      case 2:
        body += name + " = stablehlo.tanh " + a + " : " + s;
        break;
      case 3:
        body += name + " = stablehlo.transpose " + a + ", dims = [1, 0] : (" + s + ") -> " + s;
        break;
      case 4:
        body += name + " = stablehlo.broadcast_in_dim " + r + ", dims = [" +
                std::to_string(pick(2)) + "] : (" + v + ") -> " + s;
        break;
      case 5:
        body += name + " = stablehlo.reduce(" + a + " init: %z) applies stablehlo.maximum across " +
                "dimensions = [" + std::to_string(pick(2)) + "] : (" + s + ", tensor<f32>) -> " + v;
        rows.push_back(name);
        body += "\n";
        continue;
      case 6:
        body += name + " = stablehlo.negate " + r + " : " + v + "\n";
        rows.push_back(name);
        continue;
      case 7:
        body += name + "t = stablehlo.reshape " + a + " : (" + s + ") -> tensor<64xf32>\n" + name +
                " = stablehlo.reshape " + name + "t : (tensor<64xf32>) -> " + s;
        break;
      default:
        body += name + " = stablehlo.dynamic_update_slice " + a + ", %p, %i, %i : (" + s +
                ", tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> " + s;
        break;
      }
      body += "\n";
      squares.push_back(name);
    }
    std::string a = squares.back();
    std::string b = squares[pick(squares.size())];
    std::string r = rows.back();
    comparePaths(
        function("%x: " + s + ", %y: " + s + ", %r: " + v +
                     ", %p: tensor<3x3xf32>, %i: tensor<i32>, %z: tensor<f32>",
                 "(" + s + ", " + s + ", " + v + ")",
                 body + "return " + a + ", " + b + ", " + r + " : " + s + ", " + s + ", " + v),
        seed, 50);
    if (::testing::Test::HasFailure())
      return;
  }
}

/// Random loops and branches: states that are updated in place, swapped, handed on unchanged or
/// replaced by values from outside, in nested regions.
class RandomLoops {
public:
  explicit RandomLoops(unsigned seed) : random(seed) {}

  std::string program() {
    std::vector<std::string> values = {"%x", "%y"};
    std::string body = "%c0 = stablehlo.constant dense<0> : tensor<i32>\n"
                       "%c1 = stablehlo.constant dense<1> : tensor<i32>\n"
                       "%c3 = stablehlo.constant dense<3> : tensor<i32>\n"
                       "%half = stablehlo.constant dense<0.5> : " +
                       type + "\n";
    body += block(values, 8, 2);
    return function("%x: " + type + ", %y: " + type + ", %p: tensor<2x2xf32>, %i: tensor<i32>",
                    "(" + type + ", " + type + ")",
                    body + "return " + values.back() + ", " + pick(values) + " : " + type + ", " +
                        type);
  }

private:
  size_t number(size_t count) { return static_cast<size_t>(random() % count); }
  std::string pick(const std::vector<std::string> &values) { return values[number(values.size())]; }
  std::string fresh() { return "%v" + std::to_string(next++); }

  /// Appends ops that make new values from `values`.
  std::string block(std::vector<std::string> &values, int length, int depth) {
    std::string text;
    for (int i = 0; i < length; ++i) {
      std::string name = fresh();
      std::string a = pick(values);
      std::string b = pick(values);
      switch (number(depth > 0 ? 8 : 6)) {
      case 0:
        text += name + " = stablehlo.minimum " + a + ", " + b + " : " + type + "\n";
        break;
      case 1:
        text += name + " = stablehlo.tanh " + a + " : " + type + "\n";
        break;
      case 2:
        text += name + " = stablehlo.transpose " + a + ", dims = [1, 0] : (" + type + ") -> " +
                type + "\n";
        break;
      case 3:
        text += name + " = stablehlo.dynamic_update_slice " + a + ", %p, %i, %c1 : (" + type +
                ", tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> " + type + "\n";
        break;
      case 4:
        text += name + " = stablehlo.subtract " + a + ", " + b + " : " + type + "\n";
        break;
      case 5:
        text += name + " = stablehlo.multiply " + a + ", %half : " + type + "\n";
        break;
      case 6:
        text += loop(name, values, depth - 1);
        values.push_back(name + "#1");
        values.push_back(name + "#2");
        values.push_back(name + "#3");
        continue;
      default:
        text += branch(name, values, depth - 1);
        values.push_back(name + "#0");
        values.push_back(name + "#1");
        continue;
      }
      values.push_back(name);
    }
    return text;
  }

  std::string loop(const std::string &name, const std::vector<std::string> &outer, int depth) {
    std::string counter = fresh();
    std::vector<std::string> inner = outer;
    std::string states = counter + " = %c0";
    for (int i = 0; i < 3; ++i) {
      std::string state = fresh();
      states += ", " + state + " = " + pick(outer);
      inner.push_back(state);
    }
    std::string types = "tensor<i32>, " + type + ", " + type + ", " + type;
    std::string test = fresh();
    std::string after = fresh();
    std::string text = name + ":4 = stablehlo.while(" + states + ") : " + types + "\ncond {\n" +
                       test + " = stablehlo.compare LT, " + counter +
                       ", %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                       "stablehlo.return " +
                       test + " : tensor<i1>\n} do {\n";
    std::string body = block(inner, 5, depth);
    // States, new values and values from outside alike; recent ones more often.
    auto recent = [&] {
      return inner[inner.size() - 1 - number(std::min<size_t>(inner.size(), 8))];
    };
    text += body + after + " = stablehlo.add " + counter +
            ", %c1 : tensor<i32>\nstablehlo.return " + after + ", " + recent() + ", " + recent() +
            ", " + recent() + " : " + types + "\n}\n";
    return text;
  }

  std::string branch(const std::string &name, const std::vector<std::string> &outer, int depth) {
    std::string text = name + ":2 = \"stablehlo.case\"(%i) (";
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> inner = outer;
      std::string body = block(inner, 3, depth);
      text += std::string(i ? ", " : "") + "{\n" + body + "stablehlo.return " + inner.back() +
              ", " + pick(inner) + " : " + type + ", " + type + "\n}";
    }
    return text + ") : (tensor<i32>) -> (" + type + ", " + type + ")\n";
  }

  const std::string type = "tensor<4x4xf32>";
  std::mt19937 random;
  int next = 0;
};

TEST(RandomTest, loopsAndBranches) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    comparePaths(RandomLoops(seed).program(), seed, 50);
    if (::testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace shardwise::execute
