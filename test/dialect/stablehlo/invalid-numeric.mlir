// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra, transforms, random numbers, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// rng_bit_generator (C1): state
func.func @f(%s: tensor<2xui64>) {
  // expected-error@+1 {{output state shape must match initial state shape. Got: 'tensor<2xui64>' and 'tensor<3xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

// cholesky (C1): rank
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{argument 'a' must have rank >= 2}}
  %0 = stablehlo.cholesky %a : tensor<3xf32>
  return
}

// -----

// cholesky (C2): square
func.func @f(%a: tensor<3x4xf32>) {
  // expected-error@+1 {{minor dimensions of 'a' must have equal size}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x4xf32>
  return
}

// -----

// triangular_solve (C3): rank
func.func @f(%a: tensor<3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+2 {{operands must have equal rank of at least 2, got 2 and 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// triangular_solve (C4): square
func.func @f(%a: tensor<3x4xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+2 {{two minor dimensions of operand 'a' must have equal size, but got [3, 4]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// triangular_solve (C4): shared dimension
func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+2 {{shared dimension of operands 'a' and 'b' does not match: 3 vs 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// triangular_solve (C3): batch
func.func @f(%a: tensor<2x3x3xf32>, %b: tensor<4x3x5xf32>) {
  // expected-error@+2 {{leading batch dimensions of the operands must be same, but got [2] and [4]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return
}

// -----

// triangular_solve (C2): transpose_a
func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+2 {{invalid transpose option value for triangular solve}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// triangular_solve (C1): element type
func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x5xf64>) {
  // expected-error@+2 {{operands must have one element type, got 'f32' and 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x5xf64>) -> tensor<3x5xf64>
  return
}

// -----

// fft (C2): number of lengths
func.func @f(%a: tensor<4x8xcomplex<f32>>) {
  // expected-error@+2 {{rank must be between 1 and 3, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = FFT, length = [] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  return
}

// -----

// fft (C1): complex
func.func @f(%a: tensor<8xf32>) {
  // expected-error@+2 {{FFT takes a complex tensor as input, but is given 'tensor<8xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// fft (C1): real
func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+2 {{RFFT requires f32 or f64 input type, but is given 'complex<f32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return
}

// -----

// fft (C3): sizes
func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+2 {{size 8 of operand dimension 0 must be 4 for fft_length [4]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

// fft (C3): last size
func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+2 {{size 8 of operand dimension 0 must be 5 for fft_length [8]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = IRFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  return
}

// -----

// rfft: result type
func.func @f(%a: tensor<8xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<5xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<8xcomplex<f32>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

// batch_norm (C1): feature_index
func.func @f(%a: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error@+2 {{expects feature_index to be in range [0, 2), got 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// batch_norm (C3): feature sizes
func.func @f(%a: tensor<2x3xf32>, %v: tensor<2xf32>) {
  // expected-error@+2 {{expects per-feature operands of type 'tensor<3xf32>', got 'tensor<2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// batch_norm (C2): epsilon
func.func @f(%a: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error@+2 {{expects epsilon not to be negative}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a, %v, %v, %v, %v) <{epsilon = -1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast (C1): sizes
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+2 {{broadcast with negative dimension size -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.broadcast %a, sizes = [-1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// batch_norm_grad (C1): type of grad_output
func.func @f(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %g: tensor<3x2xf32>) {
  // expected-error@+2 {{expects grad_output to have the type of the operand, got 'tensor<3x2xf32>' and 'tensor<2x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %g) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
