// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general and convolution, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// dot_general (C2): number of batching dimensions
func.func @f(%l: tensor<2x3xf32>, %r: tensor<2x3xf32>) {
  // expected-error@+1 {{lhs and rhs should have the same number of batching dimensions, got 1 and 0}}
  %0 = stablehlo.dot_general %l, %r, batching_dims = [0] x [], contracting_dims = [] x [] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dot_general (C2): number of contracting dimensions
func.func @f(%l: tensor<2x3xf32>, %r: tensor<2x3xf32>) {
  // expected-error@+1 {{lhs and rhs should have the same number of contracting dimensions, got 1 and 0}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [0] x [] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dot_general (C3): distinct
func.func @f(%l: tensor<2x3xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{has duplicated dimension 0 among the lhs batching and contracting dimensions}}
  %0 = stablehlo.dot_general %l, %r, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dot_general (C3): in range
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x2xf32>) {
  // expected-error@+1 {{rhs dimension value 2 is outside [0, 2)}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [2] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dot_general (C4): batching sizes
func.func @f(%l: tensor<2xf32>, %r: tensor<3xf32>) {
  // expected-error@+1 {{batching dimension sizes must match for lhs/rhs: dimension 0 of lhs is 2, dimension 0 of rhs is 3}}
  %0 = stablehlo.dot_general %l, %r, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// dot_general (C4): contracting sizes
func.func @f(%l: tensor<2x3xf32>, %r: tensor<4x2xf32>) {
  // expected-error@+1 {{contracting dimension sizes must match for lhs/rhs: dimension 1 of lhs is 3, dimension 0 of rhs is 4}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dot_general: result shape
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x4xf32>) {
  // expected-error@+1 {{inferred shape '[2, 4]' is incompatible with return type of operation 'tensor<4x2xf32>'}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

// dot_general (C1): number of precisions
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x4xf32>) {
  // expected-error@+1 {{expects precision config to be empty or have <= 2 elements, got 3}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT, HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// dot_general (C1): precision with an algorithm
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x4xf32>) {
  // expected-error@+1 {{must specify DEFAULT precision config when algorithm is set, got HIGH}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// dot_algorithm (C2): known on some hardware
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x4xf32>) {
  // expected-error@+1 {{dot algorithm not known to be supported on any hardware}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// dot_dimension_numbers: keys
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x4xf32>) {
  // expected-error@+1 {{unknown key 'lhs_dims', expected one of: lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions}}
  %0 = "stablehlo.dot_general"(%l, %r) <{dot_dimension_numbers = #stablehlo.dot<lhs_dims = [1]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// dot_dimension_numbers: no key twice
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x4xf32>) {
  // expected-error@+1 {{duplicated 'lhs_contracting_dimensions' entry}}
  %0 = "stablehlo.dot_general"(%l, %r) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// dot (C1): ranks
func.func @f(%l: tensor<2x3x4xf32>, %r: tensor<4xf32>) {
  // expected-error@+1 {{expects operands of rank 1 or 2, got rank 3}}
  %0 = stablehlo.dot %l, %r : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dot (C2): sizes
func.func @f(%l: tensor<2x3xf32>, %r: tensor<4xf32>) {
  // expected-error@+1 {{contracting dimension sizes must match for lhs/rhs: dimension 1 of lhs is 3, dimension 0 of rhs is 4}}
  %0 = stablehlo.dot %l, %r : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// convolution (C1): element types
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf64>) {
  // expected-error@+1 {{expects lhs and rhs to have compatible element type, got 'f32' and 'f64'}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C8): ranks
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x4x6xf32>) {
  // expected-error@+1 {{expects convolution arguments to have same number of dimensions, got 4 and 3}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C9): spatial dimensions
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects 1 spatial dimensions of input to be rank - 2, got rank 4}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C2): number of strides
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects window attributes to have 2 entries, but got 1}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C10), window (C1): stride
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects window to have positive value for 1-th window_strides, but got 0}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C10), window (C1): dilation
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects window to have positive value for 0-th window dilation, but got 0}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C10), window (C2): padding
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects padding-entries to have same dimension-size as size of window dimensions (2), but got: 1}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C2): reversal
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects window_reversal to have 2 entries, but got 1}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C3): feature groups are positive
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects feature_group_count to be a positive number, got 0}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C3): batch groups are positive
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects batch_group_count to be a positive number, got 0}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C3): one kind of groups
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects batch_group_count and feature_group_count not to be both greater than 1, got 2 and 2}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C4): batch
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects input batch dimension (2) to be divisible by batch_group_count, got batch_group_count = 3}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C5): input features
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects input feature dimension (4) to be a multiple of feature_group_count, got feature_group_count = 3}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C6): kernel input features
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expects input feature dimension (4) / feature_group_count = kernel input feature dimension (4), got feature_group_count = 2}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution (C7): kernel output features
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x2x5xf32>) {
  // expected-error@+1 {{expects kernel output feature dimension (5) to be divisible by feature_group_count, got feature_group_count = 2}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x5xf32>) -> tensor<2x6x6x5xf32>
  return
}

// -----

// convolution: result shape
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{inferred shape '[2, 6, 6, 6]' is incompatible with return type of operation 'tensor<2x8x8x6xf32>'}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

// convolution text: letters once
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{duplicate dimension 'b'}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution text: spatial numbers
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{spatial dimensions must be 0..1, once each, got 2}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution text: one number of spatial dimensions
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expected one number of spatial dimensions, got 2, 1 and 2}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// window text: keys
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{unknown key 'strides', expected one of: stride, pad, lhs_dilate, rhs_dilate, reverse}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {strides = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// window text: no key twice
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{duplicated 'pad' entry}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0], [0, 0]], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// window text: pairs
func.func @f(%l: tensor<2x8x8x4xf32>, %r: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{expected a (low, high) pair, got 1 numbers}}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// dot_algorithm (C1): precisions are float types
func.func @f(%l: tensor<2x3xf32>, %r: tensor<3x4xf32>) {
  // expected-error@+1 {{dot algorithm takes float types, got 'i8', 'i8', 'i32'}}
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = i8, rhs_precision_type = i8, accumulation_type = i32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
