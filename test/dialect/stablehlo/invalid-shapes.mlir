// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation and data movement, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// iota (C1): not a scalar
func.func @f() {
  // expected-error@+1 {{does not support scalars.}}
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  return
}

// -----

// iota (C2): the dimension is in range
func.func @f() {
  // expected-error@+1 {{iota dimension cannot go beyond the output rank or be negative: 1 is outside [0, 1)}}
  %0 = stablehlo.iota dim = 1 : tensor<3xi32>
  return
}

// -----

// iota: not on bool
func.func @f() {
  // expected-error@+1 {{result #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or}}
  %0 = stablehlo.iota dim = 0 : tensor<3xi1>
  return
}

// -----

// constant: the type of the value
func.func @f() {
  // expected-error@+2 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<3xi32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

// broadcast_in_dim (C1): one entry per dimension
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{broadcast_dimensions size (0) does not match operand rank (1)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_in_dim (C2): unique
func.func @f(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{broadcast_dimensions has duplicate dimension 1}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_in_dim (C2): in range
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{broadcast_dimensions has dimension 2 outside [0, 2)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_in_dim (C3): sizes
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{size of operand dimension 0 (3) is not equal to 1 or size of result dimension 0 (2)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_in_dim: element type
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires the same element type for operand and result, got 'f32' and 'f64'}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// broadcast_in_dim: old text of the dimensions
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{i64 dense array attribute}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reshape (C1): element count
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{number of output elements (25) doesn't match expected number of elements (24)}}
  %0 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<25xf32>
  return
}

// -----

// transpose (C1): length of the permutation
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+2 {{operand rank 2 does not match permutation size 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.transpose %a, dims = [1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// transpose (C1): permutation
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+2 {{attribute permutation must be a permutation of [0, 2), got [1, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// transpose: result type
func.func @f(%a: tensor<3x2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// reverse (C1): unique
func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{dimensions has duplicate dimension 1}}
  %0 = stablehlo.reverse %a, dims = [1, 1] : tensor<2x3xf32>
  return
}

// -----

// slice (C1): entries per dimension
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+2 {{the number of start_indices (1) does not match the rank of operand (2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [0:4] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// slice (C2): start
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+2 {{negative start index -1 in dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [-1:4] : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// slice (C2): limit
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+2 {{limit index 5 is larger than dimension size 4 in dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [0:5] : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// slice (C2): order
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+2 {{start index 3 is larger than limit index 2 in dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [3:2] : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

// slice (C2): stride
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+2 {{stride must be positive but got 0 in dimension 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [0:4, 0:6:0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// dynamic_slice (C1): start indices
func.func @f(%a: tensor<4x6xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{has mismatched number of start indices (1) and the rank of operand (2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// dynamic_slice (C3): one type of start indices
func.func @f(%a: tensor<4x6xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+2 {{start indices must have same element type, got 'tensor<i32>' and 'tensor<i64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

// dynamic_slice (C2): size
func.func @f(%a: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{has slice size 5 greater than dimension size 4 in dimension 0 of operand}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

// dynamic_slice (C2): negative size
func.func @f(%a: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{has negative size index to dynamic slice: -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [-1] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

// dynamic_slice: start indices are scalars
func.func @f(%a: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{must be variadic of 0D tensor of 2/4/8/16/32/64-bit integer values}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
  return
}

// -----

// dynamic_update_slice (C1): rank
func.func @f(%a: tensor<4x6xf32>, %u: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{update rank does not match operand rank: 1 vs 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x6xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

// dynamic_update_slice (C3): size
func.func @f(%a: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{expects size at dimension 0 of update to be in range [0, 4], got 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// concatenate (C1): at least one operand
func.func @f() {
  // expected-error@+2 {{concatenate needs at least one operand}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

// concatenate (C1): rank of at least 1
func.func @f(%a: tensor<f32>) {
  // expected-error@+2 {{rank-0 values cannot be concatenated}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// concatenate (C1): the dimension is in range
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+2 {{concatenate dimension 1 is outside [0, 1)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, dim = 1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// concatenate (C2): other sizes
func.func @f(%a: tensor<4x6xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+2 {{shapes of operand (0) and (1) do not match at non-concat index: [4, 6] vs [4, 5] at non-concat index 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4x6xf32>, tensor<4x5xf32>) -> tensor<8x6xf32>
  return
}

// -----

// concatenate: result type
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<8x6xf32>' are incompatible with return type(s) of operation 'tensor<4x12xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// pad (C4): scalar value
func.func @f(%a: tensor<3xf32>, %v: tensor<1xf32>) {
  // expected-error@+2 {{padding value type should be a rank-0 tensor, is rank 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// pad (C1): lengths
func.func @f(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+2 {{edge_padding_low length (1), edge_padding_high length (2) and interior_padding length (1) must match operand rank (1)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [0], high = [1, 2], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// pad (C2): interior
func.func @f(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+2 {{interior padding cannot be negative, but got -1 in dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [0], high = [1], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// pad (C3): result size
func.func @f(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+2 {{padding results in negative size -1 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [-2], high = [-2], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

// get_dimension_size (C1): in range
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+2 {{requires dimension attribute in range [0, 1); found (1)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<3xf32>) -> tensor<i32>
  return
}

// -----

// bounds (C1): one entry per dimension
// expected-error@+1 {{bounds has 1 entries, but the tensor has 2 dimensions}}
func.func @f(%a: tensor<?x?xf32, #stablehlo.bounds<4>>) {
  return
}

// -----

// bounds (C2): not for static dimensions
// expected-error@+1 {{static dimension 0 of size 3 cannot have the bound 4}}
func.func @f(%a: tensor<3xf32, #stablehlo.bounds<4>>) {
  return
}

// -----

// dynamic_update_slice (C2): start indices
func.func @f(%a: tensor<4x6xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{expects number of start_indices to match operand rank: 1 vs 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

// dynamic_update_slice (C4): one element type
func.func @f(%a: tensor<4xf32>, %u: tensor<2xf64>, %i: tensor<i32>) {
  // expected-error@+2 {{operand and update must have the same element type, got 'f32' and 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<2xf64>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// dynamic_update_slice (C5): one type of start indices
func.func @f(%a: tensor<4x6xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+2 {{start indices must have same element type, got 'tensor<i32>' and 'tensor<i64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<4x6xf32>
  return
}

// -----

// concatenate (C3): one element type
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error@+2 {{operands must have one element type, got 'f32' and 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf64>) -> tensor<8xf32>
  return
}
