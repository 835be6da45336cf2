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

// What only branches read is put together in these: all of it, or as much as a slice reads. The
// argument is there anyway.
// CHECK-LABEL: func @branches
// CHECK-NOT: concatenate
// CHECK: "stablehlo.case"
// CHECK: %[[ALL:.*]] = stablehlo.concatenate %arg0, %arg1, dim = 0
// CHECK-NEXT: stablehlo.reverse %[[ALL]]
// CHECK: }, {
// CHECK-NEXT: %[[END:.*]] = stablehlo.slice %arg0 [10:16]
// CHECK-NEXT: %[[JOINED:.*]] = stablehlo.concatenate %[[END]], %arg1, dim = 0
// CHECK-NEXT: stablehlo.pad %[[JOINED]]
// CHECK: }, {
// CHECK-NEXT: stablehlo.pad %arg0
// CHECK-NOT: concatenate
// CHECK: return
func.func @branches(%h: tensor<16xf32>, %w: tensor<2xf32>, %number: tensor<i32>) -> tensor<18xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.concatenate %h, %w, dim = 0 : (tensor<16xf32>, tensor<2xf32>) -> tensor<18xf32>
  %r = "stablehlo.case"(%number) ({
    %1 = stablehlo.reverse %0, dims = [0] : tensor<18xf32>
    stablehlo.return %1 : tensor<18xf32>
  }, {
    %1 = stablehlo.slice %0 [10:18] : (tensor<18xf32>) -> tensor<8xf32>
    %2 = stablehlo.pad %1, %zero, low = [10], high = [0], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<18xf32>
    stablehlo.return %2 : tensor<18xf32>
  }, {
    %1 = stablehlo.slice %0 [0:16] : (tensor<18xf32>) -> tensor<16xf32>
    %2 = stablehlo.pad %1, %zero, low = [0], high = [2], interior = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<18xf32>
    stablehlo.return %2 : tensor<18xf32>
  }) : (tensor<i32>) -> tensor<18xf32>
  return %r : tensor<18xf32>
}

// Not if it is read elsewhere too, or if it would be kept in parts instead.
// CHECK-LABEL: func @readElsewhere
// CHECK: stablehlo.concatenate %arg0
// CHECK: stablehlo.tanh
// CHECK: stablehlo.concatenate
// CHECK: "stablehlo.if"
func.func @readElsewhere(%h: tensor<16xf32>, %w: tensor<2xf32>, %go: tensor<i1>) -> (tensor<18xf32>, tensor<18xf32>, tensor<18xf32>) {
  %0 = stablehlo.concatenate %h, %w, dim = 0 : (tensor<16xf32>, tensor<2xf32>) -> tensor<18xf32>
  %1 = stablehlo.tanh %h : tensor<16xf32>
  %2 = stablehlo.concatenate %1, %w, dim = 0 : (tensor<16xf32>, tensor<2xf32>) -> tensor<18xf32>
  %r:2 = "stablehlo.if"(%go) ({
    stablehlo.return %0, %2 : tensor<18xf32>, tensor<18xf32>
  }, {
    stablehlo.return %2, %0 : tensor<18xf32>, tensor<18xf32>
  }) : (tensor<i1>) -> (tensor<18xf32>, tensor<18xf32>)
  return %r#0, %r#1, %0 : tensor<18xf32>, tensor<18xf32>, tensor<18xf32>
}
