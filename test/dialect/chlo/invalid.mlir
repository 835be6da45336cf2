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
