// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Movement, contraction, reduction, indexing and sort, both paths compared on random inputs.

#include "shardwise/execute/tests/PathTesting.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

TEST(OpPathsTest, slicesPadsTransposesAndUpdates) {
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

TEST(OpPathsTest, dotsOfEveryFormAndType) {
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
      {"0x2x3x", "0x2x4x", "2x3x4x", "batching_dims = [1] x [1], contracting_dims = [0] x [0]"},
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

/// A transpose that swaps the sides of a product is no copy, one that does more or less is.
TEST(OpPathsTest, transposesOfProducts) {
  struct Case {
    std::string lhs, rhs, product, dims, permutation, result, thunks;
  };
  const std::vector<Case> cases = {
      {"8x5x", "8x7x", "5x7x", "contracting_dims = [0] x [0]", "1, 0", "7x5x",
       "gemm 1 x 7x5x8 f32\n"},
      {"3x8x5x", "3x5x7x", "3x8x7x", "batching_dims = [0] x [0], contracting_dims = [2] x [1]",
       "0, 2, 1", "3x7x8x", "gemm 3 x 7x8x5 f32\n"},
      {"4x6x2x8x", "9x8x", "4x6x2x9x", "contracting_dims = [3] x [1]", "3, 0, 1, 2", "9x4x6x2x",
       "gemm 1 x 9x48x8 f32\n"},
      {"6x", "5x4x", "6x5x4x", "contracting_dims = [] x []", "1, 2, 0", "5x4x6x",
       "gemm 1 x 20x6x1 f32\n"},
      {"4x6x8x", "9x8x", "4x6x9x", "contracting_dims = [2] x [1]", "1, 0, 2", "6x4x9x",
       "gemm 1 x 24x9x8 f32\ncopy\n"},
      {"3x8x5x", "3x5x7x", "3x8x7x", "batching_dims = [0] x [0], contracting_dims = [2] x [1]",
       "1, 2, 0", "8x7x3x", "gemm 3 x 8x7x5 f32\ncopy\n"},
  };
  unsigned seed = 640;
  for (const Case &c : cases) {
    std::string product = "%0 = stablehlo.dot_general %x, %y, " + c.dims + " : (tensor<" + c.lhs +
                          "f32>, tensor<" + c.rhs + "f32>) -> tensor<" + c.product + "f32>\n";
    std::string transpose = "%1 = stablehlo.transpose %0, dims = [" + c.permutation +
                            "] : (tensor<" + c.product + "f32>) -> tensor<" + c.result + "f32>\n";
    std::string arguments = "%x: tensor<" + c.lhs + "f32>, %y: tensor<" + c.rhs + "f32>";
    std::string result = "tensor<" + c.result + "f32>";
    std::string text = function(arguments, result, product + transpose + "return %1 : " + result);
    reference::TestPrograms programs;
    auto module = programs.parse(text);
    ASSERT_TRUE(module) << programs.diagnostics();
    auto program = compile(*module);
    ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
    EXPECT_EQ(program->describe(), c.thunks) << text;
    comparePaths(text, seed++, 8);
    // The product is needed as it is, too.
    std::string both = "tensor<" + c.product + "f32>";
    comparePaths(function(arguments, "(" + both + ", " + result + ")",
                          product + transpose + "return %0, %1 : " + both + ", " + result),
                 seed++, 8);
  }
  // In a loop and in a function that is expanded twice.
  comparePaths("func.func private @gradient(%x: tensor<8x5xf32>, %g: tensor<8x5xf32>) -> "
               "tensor<5x5xf32> {\n"
               "%0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : "
               "(tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<5x5xf32>\n"
               "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>\n"
               "return %1 : tensor<5x5xf32>\n}\n" +
                   function("%x: tensor<8x5xf32>, %g: tensor<8x5xf32>", "tensor<5x5xf32>", R"(
    %0 = func.call @gradient(%x, %g) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<5x5xf32>
    %1 = func.call @gradient(%g, %g) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<5x5xf32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %half = stablehlo.constant dense<0.03> : tensor<5x5xf32>
    %r:2 = stablehlo.while(%i = %zero, %v = %0) : tensor<i32>, tensor<5x5xf32>
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        %w = stablehlo.dot_general %v, %1, contracting_dims = [1] x [0] : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
        %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>
        %s = stablehlo.multiply %t, %half : tensor<5x5xf32>
        stablehlo.return %next, %s : tensor<i32>, tensor<5x5xf32>
      }
    return %r#1 : tensor<5x5xf32>)"),
               seed, 1000);
}

TEST(OpPathsTest, convolutionsOfEveryLayout) {
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
      {"2x0x4x", "3x1x8x", "2x4x8x", "[b, 0, f]x[0, i, o]->[b, 0, f]", "pad = [[3, 3]]", 4, 1},
      {"2x5x0x", "3x0x4x", "2x3x4x", "[b, 0, f]x[0, i, o]->[b, 0, f]", ""},
      // Gradients by the kernel: the features of the input are the batch here, and lie side by
      // side.
      {"3x6x7x4x", "3x6x7x5x", "3x3x4x5x", "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
       "pad = [[1, 1], [1, 1]]"},
      {"3x8x7x4x", "3x4x7x5x", "4x5x3x3x", "[f, 0, 1, b]x[i, 0, 1, o]->[b, f, 0, 1]",
       "pad = [[-1, 2], [1, 1]], lhs_dilate = [1, 2], rhs_dilate = [2, 2], reverse = [true, "
       "false]"},
      {"6x5x4x", "3x5x6x", "3x4x6x", "[f, 0, b]x[i, 0, o]->[0, b, f]", "pad = [[1, 1]]", 2, 1},
      {"3x5x4x", "3x5x6x", "3x2x6x", "[f, 0, b]x[i, 0, o]->[0, b, f]", "pad = [[1, 1]]", 1, 2},
      // So many terms that there are two pieces of them.
      {"8x8x8x64x", "8x8x8x3x", "3x3x64x3x", "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
       "pad = [[1, 1], [1, 1]]"},
      // Images of planes: results as they lie, of lines that are strided, dilated, reversed or cut.
      {"2x3x8x9x", "5x3x3x3x", "2x5x8x9x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "pad = [[1, 1], [1, 1]]"},
      {"2x3x8x9x", "3x5x3x2x", "2x5x4x3x", "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
       "stride = [2, 3], pad = [[1, 1], [2, 0]], rhs_dilate = [1, 2], reverse = [false, true]"},
      {"2x3x5x4x", "5x3x3x3x", "2x5x10x8x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]"},
      {"2x3x5x7x", "5x3x3x3x", "2x5x3x6x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "stride = [2, 3], pad = [[1, 0], [-1, 2]], lhs_dilate = [2, 3], rhs_dilate = [2, 2]"},
      {"2x6x5x4x", "9x2x2x2x", "2x9x4x3x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "", 3, 1},
      {"2x4x7x", "6x4x3x", "2x6x7x", "[b, f, 0]x[o, i, 0]->[b, f, 0]", "pad = [[3, -1]]"},
      {"1x8x64x64x", "3x8x3x3x", "1x3x64x64x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "pad = [[1, 1], [1, 1]]"},
      {"2x3x5x4x", "5x3x3x3x", "2x5x5x4x", "[b, f, 1, 0]x[o, i, 1, 0]->[b, f, 1, 0]",
       "pad = [[1, 1], [1, 1]]"},
      // Their gradients by the kernel: lines of taps.
      {"3x4x6x7x", "3x5x6x7x", "5x4x3x3x", "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
       "pad = [[1, 1], [1, 1]]"},
      {"3x4x8x8x", "3x5x4x4x", "5x4x3x3x", "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
       "pad = [[1, 0], [1, 0]], rhs_dilate = [2, 2], reverse = [true, true]"},
      {"3x4x8x8x", "3x6x8x8x", "6x2x3x3x", "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
       "pad = [[1, 1], [1, 1]]", 1, 2},
      {"2x3x4x1x", "5x3x3x3x", "2x5x2x0x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", ""},
      {"1x8x64x64x", "3x8x3x3x", "3x1x64x64x", "[b, f, 0, 1]x[o, i, 0, 1]->[f, b, 0, 1]",
       "pad = [[1, 1], [1, 1]]"},
      // Gradients of strides: inputs with holes.
      {"2x5x4x3x", "3x3x3x5x", "2x10x8x5x", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
       "pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]"},
      {"2x3x5x4x", "5x3x1x1x", "2x5x9x7x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "lhs_dilate = [2, 2]"},
      {"2x4x5x4x", "6x2x3x2x", "2x6x12x9x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "pad = [[1, 0], [0, 0]], lhs_dilate = [3, 3]", 2, 1},
      {"2x3x5x4x", "5x3x3x3x", "5x2x10x7x", "[b, f, 0, 1]x[o, i, 0, 1]->[f, b, 0, 1]",
       "pad = [[1, 2], [1, 1]], lhs_dilate = [2, 2]"},
      {"2x7x3x", "4x3x5x", "2x16x5x", "[b, 0, f]x[0, i, o]->[b, 0, f]",
       "pad = [[-2, 5]], lhs_dilate = [3], rhs_dilate = [2]"},
      // Parts with one result along a dimension, which is not the first.
      {"1x1x1x", "2x1x1x", "2x1x2x", "[b, f, 0]x[o, 0, i]->[0, b, f]",
       "pad = [[0, 1]], lhs_dilate = [2], rhs_dilate = [2]"},
      {"1x1x1x6x", "3x2x3x3x", "3x1x1x3x", "[b, 0, 1, f]x[o, i, 0, 1]->[0, 1, b, f]",
       "pad = [[2, 2], [1, 1]], lhs_dilate = [2, 1]", 3, 1},
      {"2x1x3x", "2x3x5x", "2x2x5x", "[b, 0, f]x[0, i, o]->[b, 0, f]",
       "pad = [[1, 1]], lhs_dilate = [40]"},
      {"2x3x0x4x", "5x3x3x0x", "2x5x4x5x", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "pad = [[3, 3], [0, 0]]"},
  };
  unsigned seed = 800;
  for (const ConvolutionCase &c : cases)
    for (const std::string type : {"f32", "f64", "bf16", "i32", "complex<f64>"}) {
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

TEST(OpPathsTest, reductionsOfEveryDimensionAndType) {
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

TEST(OpPathsTest, reductionByRegionWithCapturedValue) {
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

TEST(OpPathsTest, bf16InputsReducedInF32) {
  comparePaths(function("%x: tensor<40x1500xbf16>, %i: tensor<f32>", "tensor<40xf32>", R"(
    %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<40x1500xbf16>, tensor<f32>) -> tensor<40xf32>
    return %0 : tensor<40xf32>)"),
               1210, 1500);
}

TEST(OpPathsTest, poolingAndItsGradient) {
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

/// Windows of a row side by side, apart and over each other; some of nothing but padding; regions
/// that are one op and such that are not.
TEST(OpPathsTest, selectionsOfEveryRow) {
  struct Case {
    std::string shape, source, size, strides, padding;
  };
  const std::vector<Case> cases = {
      {"2x6x6x3x", "2x3x3x3x", "1, 2, 2, 1", "1, 2, 2, 1", ""},
      {"2x3x6x6x", "2x3x3x3x", "1, 1, 2, 2", "1, 1, 2, 2", ""},
      {"2x3x7x7x", "2x3x4x4x", "1, 1, 3, 3", "1, 1, 2, 2", "[[0, 0], [0, 0], [1, 1], [1, 1]]"},
      {"5x9x", "5x11x", "1, 3", "1, 1", "[[0, 0], [2, 2]]"},
      {"5x4x", "5x5x", "1, 2", "1, 2", "[[0, 0], [2, 4]]"},
      {"9x", "3x", "3", "3", ""},
      {"4x1x", "2x1x", "2, 1", "2, 1", ""},
      {"2x5x7x300x", "2x4x5x300x", "1, 3, 3, 1", "1, 2, 1, 1", "[[0, 0], [2, 2], [0, 0], [0, 0]]"},
      {"5x3x2x", "3x3x2x", "3, 1, 1", "1, 1, 1", ""},
  };
  unsigned seed = 1340;
  for (const Case &c : cases)
    for (const std::string type : {"f32", "f64", "bf16", "i16"})
      for (const bool isSingleOp : {true, false}) {
        std::string t = "tensor<" + type + ">";
        std::string x = "tensor<" + c.shape + type + ">";
        std::string d = "tensor<" + c.source + type + ">";
        std::string padding =
            c.padding.empty()
                ? ""
                : "padding = dense<" + c.padding + "> : tensor<" +
                      std::to_string(std::count(c.size.begin(), c.size.end(), ',') + 1) +
                      "x2xi64>, ";
        std::string kind = type == "i16" ? "SIGNED" : "FLOAT";
        std::string negate = isSingleOp ? "" : "%n = stablehlo.negate %a : " + t + "\n";
        std::string select = isSingleOp ? "compare GE, %a, %b, " : "compare GE, %n, %b, ";
        comparePaths(function("%x: " + x + ", %d: " + d + ", %i: " + t, x,
                              R"(%0 = "stablehlo.select_and_scatter"(%x, %d, %i) <{)" + padding +
                                  "window_dimensions = array<i64: " + c.size +
                                  ">, window_strides = array<i64: " + c.strides + R"(>}> ({
    ^bb0(%a: )" + t + ", %b: " + t +
                                  "):\n" + negate + "%m = stablehlo." + select + kind + " : (" + t +
                                  ", " + t +
                                  R"() -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    }, {
    ^bb0(%a: )" + t + ", %b: " + t +
                                  "):\n%m = stablehlo.add %a, %b : " + t +
                                  "\nstablehlo.return %m : " + t + "\n}) : (" + x + ", " + d +
                                  ", " + t + ") -> " + x + "\nreturn %0 : " + x),
                     seed++, 100);
      }
}

/// Padding has the init value, so that one which is no identity counts once per padded place.
TEST(OpPathsTest, windowsWithAnInitThatIsNoIdentity) {
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

TEST(OpPathsTest, gathersAndScattersOverTheEdges) {
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

TEST(OpPathsTest, scattersFarOutside) {
  // The smallest and largest number, and the nearest starts that leave a window of 2 rows outside.
  comparePaths(function("%t: tensor<5x3xi32>, %u: tensor<6x2x3xi32>", "tensor<5x3xi32>", R"(
    %i = stablehlo.constant dense<[[-9223372036854775808], [-2], [5], [9223372036854775807], [-5], [1]]> : tensor<6x1xi64>
    %1 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<5x3xi32>, tensor<6x1xi64>, tensor<6x2x3xi32>) -> tensor<5x3xi32>
    return %1 : tensor<5x3xi32>)"),
               1420);
}

TEST(OpPathsTest, stableSortsByAnyComparator) {
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

} // namespace
} // namespace shardwise::execute
