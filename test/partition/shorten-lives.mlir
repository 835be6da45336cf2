// RUN: shardwise-opt %s -shardwise-shorten-lives | FileCheck %s

sdy.mesh @mesh = <["x"=4]>

// What is reversed in every round is the same: it takes the place of what was gathered, before the
// loop. The argument would be kept beside its negation, and %t changes: both stay.
// CHECK-LABEL: func @invariant
// CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"(%arg1)
// CHECK-NEXT: %[[REVERSED:.*]] = stablehlo.reverse %[[WHOLE]]
// CHECK-NEXT: stablehlo.while
// CHECK: } do {
// CHECK: %[[NEGATED:.*]] = stablehlo.negate %arg0
// CHECK: stablehlo.add %{{.*}}, %[[REVERSED]]
func.func @invariant(%h: tensor<16xf32>, %w: tensor<4xf32>, %go: tensor<i1>) -> tensor<16xf32> {
  %0 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4xf32>) -> tensor<16xf32>
  %r = stablehlo.while(%s = %h) : tensor<16xf32>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %n = stablehlo.negate %h : tensor<16xf32>
      %v = stablehlo.reverse %0, dims = [0] : tensor<16xf32>
      %t = stablehlo.add %s, %v : tensor<16xf32>
      %u = stablehlo.multiply %t, %n : tensor<16xf32>
      stablehlo.return %u : tensor<16xf32>
    }
  return %r : tensor<16xf32>
}

// Nothing leaves if what it is computed of is used again, or is smaller.
// CHECK-LABEL: func @kept
// CHECK: %[[T:.*]] = stablehlo.tanh
// CHECK: %[[S:.*]] = stablehlo.exponential
// CHECK-NEXT: stablehlo.while
// CHECK: stablehlo.reverse %[[T]]
// CHECK: stablehlo.broadcast_in_dim %[[S]]
func.func @kept(%h: tensor<16xf32>, %k: tensor<4xf32>, %go: tensor<i1>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = stablehlo.tanh %h : tensor<16xf32>
  %1 = stablehlo.exponential %k : tensor<4xf32>
  %r = stablehlo.while(%s = %h) : tensor<16xf32>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %v = stablehlo.reverse %0, dims = [0] : tensor<16xf32>
      %b = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
      %c = stablehlo.reshape %b : (tensor<4x4xf32>) -> tensor<16xf32>
      %t = stablehlo.add %s, %v : tensor<16xf32>
      %u = stablehlo.add %t, %c : tensor<16xf32>
      stablehlo.return %u : tensor<16xf32>
    }
  return %r, %0 : tensor<16xf32>, tensor<16xf32>
}

// Where the device stands is computed where it is needed.
// CHECK-LABEL: func @position
// CHECK: stablehlo.tanh
// CHECK-NEXT: %[[ID:.*]] = stablehlo.partition_id
// CHECK-NEXT: %[[AT:.*]] = stablehlo.convert %[[ID]]
// CHECK-NEXT: %[[START:.*]] = stablehlo.multiply %[[AT]]
// CHECK-NEXT: stablehlo.dynamic_slice %{{.*}}, %[[START]]
func.func @position(%a: tensor<16xf32>) -> tensor<4xf32> {
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
  %2 = stablehlo.multiply %1, %c4 : tensor<i32>
  %3 = stablehlo.tanh %a : tensor<16xf32>
  %4 = stablehlo.dynamic_slice %3, %2, sizes = [4] : (tensor<16xf32>, tensor<i32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
