// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements: a dimension along which they move is whole, also where its size stays.

#include "shardwise/rules/tests/SheetCases.h"

namespace shardwise::rules {

static const SheetCase kMovement[] = {
    {"broadcastToNewDimension", "%a: tensor<4xf32>",
     "stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>",
     "([i])->([i, j]) {i=4, j=8}\ni: local, j: local\nlinear in 0"},
    {"broadcastOfSizeOne", "%a: tensor<4x1xf32>",
     "stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>",
     "([i, j])->([i, k]) {i=4, j=1, k=8}\ni: local, j: local, k: local\nlinear in 0"},
    {"transposeIsLinear", "%a: tensor<8x4xf32>",
     "stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>",
     "([j, i])->([i, j]) {i=4, j=8}\ni: local, j: local\nlinear in 0"},
    {"transposeOfBooleansIsNot", "%a: tensor<8x4xi1>",
     "stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xi1>) -> tensor<4x8xi1>",
     "([j, i])->([i, j]) {i=4, j=8}\ni: local, j: local"},
    {"reversedDimension", "%a: tensor<4x8xf32>",
     "stablehlo.reverse %a, dims = [1] : tensor<4x8xf32>",
     "([i, j])->([i, j]) {i=4, j=8} permutation={j}\ni: local, j: window\nj reads dimension 1 of "
     "operand 0: stride -1, low -7, span 1\nlinear in 0"},
    {"slicedDimension", "%a: tensor<4x8xf32>",
     "stablehlo.slice %a [0:4, 2:6] : (tensor<4x8xf32>) -> tensor<4x4xf32>",
     "([i, j])->([i, j]) {i=4, j=8} permutation={j}\ni: local, j: window\nj reads dimension 1 of "
     "operand 0: stride 1, low -2, span 1\nlinear in 0"},
    {"paddedDimension", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     "stablehlo.pad %a, %z, low = [0, 1], high = [0, 1], interior = [0, 0]"
     " : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x10xf32>",
     "([i, j], [])->([i, j]) {i=4, j=8} permutation={j}\ni: local, j: window\nj reads dimension 1 "
     "of operand 0: stride 1, low 1, span 1\nlinear in 0, 1"},
    {"shiftByPaddingKeepsTheSize", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     "stablehlo.pad %a, %z, low = [0, 1], high = [0, -1], interior = [0, 0]"
     " : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>",
     "([i, j], [])->([i, j]) {i=4, j=8}\ni: local, j: window\nj reads dimension 1 of operand 0: "
     "stride 1, low 1, span 1\nlinear in 0, 1"},
    {"interiorPaddingCutOff", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     "stablehlo.pad %a, %z, low = [0, 0], high = [0, -7], interior = [0, 1]"
     " : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>",
     "([i, j], [])->([i, j]) {i=4, j=8}\ni: local, j: window\nj reads dimension 1 of operand 0: "
     "stride 1, low 0, span 1, dilation 2, may drift\nlinear in 0, 1"},
    {"concatenatedDimension", "%a: tensor<4x8xf32>",
     "stablehlo.concatenate %a, %a, dim = 1"
     " : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>",
     "([i, j], [i, j])->([i, j]) {i=4, j=16} need_replication={j}\ni: local, j: window\nj reads "
     "dimension 1 of operand 0: stride 1, low 0, span 1\nj reads dimension 1 of operand 1: stride "
     "1, low 8, span 1\nlinear in 0, 1"},
    {"zerosThatArePaddedAddNothing", "%a: tensor<4x8xf32>",
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "stablehlo.pad %a, %z, low = [0, 1], high = [0, 1], interior = [0, 0]"
     " : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x10xf32>",
     "([i, j], [])->([i, j]) {i=4, j=8} permutation={j}\ni: local, j: window\nj reads dimension 1 "
     "of operand 0: stride 1, low 1, span 1\nlinear in 0"},
    {"concatenatedBooleansAreNotLinear", "%a: tensor<4xi1>",
     "stablehlo.concatenate %a, %a, dim = 0 : (tensor<4xi1>, tensor<4xi1>) -> tensor<8xi1>",
     "([i], [i])->([i]) {i=8} need_replication={i}\ni: window\ni reads dimension 0 of operand 0: "
     "stride 1, low 0, span 1\ni reads dimension 0 of operand 1: stride 1, low 4, span 1"},
    {"concatenatedSlices", "%a: tensor<4x8xf32>",
     "%l = stablehlo.slice %a [0:4, 0:2] : (tensor<4x8xf32>) -> tensor<4x2xf32>\n"
     "%r = stablehlo.slice %a [0:4, 2:8] : (tensor<4x8xf32>) -> tensor<4x6xf32>\n"
     "stablehlo.concatenate %r, %l, dim = 1"
     " : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>",
     "([i, j], [i, j])->([i, j]) {i=4, j=8} permutation={j}\ni: local, j: window\nj reads "
     "dimension 1 of operand 0: stride 1, low 0, span 1\nj reads dimension 1 of operand 1: stride "
     "1, low 6, span 1\nlinear in 0, 1"},
    {"dynamicSlice", "%a: tensor<4x8xf32>, %s: tensor<i32>",
     "stablehlo.dynamic_slice %a, %s, %s, sizes = [4, 2]"
     " : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>",
     "([i, j], [], [])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}\n"
     "i: local, j: read(sum)\nlinear in 0"},
    {"dynamicSliceOfBooleans", "%a: tensor<4x8xi1>, %s: tensor<i32>",
     "stablehlo.dynamic_slice %a, %s, %s, sizes = [4, 2]"
     " : (tensor<4x8xi1>, tensor<i32>, tensor<i32>) -> tensor<4x2xi1>",
     "([i, j], [], [])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}\n"
     "i: local, j: read(max)"},
    {"dynamicSliceOfPowers", "%a: tensor<4x8xf8E8M0FNU>, %s: tensor<i32>",
     "stablehlo.dynamic_slice %a, %s, %s, sizes = [4, 2]"
     " : (tensor<4x8xf8E8M0FNU>, tensor<i32>, tensor<i32>) -> tensor<4x2xf8E8M0FNU>",
     "([i, j], [], [])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}\n"
     "i: local, j: whole\nlinear in 0"},
    {"dynamicUpdateSlice", "%a: tensor<4x8xf32>, %u: tensor<4x2xf32>, %s: tensor<i32>",
     "stablehlo.dynamic_update_slice %a, %u, %s, %s"
     " : (tensor<4x8xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>",
     "([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=2} need_replication={k}\n"
     "i: local, j: written, k: whole\nlinear in 0, 1"},
    {"dynamicUpdateSliceAtConstants", "%a: tensor<4x8xf32>, %u: tensor<4x2xf32>",
     "%s = stablehlo.constant dense<0> : tensor<i32>\n"
     "stablehlo.dynamic_update_slice %a, %u, %s, %s"
     " : (tensor<4x8xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>",
     "([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=2}\ni: local, j: written, k: whole\nlinear "
     "in 0, 1"},
    {"reshapeSplits", "%a: tensor<32xf32>",
     "stablehlo.reshape %a : (tensor<32xf32>) -> tensor<4x8xf32>",
     "([ij])->([i, j]) {i=4, j=8}\ni: local, j: local\nlinear in 0"},
    {"reshapeWithoutCommonBlocks", "%a: tensor<4x6xi1>",
     "stablehlo.reshape %a : (tensor<4x6xi1>) -> tensor<6x4xi1>",
     "([ij, ln])->([ik, mn]) {i=2, j=2, k=3, l=3, m=2, n=2}\n"
     "i: local, j: whole, k: whole, l: whole, m: whole, n: local"},
    {"reshapeOfNothing", "%a: tensor<0x4xf32>",
     "stablehlo.reshape %a : (tensor<0x4xf32>) -> tensor<0xf32>", "no rule"},
    {"bitcastToParts", "%a: tensor<8xf32>",
     "stablehlo.bitcast_convert %a : (tensor<8xf32>) -> tensor<8x4xi8>",
     "([i])->([i, j]) {i=8, j=4} need_replication={j}\ni: local, j: whole"},
    {"bitcastFromParts", "%a: tensor<8x4xi8>",
     "stablehlo.bitcast_convert %a : (tensor<8x4xi8>) -> tensor<8xf32>",
     "([i, j])->([i]) {i=8, j=4} need_replication={j}\ni: local, j: whole"},
    {"constantsAreMadeInAnySharding", "", "stablehlo.constant dense<0.0> : tensor<8xf32>",
     "no rule"},
};

std::span<const SheetCase> movementCases() {
  return kMovement;
}

} // namespace shardwise::rules
