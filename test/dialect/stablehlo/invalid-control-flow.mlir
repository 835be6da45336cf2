// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// while (C2): condition
func.func @f(%a: tensor<i32>) {
  // expected-error@+1 {{expects condition region to return a single value of type tensor<i1>, got 'tensor<i32>'}}
  %0 = stablehlo.while(%i = %a) : tensor<i32>
  cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return
}

// -----

// while (C3): body
func.func @f(%a: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects body region to return the operand types 'tensor<i32>', got 'tensor<i1>'}}
  %0 = stablehlo.while(%i = %a) : tensor<i32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

// while (C1): arguments
func.func @f(%a: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects the arguments of region #0 to have the operand types 'tensor<i32>', got 'tensor<i64>'}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%i: tensor<i64>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// while (C1): results
func.func @f(%a: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects operands to have the types of the results, got 'tensor<i32>' and 'tensor<i64>'}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%i: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i64>
  return
}

// -----

// if: scalar predicate
func.func @f(%p: tensor<2xi1>) {
  // expected-error@+1 {{operand #0 must be 0D tensor of bool values}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<2xi1>) -> ()
  return
}

// -----

// if (C1): branches return the result types
func.func @f(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{region #1 must return the result types 'tensor<f32>', but returns 'tensor<i1>'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// case (C2): branches take nothing
func.func @f(%i: tensor<i32>) {
  // expected-error@+1 {{region #0 must have 0 arguments, but found 1}}
  "stablehlo.case"(%i) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

// case (C1): at least one branch
func.func @f(%i: tensor<i32>) {
  // expected-error@+1 {{expects at least one branch}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

// case: ends with stablehlo.return
func.func @f(%i: tensor<i32>) {
  "stablehlo.case"(%i) ({
    // expected-error@+1 {{'func.return' op expects parent op 'func.func'}}
    func.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

// optimization_barrier (C1): types
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{requires the same types for operands and results, got 'tensor<f32>' and 'tensor<f64>'}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<f32>) -> tensor<f64>
  return
}
