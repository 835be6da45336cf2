// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// elementwise: one type
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = chlo.erf %a : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

// erf: floats only
func.func @f(%a: tensor<3xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float values}}
  %0 = chlo.erf %a : tensor<3xi32> -> tensor<3xi32>
  return
}

// -----

// top_k (C2): enough elements
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+2 {{operand's last dimension must be at least 7, got 6}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%a, k = 7) : tensor<4x6xf32> -> (tensor<4x7xf32>, tensor<4x7xi32>)
  return
}

// -----

// top_k (C1): rank of at least 1
func.func @f(%a: tensor<f32>) {
  // expected-error@+2 {{operand's rank must be at least 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%a, k = 1) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// top_k (C1): k is not negative
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+2 {{k must not be negative, got -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%a, k = -1) : tensor<4xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

// ragged_dot (C1): one ragged dimension
func.func @f(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error@+1 {{there must be exactly one ragged dimension in the lhs, got 0}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot (C2): group dimensions
func.func @f(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error@+1 {{expects 1 group dimension(s) in the rhs for a ragged dimension that is free, got 0}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot (C3): number of groups
func.func @f(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<4xi32>) {
  // expected-error@+1 {{expects the rhs group dimension size 3 to be the last dimension of group_sizes 4}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot: result shape
func.func @f(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error@+1 {{inferred shape '[11, 7]' is incompatible with return type of operation 'tensor<7x11xf32>'}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<7x11xf32>
  return
}

// -----

// scan (C1): an input or an output
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects at least one input or output}}
  %0 = "chlo.scan"(%c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%b: tensor<4xf32>):
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// -----

// scan (C2): dimension in range
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{scans dimension 2, but input 0 has rank 2}}
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 2 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}

// -----

// scan (C2): one size
func.func @f(%x: tensor<4x6xf32>, %y: tensor<4x5xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects input 1 to have size 6 in dimension 1, got 5}}
  %0:2 = "chlo.scan"(%x, %y, %c) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 2, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %d: tensor<4xf32>, %b: tensor<4xf32>):
    stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4x5xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}

// -----

// scan (C2): the size that is given
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects input 0 to have size 9 in dimension 1, got 6}}
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 1 : i64, scan_dim_size = 9 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}

// -----

// scan (C2): outputs too
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects output 0 to have size 6 in dimension 1, got 7}}
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x7xf32>, tensor<4xf32>)
  return
}

// -----

// scan (C3): slices and inits
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects the body to take 'tensor<4xf32>', 'tensor<4xf32>', got 'tensor<6xf32>', 'tensor<4xf32>'}}
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<6xf32>, %b: tensor<4xf32>):
    stablehlo.return %b, %b : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}

// -----

// scan (C4): slices of outputs
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects the body to return 'tensor<9xf32>', 'tensor<4xf32>', got 'tensor<4xf32>', 'tensor<4xf32>'}}
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<9x6xf32>, tensor<4xf32>)
  return
}

// -----

// scan (C4): carries like inits
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects carries of the types of the inits 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<5xf32>)
  return
}

// -----

// scan (C4): as many values
func.func @f(%x: tensor<4x6xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{expects the body to return}}
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return
}
