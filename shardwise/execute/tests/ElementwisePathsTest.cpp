// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise ops and their fusion, both paths compared on random inputs.

#include "shardwise/execute/tests/PathTesting.h"

namespace shardwise::execute {
namespace {

const std::vector<std::string> kShapes = {"",       "0x",     "7x",    "3x5x",
                                          "2x0x3x", "2x3x4x", "1300x", "33x65x"};

TEST(ElementwisePathsTest, elementwiseChains) {
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

TEST(ElementwisePathsTest, everyUnaryFloatOp) {
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

TEST(ElementwisePathsTest, everyChloFloatOp) {
  unsigned seed = 180;
  for (const std::string op : {"erf", "erfc", "erf_inv", "square", "asinh", "atan", "cosh", "sinh"})
    for (const std::string type : {"f32", "f64", "bf16", "f16"}) {
      std::string t = "tensor<257x" + type + ">";
      comparePaths(function("%x: " + t, t,
                            "%0 = chlo." + op + " %x : " + t + " -> " + t + "\nreturn %0 : " + t),
                   seed++, 4);
    }
}

TEST(ElementwisePathsTest, everyBinaryOpOnEveryInteger) {
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

TEST(ElementwisePathsTest, convertsBetweenAllTypes) {
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

TEST(ElementwisePathsTest, broadcastsInsideOfChains) {
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
TEST(ElementwisePathsTest, chainsThroughReshapes) {
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

TEST(ElementwisePathsTest, groupingOpsAndMaps) {
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

} // namespace
} // namespace shardwise::execute
