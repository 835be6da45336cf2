// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -sdy-flatten-call-graph | FileCheck %s

// Afterwards every function has one call: the first keeps the function, the others get copies, which remember whose.
// Functions that a copy calls are copied too.

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @once(
  // CHECK: call @f(
  // CHECK: call @f_1(
  %0 = call @once(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK: func.func private @once(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @once(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// CHECK: func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK: call @inner(
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @inner(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @inner_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
// CHECK: stablehlo.negate
// CHECK: func.func private @f_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
// CHECK: call @inner_0(

// -----

// Recursion has no flat form.
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{calls @f, which is recursive; shardings of recursive functions cannot be decided}}
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
