// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules 2>/dev/null | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules=conservative-propagation=true 2>/dev/null | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// Groups, and spatial dimensions as windows times kernel, the larger first. A conservative rule has no spatial
// factors.

// CHECK-LABEL: func.func @conv_batch_groups(
// DEFAULT: #sdy.op_sharding_rule<([ij, k, l, m], [o, p, m, in])->([j, k, l, in]) {i=4, j=2, k=10, l=10, m=6, n=2, o=1, p=1} reduction={m} permutation={k, l}>
// CONSERVATIVE: #sdy.op_sharding_rule<([ij, m, n, k], [o, p, k, il])->([j, q, r, il]) {i=4, j=2, k=6, l=2, m=1, n=1, o=1, p=1, q=1, r=1} reduction={k}>
func.func @conv_batch_groups(%arg0: tensor<8x12x12x6xf32>, %arg1: tensor<3x3x6x8xf32>) -> tensor<2x10x10x8xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<8x12x12x6xf32>, tensor<3x3x6x8xf32>) -> tensor<2x10x10x8xf32>
  return %0 : tensor<2x10x10x8xf32>
}

// CHECK-LABEL: func.func @conv_feature_groups(
// DEFAULT: #sdy.op_sharding_rule<([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln]) {i=8, j=10, k=10, l=3, m=2, n=3, o=1, p=1} reduction={m} permutation={j, k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, m, n, jk], [o, p, k, jl])->([i, q, r, jl]) {i=8, j=3, k=2, l=3, m=1, n=1, o=1, p=1, q=1, r=1} reduction={k}>
func.func @conv_feature_groups(%arg0: tensor<8x12x12x6xf32>, %arg1: tensor<3x3x2x9xf32>) -> tensor<8x10x10x9xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<8x12x12x6xf32>, tensor<3x3x2x9xf32>) -> tensor<8x10x10x9xf32>
  return %0 : tensor<8x10x10x9xf32>
}

// CHECK-LABEL: func.func @conv_depthwise(
// DEFAULT: #sdy.op_sharding_rule<([i, j, k, l], [n, o, m, l])->([i, j, k, l]) {i=8, j=10, k=10, l=6, m=1, n=1, o=1} reduction={m} permutation={j, k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, l, m, j], [n, o, k, j])->([i, p, q, j]) {i=8, j=6, k=1, l=1, m=1, n=1, o=1, p=1, q=1} reduction={k}>
func.func @conv_depthwise(%arg0: tensor<8x12x12x6xf32>, %arg1: tensor<3x3x1x6xf32>) -> tensor<8x10x10x6xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<8x12x12x6xf32>, tensor<3x3x1x6xf32>) -> tensor<8x10x10x6xf32>
  return %0 : tensor<8x10x10x6xf32>
}

// CHECK-LABEL: func.func @conv_kernel_windows_strides_pad_dil(
// DEFAULT: #sdy.op_sharding_rule<([i, j, k, l], [j, n, l, m])->([i, o, k, m]) {i=8, j=20, k=12, l=6, m=4, n=1, o=1} reduction={j, l} permutation={k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, l, m, j], [n, o, j, k])->([i, p, q, k]) {i=8, j=6, k=4, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
func.func @conv_kernel_windows_strides_pad_dil(%arg0: tensor<8x30x12x6xf32>, %arg1: tensor<20x1x6x4xf32>) -> tensor<8x11x12x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x30x12x6xf32>, tensor<20x1x6x4xf32>) -> tensor<8x11x12x4xf32>
  return %0 : tensor<8x11x12x4xf32>
}

// CHECK-LABEL: func.func @conv_dilated_pad_w_h(
// DEFAULT: #sdy.op_sharding_rule<([i, j, k, l], [n, o, l, m])->([i, j, k, m]) {i=1, j=4, k=5, l=6, m=4, n=1, o=1} reduction={l} permutation={j, k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, l, m, j], [n, o, j, k])->([i, p, q, k]) {i=1, j=6, k=4, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
func.func @conv_dilated_pad_w_h(%arg0: tensor<1x4x7x6xf32>, %arg1: tensor<3x3x6x4xf32>) -> tensor<1x9x5x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [0, 0]], lhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x7x6xf32>, tensor<3x3x6x4xf32>) -> tensor<1x9x5x4xf32>
  return %0 : tensor<1x9x5x4xf32>
}

// CHECK-LABEL: func.func @conv_no_spatial(
// CHECK: #sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=6, k=4} reduction={j}>
func.func @conv_no_spatial(%arg0: tensor<8x6xf32>, %arg1: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @conv_odd_layout(
// DEFAULT: #sdy.op_sharding_rule<([lm, j, i, k], [ln, o, m, p])->([j, ln, k, i]) {i=8, j=10, k=10, l=3, m=2, n=3, o=1, p=1} reduction={m} permutation={j, k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([jk, m, i, n], [jl, o, k, p])->([q, jl, r, i]) {i=8, j=3, k=2, l=3, m=1, n=1, o=1, p=1, q=1, r=1} reduction={k}>
func.func @conv_odd_layout(%arg0: tensor<6x12x8x12xf32>, %arg1: tensor<9x3x2x3xf32>) -> tensor<10x9x10x8xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, b, 1]x[o, 1, i, 0]->[0, f, 1, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<6x12x8x12xf32>, tensor<9x3x2x3xf32>) -> tensor<10x9x10x8xf32>
  return %0 : tensor<10x9x10x8xf32>
}

// CHECK-LABEL: func.func @conv_windows_tie(
// DEFAULT: #sdy.op_sharding_rule<([i, j, k], [m, k, l])->([i, j, l]) {i=8, j=3, k=6, l=4, m=1} reduction={k} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, l, j], [m, j, k])->([i, n, k]) {i=8, j=6, k=4, l=1, m=1, n=1} reduction={j}>
func.func @conv_windows_tie(%arg0: tensor<8x5x6xf32>, %arg1: tensor<3x6x4xf32>) -> tensor<8x3x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x5x6xf32>, tensor<3x6x4xf32>) -> tensor<8x3x4xf32>
  return %0 : tensor<8x3x4xf32>
}

// CHECK-LABEL: func.func @conv_batch_1_batch_group_all(
// DEFAULT: #sdy.op_sharding_rule<([i, k, l], [k, l, i])->([j, m, i]) {i=4, j=1, k=5, l=6, m=1} reduction={k, l}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, l, k], [m, k, i])->([j, n, i]) {i=4, j=1, k=6, l=1, m=1, n=1} reduction={k}>
func.func @conv_batch_1_batch_group_all(%arg0: tensor<4x5x6xf32>, %arg1: tensor<5x6x4xf32>) -> tensor<1x1x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<4x5x6xf32>, tensor<5x6x4xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}
