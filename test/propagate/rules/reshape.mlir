// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules 2>/dev/null | FileCheck %s
// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules=conservative-propagation=true 2>/dev/null | FileCheck %s

// The factors are the greatest common blocks of both shapes, also where the sides part and meet again.

// CHECK-LABEL: func.func @reshape_2x3x4_to_24(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([ijk]) {i=2, j=3, k=4}>
func.func @reshape_2x3x4_to_24(%arg0: tensor<2x3x4xf32>) -> tensor<24xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// CHECK-LABEL: func.func @reshape_16x6_to_4x24(
// CHECK: #sdy.op_sharding_rule<([ij, k])->([i, jk]) {i=4, j=4, k=6}>
func.func @reshape_16x6_to_4x24(%arg0: tensor<16x6xf32>) -> tensor<4x24xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x6xf32>) -> tensor<4x24xf32>
  return %0 : tensor<4x24xf32>
}

// CHECK-LABEL: func.func @reshape_128x96_to_128x8x12(
// CHECK: #sdy.op_sharding_rule<([i, jk])->([i, j, k]) {i=128, j=8, k=12}>
func.func @reshape_128x96_to_128x8x12(%arg0: tensor<128x96xf32>) -> tensor<128x8x12xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x96xf32>) -> tensor<128x8x12xf32>
  return %0 : tensor<128x8x12xf32>
}

// CHECK-LABEL: func.func @reshape_32_to_8x1x4(
// CHECK: #sdy.op_sharding_rule<([ik])->([i, j, k]) {i=8, j=1, k=4}>
func.func @reshape_32_to_8x1x4(%arg0: tensor<32xf32>) -> tensor<8x1x4xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<32xf32>) -> tensor<8x1x4xf32>
  return %0 : tensor<8x1x4xf32>
}

// CHECK-LABEL: func.func @reshape_4x6x10_to_8x30(
// CHECK: #sdy.op_sharding_rule<([i, jk, l])->([ij, kl]) {i=4, j=2, k=3, l=10}>
func.func @reshape_4x6x10_to_8x30(%arg0: tensor<4x6x10xf32>) -> tensor<8x30xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<4x6x10xf32>) -> tensor<8x30xf32>
  return %0 : tensor<8x30xf32>
}

// CHECK-LABEL: func.func @reshape_3x2_to_2x3(
// CHECK: #sdy.op_sharding_rule<([i, l])->([j, k]) {i=3, j=2, k=3, l=2}>
func.func @reshape_3x2_to_2x3(%arg0: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshape_12x10_to_8x15(
// CHECK: #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=4, j=3, k=2, l=3, m=2, n=5}>
func.func @reshape_12x10_to_8x15(%arg0: tensor<12x10xf32>) -> tensor<8x15xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<12x10xf32>) -> tensor<8x15xf32>
  return %0 : tensor<8x15xf32>
}

// CHECK-LABEL: func.func @reshape_6x35_to_14x15(
// CHECK: #sdy.op_sharding_rule<([ij, ln])->([ik, mn]) {i=2, j=3, k=7, l=7, m=3, n=5}>
func.func @reshape_6x35_to_14x15(%arg0: tensor<6x35xf32>) -> tensor<14x15xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<6x35xf32>) -> tensor<14x15xf32>
  return %0 : tensor<14x15xf32>
}

// CHECK-LABEL: func.func @reshape_1x1_to_1(
// CHECK: #sdy.op_sharding_rule<([i, j])->([k]) {i=1, j=1, k=1}>
func.func @reshape_1x1_to_1(%arg0: tensor<1x1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: func.func @reshape_scalar_to_1x1(
// CHECK: #sdy.op_sharding_rule<([])->([i, j]) {i=1, j=1}>
func.func @reshape_scalar_to_1x1(%arg0: tensor<f32>) -> tensor<1x1xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @reshape_1_to_scalar(
// CHECK: #sdy.op_sharding_rule<([i])->([]) {i=1}>
func.func @reshape_1_to_scalar(%arg0: tensor<1xf32>) -> tensor<f32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @reshape_scalar_to_scalar(
// CHECK: #sdy.op_sharding_rule<([])->([])>
func.func @reshape_scalar_to_scalar(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @reshape_2x1x3x1_to_1x6x1(
// CHECK: #sdy.op_sharding_rule<([j, k, l, m])->([i, jl, n]) {i=1, j=2, k=1, l=3, m=1, n=1}>
func.func @reshape_2x1x3x1_to_1x6x1(%arg0: tensor<2x1x3x1xf32>) -> tensor<1x6x1xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<2x1x3x1xf32>) -> tensor<1x6x1xf32>
  return %0 : tensor<1x6x1xf32>
}

// CHECK-LABEL: func.func @reshape_30x7_to_14x15(
// CHECK: #sdy.op_sharding_rule<([ij, m])->([ik, l]) {i=2, j=15, k=7, l=15, m=7}>
func.func @reshape_30x7_to_14x15(%arg0: tensor<30x7xf32>) -> tensor<14x15xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<30x7xf32>) -> tensor<14x15xf32>
  return %0 : tensor<14x15xf32>
}

// CHECK-LABEL: func.func @reshape_4x9x25_to_30x30(
// CHECK: #sdy.op_sharding_rule<([ij, lm, op])->([ik, np]) {i=2, j=2, k=15, l=3, m=3, n=6, o=5, p=5}>
func.func @reshape_4x9x25_to_30x30(%arg0: tensor<4x9x25xf32>) -> tensor<30x30xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<4x9x25xf32>) -> tensor<30x30xf32>
  return %0 : tensor<30x30xf32>
}

// CHECK-LABEL: func.func @reshape_8x8x8_to_16x32(
// CHECK: #sdy.op_sharding_rule<([i, jk, l])->([ij, kl]) {i=8, j=2, k=4, l=8}>
func.func @reshape_8x8x8_to_16x32(%arg0: tensor<8x8x8xf32>) -> tensor<16x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x8x8xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// CHECK-LABEL: func.func @reshape_6x4x10_to_4x60(
// CHECK: #sdy.op_sharding_rule<([ij, m, np])->([ik, lop]) {i=2, j=3, k=2, l=15, m=4, n=5, o=2, p=2}>
func.func @reshape_6x4x10_to_4x60(%arg0: tensor<6x4x10xf32>) -> tensor<4x60xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<6x4x10xf32>) -> tensor<4x60xf32>
  return %0 : tensor<4x60xf32>
}

// CHECK-LABEL: func.func @reshape_2x2x2x2_to_4x4(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([ij, kl]) {i=2, j=2, k=2, l=2}>
func.func @reshape_2x2x2x2_to_4x4(%arg0: tensor<2x2x2x2xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<2x2x2x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @reshape_1x5_to_5x1(
// CHECK: #sdy.op_sharding_rule<([i, j])->([j, k]) {i=1, j=5, k=1}>
func.func @reshape_1x5_to_5x1(%arg0: tensor<1x5xf32>) -> tensor<5x1xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x5xf32>) -> tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}

// CHECK-LABEL: func.func @reshape_10_to_1x2x1x5(
// CHECK: #sdy.op_sharding_rule<([jl])->([i, j, k, l]) {i=1, j=2, k=1, l=5}>
func.func @reshape_10_to_1x2x1x5(%arg0: tensor<10xf32>) -> tensor<1x2x1x5xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<10xf32>) -> tensor<1x2x1x5xf32>
  return %0 : tensor<1x2x1x5xf32>
}

// CHECK-LABEL: func.func @reshape_12x1x1x7_to_4x21(
// CHECK: #sdy.op_sharding_rule<([ij, k, l, m])->([i, jm]) {i=4, j=3, k=1, l=1, m=7}>
func.func @reshape_12x1x1x7_to_4x21(%arg0: tensor<12x1x1x7xf32>) -> tensor<4x21xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<12x1x1x7xf32>) -> tensor<4x21xf32>
  return %0 : tensor<4x21xf32>
}

// CHECK-LABEL: func.func @reshape_21x4_to_6x14(
// CHECK: #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=3, j=7, k=2, l=7, m=2, n=2}>
func.func @reshape_21x4_to_6x14(%arg0: tensor<21x4xf32>) -> tensor<6x14xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<21x4xf32>) -> tensor<6x14xf32>
  return %0 : tensor<6x14xf32>
}

// CHECK-LABEL: func.func @reshape_49x10_to_14x35(
// CHECK: #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=7, j=7, k=2, l=7, m=2, n=5}>
func.func @reshape_49x10_to_14x35(%arg0: tensor<49x10xf32>) -> tensor<14x35xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<49x10xf32>) -> tensor<14x35xf32>
  return %0 : tensor<14x35xf32>
}

// CHECK-LABEL: func.func @reshape_6x6x6_to_4x54(
// CHECK: #sdy.op_sharding_rule<([ij, m, n])->([ik, ln]) {i=2, j=3, k=2, l=9, m=6, n=6}>
func.func @reshape_6x6x6_to_4x54(%arg0: tensor<6x6x6xf32>) -> tensor<4x54xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<6x6x6xf32>) -> tensor<4x54xf32>
  return %0 : tensor<4x54xf32>
}

// CHECK-LABEL: func.func @reshape_12x18_to_8x27(
// CHECK: #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=4, j=3, k=2, l=3, m=2, n=9}>
func.func @reshape_12x18_to_8x27(%arg0: tensor<12x18xf32>) -> tensor<8x27xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<12x18xf32>) -> tensor<8x27xf32>
  return %0 : tensor<8x27xf32>
}
