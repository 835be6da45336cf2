// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise ops; dots and convolutions.

#include "shardwise/rules/tests/SheetCases.h"

namespace shardwise::rules {

static const SheetCase kElementwise[] = {
    {"additionIsLinearInBoth", "%a: tensor<8x4xf32>", "stablehlo.add %a, %a : tensor<8x4xf32>",
     "([i, j], [i, j])->([i, j]) {i=8, j=4}\ni: local, j: local\nlinear in 0, 1"},
    {"subtractionIsLinearInBoth", "%a: tensor<8xi32>", "stablehlo.subtract %a, %a : tensor<8xi32>",
     "([i], [i])->([i]) {i=8}\ni: local\nlinear in 0, 1"},
    {"booleanAdditionIsNot", "%a: tensor<8xi1>", "stablehlo.add %a, %a : tensor<8xi1>",
     "([i], [i])->([i]) {i=8}\ni: local"},
    {"negationIsLinear", "%a: tensor<8xf32>", "stablehlo.negate %a : tensor<8xf32>",
     "([i])->([i]) {i=8}\ni: local\nlinear in 0"},
    {"productIsLinearInEither", "%a: tensor<8xf32>", "stablehlo.multiply %a, %a : tensor<8xf32>",
     "([i], [i])->([i]) {i=8}\ni: local\nlinear in 0 or 1"},
    {"productOfBooleansIsNot", "%a: tensor<8xi1>", "stablehlo.multiply %a, %a : tensor<8xi1>",
     "([i], [i])->([i]) {i=8}\ni: local"},
    {"quotientIsLinearInItsDividend", "%a: tensor<8xf32>",
     "stablehlo.divide %a, %a : tensor<8xf32>", "([i], [i])->([i]) {i=8}\ni: local\nlinear in 0"},
    {"quotientOfIntegersIsNot", "%a: tensor<8xi32>", "stablehlo.divide %a, %a : tensor<8xi32>",
     "([i], [i])->([i]) {i=8}\ni: local"},
    {"conversionToIntegersIsNot", "%a: tensor<8xf32>",
     "stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi32>", "([i])->([i]) {i=8}\ni: local"},
    {"conversionToFloatsIsNot", "%a: tensor<8xi32>",
     "stablehlo.convert %a : (tensor<8xi32>) -> tensor<8xf32>", "([i])->([i]) {i=8}\ni: local"},
    {"wideningOfFloatsIsLinear", "%a: tensor<8xbf16>",
     "stablehlo.convert %a : (tensor<8xbf16>) -> tensor<8xf32>",
     "([i])->([i]) {i=8}\ni: local\nlinear in 0"},
    {"narrowingOfFloatsIsNot", "%a: tensor<8xf32>",
     "stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xbf16>", "([i])->([i]) {i=8}\ni: local"},
    {"otherFloatsOfEqualWidthAreNot", "%a: tensor<8xf16>",
     "stablehlo.convert %a : (tensor<8xf16>) -> tensor<8xbf16>", "([i])->([i]) {i=8}\ni: local"},
    {"narrowingOfIntegersIsLinear", "%a: tensor<8xi32>",
     "stablehlo.convert %a : (tensor<8xi32>) -> tensor<8xi8>",
     "([i])->([i]) {i=8}\ni: local\nlinear in 0"},
    {"wideningOfIntegersIsNot", "%a: tensor<8xi8>",
     "stablehlo.convert %a : (tensor<8xi8>) -> tensor<8xi32>", "([i])->([i]) {i=8}\ni: local"},
    {"scalarsHaveNoFactors", "%a: tensor<f32>", "stablehlo.exponential %a : tensor<f32>",
     "([])->([])"},
    {"selectByScalar", "%p: tensor<i1>, %a: tensor<8xf32>",
     "stablehlo.select %p, %a, %a : tensor<i1>, tensor<8xf32>",
     "([], [i], [i])->([i]) {i=8}\ni: local\nlinear in 1, 2"},
    {"clampByScalars", "%s: tensor<f32>, %a: tensor<8xf32>",
     "stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>",
     "([], [i], [])->([i]) {i=8}\ni: local"},
    {"functionsOfChlo", "%a: tensor<8xf32>", "chlo.erf %a : tensor<8xf32> -> tensor<8xf32>",
     "([i])->([i]) {i=8}\ni: local"},
    {"shardingConstraint", "%a: tensor<8xf32>",
     "sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8xf32>", "([i])->([i]) {i=8}\ni: local"},
    {"scalesOfQuantizedTypesAreNotCut", "%a: tensor<8xf32>",
     "\"stablehlo.uniform_quantize\"(%a) : (tensor<8xf32>) -> tensor<8xi8>", "unknown"},
};

static const SheetCase kContraction[] = {
    {"contractedDimension", "%a: tensor<4x8xf32>, %b: tensor<8x6xf32>",
     "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]"
     " : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>",
     "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}\n"
     "i: local, j: local, k: partial(sum)\nlinear in 0 or 1"},
    {"batchAndTwoContracted", "%a: tensor<2x4x8x3xf32>, %b: tensor<2x8x3x6xf32>",
     "stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2]"
     " : (tensor<2x4x8x3xf32>, tensor<2x8x3x6xf32>) -> tensor<2x4x6xf32>",
     "([i, j, l, m], [i, l, m, k])->([i, j, k]) {i=2, j=4, k=6, l=8, m=3} reduction={l, m}\n"
     "i: local, j: local, k: local, l: partial(sum), m: partial(sum)\nlinear in 0 or 1"},
    {"booleansDoNotAddUp", "%a: tensor<4x8xi1>, %b: tensor<8x6xi1>",
     "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]"
     " : (tensor<4x8xi1>, tensor<8x6xi1>) -> tensor<4x6xi1>",
     "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}\ni: local, j: local, k: whole"},
    {"complexNumbersAddUp", "%a: tensor<8xcomplex<f32>>",
     "stablehlo.dot_general %a, %a, contracting_dims = [0] x [0]"
     " : (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) -> tensor<complex<f32>>",
     "([i], [i])->([]) {i=8} reduction={i}\ni: partial(sum)\nlinear in 0 or 1"},
    {"dotOfVectors", "%a: tensor<8xi32>",
     "stablehlo.dot %a, %a : (tensor<8xi32>, tensor<8xi32>) -> tensor<i32>",
     "([i], [i])->([]) {i=8} reduction={i}\ni: partial(sum)\nlinear in 0 or 1"},
    {"dotOfMatrixAndVector", "%a: tensor<4x8xf32>, %b: tensor<8xf32>",
     "stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>",
     "([i, j], [j])->([i]) {i=4, j=8} reduction={j}\ni: local, j: partial(sum)\nlinear in 0 or 1"},
    {"dotOfBooleans", "%a: tensor<8xi1>",
     "stablehlo.dot %a, %a : (tensor<8xi1>, tensor<8xi1>) -> tensor<i1>",
     "([i], [i])->([]) {i=8} reduction={i}\ni: whole"},
    {"rowsThatMeetTheMatrixOfTheirGroup",
     "%a: tensor<12x8xf32>, %b: tensor<4x8x6xf32>, %s: tensor<4xi32>",
     "\"chlo.ragged_dot\"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
     "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],"
     " lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>"
     " : (tensor<12x8xf32>, tensor<4x8x6xf32>, tensor<4xi32>) -> tensor<12x6xf32>",
     "([i, k], [l, k, j], [m])->([i, j]) {i=12, j=6, k=8, l=4, m=4} reduction={k, l} "
     "need_replication={m}\n"
     "i: local, j: local, k: partial(sum), l: partial(sum), m: whole"},
    {"groupsOfEachBatchStayWhole",
     "%a: tensor<2x12x8xf32>, %b: tensor<4x2x8x6xf32>, %s: tensor<2x4xi8>",
     "\"chlo.ragged_dot\"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
     "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1],"
     " lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2],"
     " lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}>"
     " : (tensor<2x12x8xf32>, tensor<4x2x8x6xf32>, tensor<2x4xi8>) -> tensor<2x12x6xf32>",
     "([i, j, l], [m, i, l, k], [i, n])->([i, j, k]) {i=2, j=12, k=6, l=8, m=4, n=4}"
     " reduction={l, m} need_replication={n}\n"
     "i: local, j: local, k: local, l: partial(sum), m: whole, n: whole"},
    {"productPerGroup", "%a: tensor<12x8xf32>, %b: tensor<12x6xf32>, %s: tensor<4xi32>",
     "\"chlo.ragged_dot\"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
     "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],"
     " lhs_ragged_dimensions = [0]>}>"
     " : (tensor<12x8xf32>, tensor<12x6xf32>, tensor<4xi32>) -> tensor<4x8x6xf32>",
     "([l, j], [l, k], [m])->([i, j, k]) {i=4, j=8, k=6, l=12, m=4} reduction={l} "
     "need_replication={m}\n"
     "i: local, j: local, k: local, l: partial(sum), m: whole"},
    {"spatialDimensionsOfConvolution", "%a: tensor<2x8x8x3xf32>, %k: tensor<3x3x3x16xf32>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],"
     " window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
     " : (tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x6x6x16xf32>",
     "([i, j, k, l], [n, o, l, m])->([i, j, k, m])"
     " {i=2, j=6, k=6, l=3, m=16, n=1, o=1} reduction={l} permutation={j, k}\n"
     "i: local, j: window, k: window, l: partial(sum), m: local, n: local, o: local\n"
     "j reads dimension 1 of operand 0: stride 1, low 0, span 3\n"
     "k reads dimension 2 of operand 0: stride 1, low 0, span 3\nlinear in 0 or 1"},
    {"largeKernelOfConvolution", "%a: tensor<1x8x3xf32>, %k: tensor<8x3x4xf32>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
     " window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
     " : (tensor<1x8x3xf32>, tensor<8x3x4xf32>) -> tensor<1x1x4xf32>",
     "([i, j, k], [j, k, l])->([i, m, l]) {i=1, j=8, k=3, l=4, m=1} reduction={j, k}\n"
     "i: local, j: partial(sum), k: partial(sum), l: local, m: local\nlinear in 0 or 1"},
    {"groupsOfConvolution", "%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x2x8xf32>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],"
     " window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}"
     " : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x6x6x8xf32>",
     "([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln])"
     " {i=2, j=6, k=6, l=2, m=2, n=4, o=1, p=1} reduction={m} permutation={j, k}\n"
     "i: local, j: window, k: window, l: local, m: partial(sum), n: local, o: local, p: local\n"
     "j reads dimension 1 of operand 0: stride 1, low 0, span 3\n"
     "k reads dimension 2 of operand 0: stride 1, low 0, span 3\nlinear in 0 or 1"},
    {"convolutionByTheGradient", "%a: tensor<1x8x3xf32>, %k: tensor<4x3x4xf32>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
     " window = {pad = [[0, 1]], rhs_dilate = [2]}"
     " {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
     " : (tensor<1x8x3xf32>, tensor<4x3x4xf32>) -> tensor<1x3x4xf32>",
     "([i, j, k], [j, k, l])->([i, m, l]) {i=1, j=4, k=3, l=4, m=1} reduction={j, k}\n"
     "i: local, j: partial(sum), k: partial(sum), l: local, m: local\n"
     "j reads dimension 1 of operand 0: stride 2, low 0, span 3\nlinear in 0 or 1"},
    {"transposedConvolution", "%a: tensor<1x8x3xf32>, %k: tensor<3x3x4xf32>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
     " window = {pad = [[2, 1]], lhs_dilate = [2]}"
     " {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
     " : (tensor<1x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x16x4xf32>",
     "([i, j, k], [m, k, l])->([i, j, l]) {i=1, j=8, k=3, l=4, m=1} reduction={k}"
     " permutation={j}\n"
     "i: local, j: window, k: partial(sum), l: local, m: local\n"
     "j reads dimension 1 of operand 0: stride 1, low 2, span 3, dilation 2, may drift\n"
     "linear in 0 or 1"},
    {"transposedConvolutionByTheGradient", "%a: tensor<1x4x3xf32>, %k: tensor<6x3x4xf32>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
     " window = {pad = [[1, 0]], lhs_dilate = [2]}"
     " {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
     " : (tensor<1x4x3xf32>, tensor<6x3x4xf32>) -> tensor<1x3x4xf32>",
     "([i, j, k], [j, k, l])->([i, m, l]) {i=1, j=4, k=3, l=4, m=1} reduction={j, k}\n"
     "i: local, j: partial(sum), k: partial(sum), l: local, m: local\n"
     "j reads dimension 1 of operand 0: stride 1, low 1, span 3, dilation 2, may drift\n"
     "linear in 0 or 1"},
    {"stridedAndTransposedByTheGradient", "%a: tensor<1x4x3xf32>, %k: tensor<5x3x4xf32>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
     " window = {stride = [2], pad = [[1, 0]], lhs_dilate = [2]}"
     " {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
     " : (tensor<1x4x3xf32>, tensor<5x3x4xf32>) -> tensor<1x2x4xf32>",
     "([i, j, k], [j, k, l])->([i, m, l]) {i=1, j=4, k=3, l=4, m=1} reduction={j, k}\n"
     "i: local, j: partial(sum), k: partial(sum), l: local, m: local\n"
     "j reads dimension 1 of operand 0: stride 1, low 1, span 3, dilation 2\n"
     "linear in 0 or 1"},
    {"convolutionOfBooleans", "%a: tensor<1x8x3xi1>, %k: tensor<1x3x4xi1>",
     "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
     " window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
     " : (tensor<1x8x3xi1>, tensor<1x3x4xi1>) -> tensor<1x8x4xi1>",
     "([i, j, k], [m, k, l])->([i, j, l]) {i=1, j=8, k=3, l=4, m=1} reduction={k}"
     " permutation={j}\n"
     "i: local, j: local, k: whole, l: local, m: local"},
};

std::span<const SheetCase> elementwiseCases() {
  return kElementwise;
}
std::span<const SheetCase> contractionCases() {
  return kContraction;
}

} // namespace shardwise::rules
