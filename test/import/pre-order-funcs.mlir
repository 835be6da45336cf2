// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -sdy-pre-order-funcs | FileCheck %s --implicit-check-not=func.func

// Callers come before their callees, and a function that two call after both.

// CHECK: func.func @main
// CHECK: func.func private @g
// CHECK: func.func private @f
// CHECK: func.func private @shared
func.func private @shared(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @shared(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @shared(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{calls @main, which is recursive}}
  %0 = call @main(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
