// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of known answers. Numbers are those of the StableHLO specification and its reference
// interpreter, or of a formula written beside.

#include "shardwise/reference/KnownAnswers.h"

#include <fstream>
#include <optional>

namespace shardwise::reference {
namespace {

using Strings = std::vector<std::string>;

/// `stablehlo.NAME $0, $1 : T` on equal types.
KnownAnswer binary(std::string name, std::string op, std::string a, std::string b, std::string type,
                   std::string result) {
  return {std::move(name),
          {a + " : " + type, b + " : " + type},
          "%r0 = stablehlo." + op + " $0, $1 : " + type,
          {result + " : " + type}};
}

KnownAnswer unary(std::string name, std::string op, std::string a, std::string type,
                  std::string result) {
  return {std::move(name),
          {a + " : " + type},
          "%r0 = stablehlo." + op + " $0 : " + type,
          {result + " : " + type}};
}

KnownAnswer convert(std::string name, std::string a, std::string from, std::string to,
                    std::string result) {
  return {std::move(name),
          {a + " : " + from},
          "%r0 = stablehlo.convert $0 : (" + from + ") -> " + to,
          {result + " : " + to}};
}

KnownAnswer compare(std::string name, std::string how, std::string kind, std::string a,
                    std::string b, std::string result) {
  std::string type = "tensor<4xf32>";
  return {std::move(name),
          {a + " : " + type, b + " : " + type},
          "%r0 = stablehlo.compare " + how + ", $0, $1, " + kind + " : (" + type + ", " + type +
              ") -> tensor<4xi1>",
          {result + " : tensor<4xi1>"}};
}

const std::string kFloats =
    "dense<[1.7, -1.7, 3.0e9, -3.0e9, 0x7FC00000, 0x7F800000, 0xFF800000, 300.0, -0.5]>";

std::vector<KnownAnswer> integerAnswers() {
  return {
      binary("divideTruncates", "divide", "dense<[-128, -7, 7, -7]>", "dense<[-1, 2, -2, -2]>",
             "tensor<4xi8>", "dense<[-128, -3, -3, 3]>"),
      binary("remainderHasSignOfDividend", "remainder", "dense<[-128, -7, 7, -7]>",
             "dense<[-1, 2, -2, -2]>", "tensor<4xi8>", "dense<[0, -1, 1, -1]>"),
      binary("divideByZeroSetsAllBits", "divide", "dense<5>", "dense<0>", "tensor<i32>",
             "dense<-1>"),
      binary("unsignedDivideByZero", "divide", "dense<5>", "dense<0>", "tensor<ui8>", "dense<255>"),
      binary("remainderByZero", "remainder", "dense<5>", "dense<0>", "tensor<i32>", "dense<5>"),
      binary("shiftLeftTooFar", "shift_left", "dense<[1, 64, -3]>", "dense<[8, 100, -1]>",
             "tensor<3xi8>", "dense<0>"),
      binary("shiftRightArithmeticTooFar", "shift_right_arithmetic", "dense<-3>", "dense<-1>",
             "tensor<i8>", "dense<-1>"),
      binary("shiftRightLogical", "shift_right_logical", "dense<-1>", "dense<7>", "tensor<i8>",
             "dense<1>"),
      binary("shiftRightArithmeticOnUnsigned", "shift_right_arithmetic", "dense<[128, 255]>",
             "dense<[1, 9]>", "tensor<2xui8>", "dense<[192, 255]>"),
      binary("integerPower", "power", "dense<[2, -1, -1, 2, 0, 0, 3]>",
             "dense<[-1, -3, -2, 31, 0, -1, 21]>", "tensor<7xi32>",
             "dense<[0, -1, 1, -2147483648, 1, 0, 1870418611]>"),
      unary("absOfSmallest", "abs", "dense<-128>", "tensor<i8>", "dense<-128>"),
      unary("negateUnsigned", "negate", "dense<[1, 0]>", "tensor<2xui8>", "dense<[255, 0]>"),
      unary("countLeadingZeros", "count_leading_zeros", "dense<[0, 1, -1]>", "tensor<3xi16>",
            "dense<[16, 15, 0]>"),
      unary("populationCount", "popcnt", "dense<[0, 7, -1]>", "tensor<3xi16>", "dense<[0, 3, 16]>"),
      binary("boolAddIsOr", "add", "dense<[true, false]>", "dense<[true, false]>", "tensor<2xi1>",
             "dense<[true, false]>"),
      convert("integersNarrow", "dense<[300, -1, 200, 16777217]>", "tensor<4xi32>", "tensor<4xi8>",
              "dense<[44, -1, -56, 1]>"),
      convert("integersToUnsigned", "dense<[300, -1, 200, 16777217]>", "tensor<4xi32>",
              "tensor<4xui8>", "dense<[44, 255, 200, 1]>"),
      convert("integersToFloat", "dense<[300, -1, 200, 16777217]>", "tensor<4xi32>",
              "tensor<4xf32>", "dense<[300.0, -1.0, 200.0, 16777216.0]>"),
      convert("largeIntegerRoundsOnce", "dense<[9007199791611905, -9007199791611905]>",
              "tensor<2xi64>", "tensor<2xf32>", "dense<[0x5A000001, 0xDA000001]>"),
  };
}

std::vector<KnownAnswer> floatAnswers() {
  std::string five = "dense<[65519.0, 65520.0, 1.0e-5, 6.1e-5, -1.0e-7]>";
  return {
      convert("floatToIntegerSaturates", kFloats, "tensor<9xf32>", "tensor<9xi32>",
              "dense<[1, -1, 2147483647, -2147483648, 0, 2147483647, -2147483648, 300, 0]>"),
      convert("floatToUnsignedSaturates", kFloats, "tensor<9xf32>", "tensor<9xui8>",
              "dense<[1, 0, 255, 0, 0, 255, 0, 255, 0]>"),
      convert("floatToByteSaturates", kFloats, "tensor<9xf32>", "tensor<9xi8>",
              "dense<[1, -1, 127, -128, 0, 127, -128, 127, 0]>"),
      convert("floatToBool", kFloats, "tensor<9xf32>", "tensor<9xi1>", "dense<true>"),
      convert("minusZeroIsFalse", "dense<-0.0>", "tensor<f32>", "tensor<i1>", "dense<false>"),
      convert("bf16TiesToEven", "dense<[1.00390625, 1.01171875]>", "tensor<2xf32>",
              "tensor<2xbf16>", "dense<[1.0, 1.015625]>"),
      binary("maximumOrdersZeros", "maximum", "dense<[-0.0, 0.0, 0x7FC00000, 1.0]>",
             "dense<[0.0, -0.0, 1.0, 0x7FC00000]>", "tensor<4xf32>",
             "dense<[0.0, 0.0, 0x7FC00000, 0x7FC00000]>"),
      binary("minimumOrdersZeros", "minimum", "dense<[-0.0, 0.0, 0x7FC00000, 1.0]>",
             "dense<[0.0, -0.0, 1.0, 0x7FC00000]>", "tensor<4xf32>",
             "dense<[-0.0, -0.0, 0x7FC00000, 0x7FC00000]>"),
      unary("roundToEven", "round_nearest_even", "dense<[2.5, -2.5, 0.5, -0.5]>", "tensor<4xf32>",
            "dense<[2.0, -2.0, 0.0, -0.0]>"),
      unary("roundAwayFromZero", "round_nearest_afz", "dense<[2.5, -2.5, 0.5, -0.5]>",
            "tensor<4xf32>", "dense<[3.0, -3.0, 1.0, -1.0]>"),
      unary("signKeepsZeroAndNan", "sign", "dense<[-0.0, 0x7FC00000, -2.5]>", "tensor<3xf32>",
            "dense<[-0.0, 0x7FC00000, -1.0]>"),
      unary("ceilKeepsSignOfZero", "ceil", "dense<-0.5>", "tensor<f32>", "dense<-0.0>"),
      binary("floatRemainder", "remainder", "dense<[2.5, -2.5, -0.0]>", "dense<[2.0, 2.0, 0.0]>",
             "tensor<3xf32>", "dense<[0.5, -0.5, 0x7FC00000]>"),
      binary("powerOfOneAndToZero", "power", "dense<[1.0, 0x7FC00000]>", "dense<[0x7FC00000, 0.0]>",
             "tensor<2xf32>", "dense<[1.0, 1.0]>"),
      {"clampWithCrossedBounds",
       {"dense<3.0> : tensor<f32>", "dense<[2.5, 0x7FC00000]> : tensor<2xf32>",
        "dense<1.0> : tensor<f32>"},
       "%r0 = stablehlo.clamp $0, $1, $2 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> "
       "tensor<2xf32>",
       {"dense<[1.0, 0x7FC00000]> : tensor<2xf32>"}},
      compare("nanIsNotEqual", "EQ", "FLOAT", "dense<[0x7FC00000, -0.0, 1.0, 2.0]>",
              "dense<[0x7FC00000, 0.0, 1.0, 1.0]>", "dense<[false, true, true, false]>"),
      compare("nanIsUnequal", "NE", "FLOAT", "dense<[0x7FC00000, -0.0, 1.0, 2.0]>",
              "dense<[0x7FC00000, 0.0, 1.0, 1.0]>", "dense<[true, false, false, true]>"),
      compare("totalOrderEqual", "EQ", "TOTALORDER", "dense<[0x7FC00000, -0.0, 1.0, 2.0]>",
              "dense<[0x7FC00000, 0.0, 1.0, 1.0]>", "dense<[true, false, true, false]>"),
      compare("totalOrderLess", "LT", "TOTALORDER", "dense<[-0.0, 0xFFC00000, 0x7F800000, -2.0]>",
              "dense<[0.0, 0xFF800000, 0x7FC00000, -1.0]>", "dense<true>"),
      {"reducePrecision",
       {five + " : tensor<5xf32>"},
       "%r0 = stablehlo.reduce_precision $0, format = e5m10 : tensor<5xf32>",
       {"dense<[65504.0, 0x7F800000, 0.0, 0.0, -0.0]> : tensor<5xf32>"}},
      {"bitcastNarrows",
       {"dense<1.0> : tensor<f32>", "dense<0x12345678> : tensor<i32>"},
       "%r0 = stablehlo.bitcast_convert $0 : (tensor<f32>) -> tensor<4xui8>\n"
       "%r1 = stablehlo.bitcast_convert $1 : (tensor<i32>) -> tensor<2xi16>\n"
       "%r2 = stablehlo.bitcast_convert %r1 : (tensor<2xi16>) -> tensor<i32>",
       {"dense<[0, 0, 128, 63]> : tensor<4xui8>", "dense<[0x5678, 0x1234]> : tensor<2xi16>",
        "dense<0x12345678> : tensor<i32>"}},
      {"erfInverse",
       {"dense<[0.5, 0.9, 1.0, -1.0]> : tensor<4xf32>"},
       "%r0 = chlo.erf_inv $0 : tensor<4xf32> -> tensor<4xf32>",
       {"dense<[0.476936, 1.163087, 0x7F800000, 0xFF800000]> : tensor<4xf32>"},
       1e-6},
      // Newton's method must not cancel near 0.
      {"erfInverseOfSmall",
       {"dense<[0.0014000640934141995, -1.0e-9]> : tensor<2xf64>"},
       "%r0 = chlo.erf_inv $0 : tensor<2xf64> -> tensor<2xf64>",
       {"dense<[0.0012407751336768990, -8.8622692545275801e-10]> : tensor<2xf64>"},
       1e-15},
  };
}

const std::string kFour = "dense<[10, 20, 30, 40]> : tensor<4xi32>";

/// A region on two i32 scalars.
std::string region(const std::string &op, const std::string &type = "i32") {
  std::string t = "tensor<" + type + ">";
  return "({ ^bb0(%a: " + t + ", %b: " + t + "):\n  %x = stablehlo." + op + " %a, %b : " + t +
         "\n  stablehlo.return %x : " + t + " })";
}

std::vector<KnownAnswer> indexingAnswers() {
  std::string scatter =
      "%r0 = \"stablehlo.scatter\"($0, $1, $2) <{scatter_dimension_numbers = "
      "#stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], "
      "index_vector_dim = 1>}> ";
  std::string scatterTypes =
      " : (tensor<4xi32>, tensor<3x1xi32>, tensor<3x2xi32>) -> tensor<4xi32>";
  Strings scatterInputs = {kFour, "dense<[[-1], [3], [1]]> : tensor<3x1xi32>",
                           "dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>"};
  return {
      {"dynamicSliceClamps",
       {kFour, "dense<3> : tensor<i32>", "dense<-5> : tensor<i32>"},
       "%r0 = stablehlo.dynamic_slice $0, $1, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> "
       "tensor<2xi32>\n%r1 = stablehlo.dynamic_slice $0, $2, sizes = [2] : (tensor<4xi32>, "
       "tensor<i32>) -> tensor<2xi32>",
       {"dense<[30, 40]> : tensor<2xi32>", "dense<[10, 20]> : tensor<2xi32>"}},
      {"hugeUnsignedStartIsPastTheEnd",
       {kFour, "dense<18446744073709551615> : tensor<ui64>"},
       "%r0 = stablehlo.dynamic_slice $0, $1, sizes = [2] : (tensor<4xi32>, tensor<ui64>) -> "
       "tensor<2xi32>",
       {"dense<[30, 40]> : tensor<2xi32>"}},
      {"dynamicUpdateSliceClamps",
       {kFour, "dense<[1, 2]> : tensor<2xi32>", "dense<3> : tensor<i32>"},
       "%r0 = stablehlo.dynamic_update_slice $0, $1, $2 : (tensor<4xi32>, tensor<2xi32>, "
       "tensor<i32>) -> tensor<4xi32>",
       {"dense<[10, 20, 1, 2]> : tensor<4xi32>"}},
      {"gatherClamps",
       {kFour, "dense<[[-1], [3], [1]]> : tensor<3x1xi32>"},
       "%r0 = \"stablehlo.gather\"($0, $1) <{dimension_numbers = #stablehlo.gather<offset_dims = "
       "[1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>}> : "
       "(tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>",
       {"dense<[[10, 20], [30, 40], [20, 30]]> : tensor<3x2xi32>"}},
      {"gatherWithBatching",
       {"dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>",
        "dense<[[2, 0], [1, 9]]> : tensor<2x2xi32>"},
       "%r0 = \"stablehlo.gather\"($0, $1) <{dimension_numbers = "
       "#stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], "
       "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, "
       "slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>",
       {"dense<[[3, 1], [5, 6]]> : tensor<2x2xi32>"}},
      {"scatterDropsElements",
       scatterInputs,
       scatter + region("add") + scatterTypes,
       {"dense<[12, 25, 36, 43]> : tensor<4xi32>"}},
      {"scatterOverwrites",
       scatterInputs,
       scatter +
           "({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n stablehlo.return %b : tensor<i32> })" +
           scatterTypes,
       {"dense<[2, 5, 6, 3]> : tensor<4xi32>"}},
      // Windows that overlap without being equal, interleaved in the updates.
      {"scatterFollowsTheOrderOfUpdates",
       {kFour, "dense<[[0], [1]]> : tensor<2x1xi32>", "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>"},
       "%r0 = \"stablehlo.scatter\"($0, $1, $2) <{scatter_dimension_numbers = "
       "#stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], "
       "index_vector_dim = 1>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n stablehlo.return %b "
       ": tensor<i32> }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<4xi32>",
       {"dense<[1, 3, 4, 40]> : tensor<4xi32>"}},
      {"padCutsAndFills",
       {"dense<[1, 2, 3]> : tensor<3xi32>", "dense<0> : tensor<i32>"},
       "%r0 = stablehlo.pad $0, $1, low = [-1], high = [0], interior = [1] : (tensor<3xi32>, "
       "tensor<i32>) -> tensor<4xi32>\n%r1 = stablehlo.pad $0, $1, low = [-2], high = [1], "
       "interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>",
       {"dense<[0, 2, 0, 3]> : tensor<4xi32>", "dense<[3, 0]> : tensor<2xi32>"}},
      {"broadcastTransposes",
       {"dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>"},
       "%r0 = stablehlo.broadcast_in_dim $0, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>",
       {"dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>"}},
  };
}

std::vector<KnownAnswer> reductionAnswers() {
  std::string window = "%r0 = \"stablehlo.reduce_window\"($0, $1) <{";
  std::string select =
      "({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n %x = stablehlo.compare GE, %a, %b, SIGNED : "
      "(tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %x : tensor<i1> }, " +
      region("add").substr(1);
  return {
      {"reduceStartsFromInit",
       {"dense<[[1, 2], [5, 6]]> : tensor<2x2xi32>", "dense<100> : tensor<i32>",
        "dense<> : tensor<0xi32>"},
       "%r0 = stablehlo.reduce($0 init: $1) applies stablehlo.add across dimensions = [0] : "
       "(tensor<2x2xi32>, tensor<i32>) -> tensor<2xi32>\n%r1 = stablehlo.reduce($2 init: $1) "
       "applies stablehlo.add across dimensions = [0] : (tensor<0xi32>, tensor<i32>) -> "
       "tensor<i32>",
       {"dense<[106, 108]> : tensor<2xi32>", "dense<100> : tensor<i32>"}},
      {"reduceToFirstMaximum",
       {"dense<[[1.0, 7.0, 7.0], [3.0, 0x7FC00000, 4.0]]> : tensor<2x3xf32>",
        "dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>", "dense<0xFF800000> : tensor<f32>",
        "dense<0> : tensor<i32>"},
       "%r0, %r1 = stablehlo.reduce($0 init: $2), ($1 init: $3) across dimensions = [1] : "
       "(tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, "
       "tensor<2xi32>)\n reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: "
       "tensor<i32>) {\n %1 = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> "
       "tensor<i1>\n %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> "
       "tensor<i1>\n %3 = stablehlo.or %1, %2 : tensor<i1>\n %4 = stablehlo.compare EQ, %a, %c, "
       "FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n %5 = stablehlo.compare LT, %b, %d, "
       "SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n %6 = stablehlo.and %4, %5 : "
       "tensor<i1>\n %7 = stablehlo.or %3, %6 : tensor<i1>\n %8 = stablehlo.select %3, %a, %c : "
       "tensor<i1>, tensor<f32>\n %9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>\n "
       "stablehlo.return %8, %9 : tensor<f32>, tensor<i32>\n }",
       {"dense<[7.0, 0x7FC00000]> : tensor<2xf32>", "dense<[1, 1]> : tensor<2xi32>"}},
      {"windowWithPadding",
       {"dense<[1, 2, 3, 4, 5]> : tensor<5xi32>", "dense<0> : tensor<i32>"},
       window +
           "padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, "
           "window_strides = array<i64: 2>}> " +
           region("add") + " : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>",
       {"dense<[3, 7, 5]> : tensor<3xi32>"}},
      {"windowWithDilation",
       {"dense<[1, 2, 3, 4, 5]> : tensor<5xi32>", "dense<0> : tensor<i32>"},
       window +
           "padding = dense<[[1, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, "
           "window_dilations = array<i64: 2>}> " +
           region("add") + " : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>",
       {"dense<[2, 4, 6, 8, 4]> : tensor<5xi32>"}},
      {"windowOverDilatedBase",
       {"dense<[1, 2, 3]> : tensor<3xi32>", "dense<0> : tensor<i32>"},
       window + "base_dilations = array<i64: 2>, window_dimensions = array<i64: 2>}> " +
           region("add") + " : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>",
       {"dense<[1, 2, 2, 3]> : tensor<4xi32>"}},
      {"cumulativeSum",
       {"dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>", "dense<0> : tensor<i32>"},
       window +
           "padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, "
           "1>}> " +
           region("add") +
           " : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>\n%r1 = "
           "\"stablehlo.reduce_window\"($0, $1) <{padding = dense<[[0, 2], [0, 0]]> : "
           "tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> " +
           region("add") + " : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>",
       {"dense<[[1, 2], [4, 6], [9, 12]]> : tensor<3x2xi32>",
        "dense<[[9, 12], [8, 10], [5, 6]]> : tensor<3x2xi32>"}},
      {"selectAndScatterKeepsFirstMaximum",
       {"dense<[1, 5, 5, 2, 7, 0]> : tensor<6xi32>", "dense<[10, 20, 30]> : tensor<3xi32>",
        "dense<0> : tensor<i32>"},
       "%r0 = \"stablehlo.select_and_scatter\"($0, $1, $2) <{window_dimensions = array<i64: 2>, "
       "window_strides = array<i64: 2>}> " +
           select + " : (tensor<6xi32>, tensor<3xi32>, tensor<i32>) -> tensor<6xi32>",
       {"dense<[0, 10, 20, 0, 30, 0]> : tensor<6xi32>"}},
      {"selectAndScatterIgnoresPadding",
       {"dense<[3, 3, 9, 9, 1]> : tensor<5xi32>", "dense<[1, 10, 100]> : tensor<3xi32>",
        "dense<0> : tensor<i32>"},
       "%r0 = \"stablehlo.select_and_scatter\"($0, $1, $2) <{padding = dense<[[1, 1]]> : "
       "tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> " +
           select + " : (tensor<5xi32>, tensor<3xi32>, tensor<i32>) -> tensor<5xi32>",
       {"dense<[1, 0, 10, 100, 0]> : tensor<5xi32>"}},
      {"sortIsStable",
       {"dense<[3.0, 1.0, 3.0, 0.5, 1.0]> : tensor<5xf32>",
        "dense<[0, 1, 2, 3, 4]> : tensor<5xi32>"},
       "%r0, %r1 = \"stablehlo.sort\"($0, $1) <{dimension = 0 : i64, is_stable = true}> ({ "
       "^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):\n %x = "
       "stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n "
       "stablehlo.return %x : tensor<i1> }) : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, "
       "tensor<5xi32>)",
       {"dense<[3.0, 3.0, 1.0, 1.0, 0.5]> : tensor<5xf32>",
        "dense<[0, 2, 1, 4, 3]> : tensor<5xi32>"}},
      {"topKPutsNanFirst",
       {"dense<[1.0, 0x7FC00000, 4.0, 4.0]> : tensor<4xf32>"},
       "%r0, %r1 = chlo.top_k($0, k = 3) : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)",
       {"dense<[0x7FC00000, 4.0, 4.0]> : tensor<3xf32>", "dense<[1, 2, 3]> : tensor<3xi32>"}},
  };
}

std::vector<KnownAnswer> contractionAnswers() {
  std::string line = "%r0 = stablehlo.convolution($0, $1) dim_numbers = [b, 0, f]x[0, i, "
                     "o]->[b, 0, f], window = ";
  std::string one = " {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : ";
  Strings lineInputs = {"dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>",
                        "dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>"};
  return {
      {"dotDoesNotWrapAtOperandWidth",
       {"dense<[[100, 100], [1, 2]]> : tensor<2x2xi8>"},
       "%r0 = stablehlo.dot_general $0, $0, contracting_dims = [1] x [1] : (tensor<2x2xi8>, "
       "tensor<2x2xi8>) -> tensor<2x2xi32>",
       {"dense<[[20000, 300], [300, 5]]> : tensor<2x2xi32>"}},
      {"dotOverNothingIsZero",
       {"dense<> : tensor<2x0xf32>", "dense<> : tensor<0x3xf32>"},
       "%r0 = stablehlo.dot_general $0, $1, contracting_dims = [1] x [0] : (tensor<2x0xf32>, "
       "tensor<0x3xf32>) -> tensor<2x3xf32>",
       {"dense<0.0> : tensor<2x3xf32>"}},
      {"convolutionDoesNotFlip",
       lineInputs,
       line + "{}" + one + "(tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>",
       {"dense<[[[21.0], [32.0], [43.0]]]> : tensor<1x3x1xf32>"}},
      {"convolutionReversed",
       lineInputs,
       line + "{reverse = [true]}" + one +
           "(tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>",
       {"dense<[[[12.0], [23.0], [34.0]]]> : tensor<1x3x1xf32>"}},
      {"convolutionDilated",
       lineInputs,
       line + "{stride = [2], pad = [[1, 1]], lhs_dilate = [2]}" + one +
           "(tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>",
       {"dense<[[[10.0], [20.0], [30.0], [40.0]]]> : tensor<1x4x1xf32>"}},
      {"convolutionByFeatureGroups",
       {"dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>", "dense<[[[3.0, 5.0]]]> : tensor<1x1x2xf32>"},
       line + "{} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : "
              "(tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>",
       {"dense<[[[3.0, 50.0]]]> : tensor<1x1x2xf32>"}},
      {"convolutionByBatchGroups",
       {"dense<[[[1.0], [2.0]], [[10.0], [20.0]]]> : tensor<2x2x1xf32>",
        "dense<[[[3.0, 5.0]]]> : tensor<1x1x2xf32>"},
       line + "{} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : "
              "(tensor<2x2x1xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>",
       {"dense<[[[3.0, 50.0], [6.0, 100.0]]]> : tensor<1x2x2xf32>"}},
  };
}

std::vector<KnownAnswer> otherAnswers() {
  std::string branches = "({ stablehlo.return $2 : tensor<i32> }, { stablehlo.return $3 : "
                         "tensor<i32> }) : (tensor<i32>) -> tensor<i32>";
  return {
      {"caseOutOfRangeIsLast",
       {"dense<-1> : tensor<i32>", "dense<7> : tensor<i32>", "dense<10> : tensor<i32>",
        "dense<20> : tensor<i32>", "dense<0> : tensor<i32>"},
       "%r0 = \"stablehlo.case\"($0) " + branches + "\n%r1 = \"stablehlo.case\"($1) " + branches +
           "\n%r2 = \"stablehlo.case\"($4) " + branches,
       {"dense<20> : tensor<i32>", "dense<20> : tensor<i32>", "dense<10> : tensor<i32>"}},
      {"whileSwapsItsState",
       {"dense<0> : tensor<i32>", "dense<[1, 2]> : tensor<2xi32>",
        "dense<[30, 40]> : tensor<2xi32>", "dense<3> : tensor<i32>", "dense<1> : tensor<i32>"},
       "%l:3 = stablehlo.while(%i = $0, %p = $1, %q = $2) : tensor<i32>, tensor<2xi32>, "
       "tensor<2xi32>\n cond {\n %t = stablehlo.compare LT, %i, $3, SIGNED : (tensor<i32>, "
       "tensor<i32>) -> tensor<i1>\n stablehlo.return %t : tensor<i1>\n } do {\n %n = "
       "stablehlo.add %i, $4 : tensor<i32>\n stablehlo.return %n, %q, %p : tensor<i32>, "
       "tensor<2xi32>, tensor<2xi32>\n }\n%r0 = stablehlo.reshape %l#1 : (tensor<2xi32>) -> "
       "tensor<2xi32>\n%r1 = stablehlo.reshape %l#2 : (tensor<2xi32>) -> tensor<2xi32>",
       {"dense<[30, 40]> : tensor<2xi32>", "dense<[1, 2]> : tensor<2xi32>"}},
      {"threefryBits",
       {"dense<[42, 0]> : tensor<2xui64>"},
       "%r0, %r1 = stablehlo.rng_bit_generator $0, algorithm = THREE_FRY : (tensor<2xui64>) -> "
       "(tensor<2xui64>, tensor<4xui32>)",
       {"dense<[42, 2]> : tensor<2xui64>",
        "dense<[0xde79f4b9, 0x4f6cc618, 0x268fd86c, 0xfe251627]> : tensor<4xui32>"}},
      {"philoxBits",
       {"dense<[42, 0]> : tensor<2xui64>"},
       "%r0, %r1 = stablehlo.rng_bit_generator $0, algorithm = PHILOX : (tensor<2xui64>) -> "
       "(tensor<2xui64>, tensor<4xui32>)",
       {"dense<[42, 1]> : tensor<2xui64>",
        "dense<[0xfc354969, 0x6b2260e2, 0x423d6642, 0xf5aeaa46]> : tensor<4xui32>"}},
  };
}

} // namespace

const std::vector<KnownAnswer> &knownAnswers() {
  static const std::vector<KnownAnswer> all = [] {
    std::vector<KnownAnswer> cases;
    for (const auto &part : {integerAnswers(), floatAnswers(), indexingAnswers(),
                             reductionAnswers(), contractionAnswers(), otherAnswers()})
      cases.insert(cases.end(), part.begin(), part.end());
    for (const char *file : {"elementwise", "complex_numbers", "special", "shapes", "structured",
                             "numeric", "types"}) {
      std::vector<KnownAnswer> part =
          readAnswers(std::string(SHARDWISE_ANSWERS_DIR "/") + file + ".txt");
      cases.insert(cases.end(), part.begin(), part.end());
    }
    return cases;
  }();
  return all;
}

std::vector<KnownAnswer> readAnswers(const std::string &path) {
  std::vector<KnownAnswer> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    auto rest = [&](const char *keyword) -> std::optional<std::string> {
      std::string prefix = std::string(keyword) + " ";
      if (line.compare(0, prefix.size(), prefix) != 0)
        return std::nullopt;
      return line.substr(prefix.size());
    };
    if (line.empty() || line[0] == '#')
      continue;
    if (auto name = rest("case"))
      cases.push_back({*name, {}, {}, {}});
    else if (auto tolerance = rest("tolerance"))
      cases.back().tolerance = std::stod(*tolerance);
    else if (auto constant = rest("const"))
      cases.back().constants.push_back(*constant);
    else if (auto value = rest("expect"))
      cases.back().expected.push_back(*value);
    else if (auto function = rest("function"))
      cases.back().functions += *function + "\n";
    else
      cases.back().body += line + "\n";
  }
  // A file that is gone must not pass for one without cases.
  if (cases.empty())
    cases.push_back(
        {"noCasesIn_" + path.substr(path.rfind('/') + 1, path.rfind('.') - path.rfind('/') - 1),
         {},
         "missing",
         {}});
  return cases;
}

std::string moduleText(const KnownAnswer &answer) {
  std::string body;
  for (size_t i = 0; i < answer.constants.size(); ++i)
    body += "  %k" + std::to_string(i) + " = stablehlo.constant " + answer.constants[i] + "\n";
  for (char character : answer.body)
    body += character == '$' ? "%k" : std::string(1, character);
  std::string types;
  std::string values;
  for (size_t i = 0; i < answer.expected.size(); ++i) {
    const std::string &value = answer.expected[i];
    types += (i ? ", " : "") + value.substr(value.rfind(" : ") + 3);
    values += (i ? ", %r" : "%r") + std::to_string(i);
  }
  return "func.func @main() -> (" + types + ") {\n" + body + "\n  return " + values + " : " +
         types + "\n}\n" + answer.functions;
}

} // namespace shardwise::reference
