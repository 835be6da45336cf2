// RUN: shardwise-opt %s -split-input-file -sdy-flatten-call-graph | FileCheck %s

// Callees go before their callers. The first call in that order keeps the function; a copy of a function comes
// behind the copies of what it calls, and is named after what it was copied from.

// CHECK: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @outer(
  // CHECK: call @outer_3(
  // CHECK: call @inner_4(
  // CHECK: call @outer_7(
  %0 = call @outer(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @inner(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @outer(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
// CHECK: func.func private @outer(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK: call @inner(
// CHECK: call @inner_0(
func.func private @outer(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @inner(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CHECK: func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @inner(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// CHECK: func.func private @inner_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"}
// CHECK: func.func private @inner_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"}
// CHECK: func.func private @inner_0_2(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"}
// CHECK: func.func private @outer_3(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "outer"}
// CHECK: call @inner_1(
// CHECK: call @inner_0_2(
// CHECK: func.func private @inner_4(
// CHECK: func.func private @inner_5(
// CHECK: func.func private @inner_0_6(
// CHECK: func.func private @outer_7(

// -----

// Calls of functions that nobody calls count, in program order; calls in regions do as others. A copy is as public
// as what it was copied from.
// CHECK: func.func private @nobody
func.func private @nobody(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @f(
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// CHECK: func.func @main
func.func @main(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  // CHECK: stablehlo.if
  // CHECK: call @f_0(
  // CHECK: call @f_1(
  // CHECK: call @f_2(
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    %1 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %2 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK: func.func @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"}
// CHECK: func.func @f_1(
// CHECK: func.func @f_2(

// -----

// A function without body has copies, too.
// CHECK: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @extern(
  // CHECK: call @extern_0(
  %0 = call @extern(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @extern(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CHECK: func.func private @extern(tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: func.func private @extern_0(tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "extern"}
func.func private @extern(tensor<8xf32>) -> tensor<8xf32>
