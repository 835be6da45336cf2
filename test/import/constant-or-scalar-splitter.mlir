// RUN: shardwise-opt %s -sdy-constant-or-scalar-splitter | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-2: sdy.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK-NOT: stablehlo.constant
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = stablehlo.add %a, %c : tensor<8xf32>
  %1 = stablehlo.multiply %a, %c : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Scalars stay shared; what is broadcast from them does not.
// CHECK-LABEL: func.func @scalars
func.func @scalars(%a: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf32> {
  // CHECK-DAG: %[[B0:.*]] = stablehlo.broadcast_in_dim %arg1
  // CHECK-DAG: %[[B1:.*]] = stablehlo.broadcast_in_dim %arg1
  // CHECK-DAG: %[[A:.*]] = stablehlo.add %arg0, %[[B0]]
  // CHECK-DAG: stablehlo.add %[[A]], %[[B1]]
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  %1 = stablehlo.add %0, %b : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A whole computation of constants is copied for each use.
// CHECK-LABEL: func.func @expressions
func.func @expressions(%a: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK-COUNT-2: stablehlo.iota
  // CHECK-NOT: stablehlo.iota
  %i = stablehlo.iota dim = 0 : tensor<8xf32>
  %n = stablehlo.negate %i : tensor<8xf32>
  %r = stablehlo.reshape %n : (tensor<8xf32>) -> tensor<2x4xf32>
  %0 = stablehlo.add %a, %r : tensor<2x4xf32>
  return %0, %r : tensor<2x4xf32>, tensor<2x4xf32>
}

// Computations of one name count as one: where another does more than keep constants, this one stays.
// CHECK-LABEL: func @computations_of_one_name
func.func @computations_of_one_name(%x: tensor<8xf32>) {
  // CHECK-NEXT: sdy.constant
  // CHECK-NEXT: stablehlo.broadcast_in_dim
  // CHECK-NEXT: sdy.named_computation<"mixed">(%{{.*}})
  // CHECK: sdy.named_computation<"mixed">(%arg0)
  // CHECK-NOT: sdy.named_computation<"pure">
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = sdy.named_computation<"mixed">(%1) (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.named_computation<"mixed">(%x) (%a: tensor<8xf32>) {
    %4 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %5 = sdy.named_computation<"pure">(%1) (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: return
  return
}
