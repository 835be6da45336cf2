// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// add: one element type
func.func @f(%a: tensor<3xf32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = stablehlo.add %a, %b : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

// multiply: one element type
func.func @f(%a: tensor<3xf32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{requires compatible types for all operands and results}}
  %0 = stablehlo.multiply %a, %b : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

// subtract: one shape
func.func @f(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = stablehlo.subtract %a, %b : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// subtract: not on bool
func.func @f(%a: tensor<3xi1>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float}}
  %0 = stablehlo.subtract %a, %a : tensor<3xi1>
  return
}

// -----

// abs: not on unsigned
func.func @f(%a: tensor<3xui8>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or}}
  %0 = stablehlo.abs %a : tensor<3xui8>
  return
}

// -----

// abs: modulus of complex
func.func @f(%a: tensor<3xcomplex<f32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3xcomplex<f32>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.abs %a : tensor<3xcomplex<f32>>
  return
}

// -----

// element types: si32
func.func @f(%a: tensor<3xsi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or}}
  %0 = stablehlo.add %a, %a : tensor<3xsi32>
  return
}

// -----

// element types: i3
func.func @f(%a: tensor<3xi3>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of}}
  %0 = stablehlo.negate %a : tensor<3xi3>
  return
}

// -----

// element types: tf32
func.func @f(%a: tensor<3xtf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of}}
  %0 = stablehlo.tanh %a : tensor<3xtf32>
  return
}

// -----

// types: bare scalar
func.func @f(%a: f32) {
  // expected-error@+1 {{operand #0 must be ranked tensor of}}
  %0 = stablehlo.tanh %a : f32
  return
}

// -----

// types: unranked
func.func @f(%a: tensor<*xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of}}
  %0 = stablehlo.tanh %a : tensor<*xf32>
  return
}

// -----

// is_finite: result is bool
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{result #0 must be ranked tensor of bool values}}
  %0 = stablehlo.is_finite %a : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// convert: one shape
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<4xi32>
  return
}

// -----

// compare: one element type
func.func @f(%a: tensor<3xf32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = stablehlo.compare LT, %a, %b : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xi1>
  return
}

// -----

// select (C1): branches have one type
func.func @f(%p: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xi32>) {
  // expected-error@+2 {{requires compatible types for non-predicate operands, got 'tensor<3xf32>' and 'tensor<3xi32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.select %p, %a, %b : (tensor<3xi1>, tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

// select (C2): shape of pred
func.func @f(%p: tensor<2xi1>, %a: tensor<3xf32>) {
  // expected-error@+2 {{requires the same shape for all operands, got 'tensor<2xi1>' and 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<3xf32>
  return
}

// -----

// clamp (C2): shape of min
func.func @f(%a: tensor<3xf32>, %b: tensor<1xf32>) {
  // expected-error@+2 {{min shape [1] is not scalar and is not compatible to operand shape [3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %b, %a, %a : (tensor<1xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// clamp (C1): one element type
func.func @f(%a: tensor<3xf32>, %b: tensor<i32>) {
  // expected-error@+2 {{max element type 'i32' is different from operand element type 'f32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %a, %a, %b : (tensor<3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// reduce_precision (C1): exponent_bits is at least 1
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{exponent_bits must be at least 1, got 0}}
  %0 = stablehlo.reduce_precision %a, format = e0m10 : tensor<3xf32>
  return
}

// -----

// reduce_precision: text of the format
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected a format like e5m10 (exponent and mantissa bits), got 'm5e1'}}
  %0 = stablehlo.reduce_precision %a, format = m5e1 : tensor<3xf32>
  return
}

// -----

// bitcast_convert (C1): complex only to complex
func.func @f(%a: tensor<3xcomplex<f32>>) {
  // expected-error@+1 {{cannot convert between real and complex types, but got: 'tensor<3xcomplex<f32>>' and 'tensor<3xf64>'}}
  %0 = stablehlo.bitcast_convert %a : (tensor<3xcomplex<f32>>) -> tensor<3xf64>
  return
}

// -----

// bitcast_convert (C2): trailing dimension
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible bit widths. Got: 'tensor<3xf32>' and 'tensor<3x2xi8>', expected a trailing dimension of size 4}}
  %0 = stablehlo.bitcast_convert %a : (tensor<3xf32>) -> tensor<3x2xi8>
  return
}

// -----

// bitcast_convert (C2): equal widths keep the shape
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand and result shapes must match except for the innermost dimension}}
  %0 = stablehlo.bitcast_convert %a : (tensor<3xf32>) -> tensor<4xi32>
  return
}

// -----

// complex: f32 or f64
func.func @f(%a: tensor<3xf16>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 32-bit float or 64-bit float values}}
  %0 = "stablehlo.complex"(%a, %a) : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xcomplex<f32>>
  return
}

// -----

// type form: number of types
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected 2 operand types and 1 result type, got 1 and 1}}
  %0 = stablehlo.add %a, %a : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// unknown op
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.foo' is unknown}}
  %0 = stablehlo.foo %a : tensor<3xf32>
  return
}

// -----

// unknown op, generic form
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{unregistered operation 'stablehlo.foo' found in dialect ('stablehlo') that does not allow unknown operations}}
  %0 = "stablehlo.foo"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reduce_precision (C2): mantissa_bits is at least 0
func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{mantissa_bits must be at least 0, got -1}}
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<3xf32>) -> tensor<3xf32>
  return
}
