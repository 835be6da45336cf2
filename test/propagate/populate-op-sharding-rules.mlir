// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<8x4xf32>, %p: tensor<i1>, %s: tensor<f32>) -> tensor<8x4xf32> {
  // CHECK: stablehlo.add {{.*}}<([i, j], [i, j])->([i, j]) {i=8, j=4}>
  // CHECK: stablehlo.select {{.*}}<([], [i, j], [i, j])->([i, j]) {i=8, j=4}>
  // CHECK: stablehlo.clamp {{.*}}<([], [i, j], [])->([i, j]) {i=8, j=4}>
  // CHECK: stablehlo.negate {{.*}}<([])->([])>
  %0 = stablehlo.add %a, %a : tensor<8x4xf32>
  %1 = stablehlo.select %p, %0, %a : tensor<i1>, tensor<8x4xf32>
  %2 = stablehlo.clamp %s, %1, %s : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %3 = stablehlo.negate %s : tensor<f32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @reshape
func.func @reshape(%a: tensor<2x3x4xf32>, %b: tensor<16x6xf32>, %c: tensor<128x96xf32>, %d: tensor<32xf32>,
                   %e: tensor<4x6x10xf32>, %f: tensor<3x2xf32>, %g: tensor<12x10xf32>, %h: tensor<6x35xf32>) {
  // CHECK: <([i, j, k])->([ijk]) {i=2, j=3, k=4}>
  // CHECK: <([ij, k])->([i, jk]) {i=4, j=4, k=6}>
  // CHECK: <([i, jk])->([i, j, k]) {i=128, j=8, k=12}>
  // CHECK: <([ik])->([i, j, k]) {i=8, j=1, k=4}>
  // CHECK: <([i, jk, l])->([ij, kl]) {i=4, j=2, k=3, l=10}>
  // CHECK: <([i, l])->([j, k]) {i=3, j=2, k=3, l=2}>
  // CHECK: <([ij, mn])->([ik, ln]) {i=4, j=3, k=2, l=3, m=2, n=5}>
  // CHECK: <([ij, ln])->([ik, mn]) {i=2, j=3, k=7, l=7, m=3, n=5}>
  %0 = stablehlo.reshape %a : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %1 = stablehlo.reshape %b : (tensor<16x6xf32>) -> tensor<4x24xf32>
  %2 = stablehlo.reshape %c : (tensor<128x96xf32>) -> tensor<128x8x12xf32>
  %3 = stablehlo.reshape %d : (tensor<32xf32>) -> tensor<8x1x4xf32>
  %4 = stablehlo.reshape %e : (tensor<4x6x10xf32>) -> tensor<8x30xf32>
  %5 = stablehlo.reshape %f : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %6 = stablehlo.reshape %g : (tensor<12x10xf32>) -> tensor<8x15xf32>
  %7 = stablehlo.reshape %h : (tensor<6x35xf32>) -> tensor<14x15xf32>
  return
}

// CHECK-LABEL: func.func @contractions
func.func @contractions(%a: tensor<4x8x32xf32>, %b: tensor<4x32x16xf32>, %x: tensor<2x224x224x192xf32>, %k: tensor<3x3x192x64xf32>) {
  // CHECK: stablehlo.dot_general {{.*}}<([i, j, l], [i, l, k])->([i, j, k]) {i=4, j=8, k=16, l=32} reduction={l}>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<4x8x32xf32>, tensor<4x32x16xf32>) -> tensor<4x8x16xf32>
  // DEFAULT: stablehlo.convolution{{.*}}<([i, jk, lm, n], [k, m, n, o])->([i, j, l, o]) {i=2, j=112, k=2, l=112, m=2, n=192, o=64} reduction={k, m, n} permutation={j, l}>
  // CONSERVATIVE: stablehlo.convolution{{.*}}<([i, l, m, j], [n, o, j, k])->([i, p, q, k]) {i=2, j=192, k=64, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x224x224x192xf32>, tensor<3x3x192x64xf32>) -> tensor<2x112x112x64xf32>
  return
}

// CHECK-LABEL: func.func @changedDimensions
func.func @changedDimensions(%a: tensor<8x4xf32>, %i: tensor<i32>, %s: tensor<f32>) {
  // DEFAULT: stablehlo.slice {{.*}}<([i, j])->([i, j]) {i=8, j=4} permutation={i}>
  // CONSERVATIVE: stablehlo.slice {{.*}}<([i, j])->([i, j]) {i=8, j=4} permutation={i} blocked_propagation={i}>
  // CHECK: stablehlo.dynamic_slice {{.*}}<([i, j], [], [])->([i, j]) {i=8, j=4} need_replication={i} blocked_propagation={i}>
  // DEFAULT: stablehlo.concatenate {{.*}}<([i, j], [i, j])->([i, j]) {i=16, j=4} need_replication={i}>
  // CONSERVATIVE: stablehlo.concatenate {{.*}}<([j, i], [k, i])->([l, i]) {i=4, j=1, k=1, l=1}>
  // CHECK: stablehlo.reverse {{.*}}<([i, j])->([i, j]) {i=8, j=4} permutation={j}>
  // CHECK: stablehlo.broadcast_in_dim {{.*}}<([i, k])->([i, j, k]) {i=8, j=3, k=4}>
  %0 = stablehlo.slice %a [2:6, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %2 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %3 = stablehlo.reverse %a, dims = [1] : tensor<8x4xf32>
  %4 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<8x4xf32>) -> tensor<8x3x4xf32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%a: tensor<8x4xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.reduce{{.*}}<([i, j], [])->([i]) {i=8, j=4} reduction={j}>
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: <([i, j])->([i, j]) {i=8, j=4} need_replication={j}>
  %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// An attached rule is kept as it is.
// CHECK-LABEL: func.func @customCalls
func.func @customCalls(%a: tensor<8x4xf32>) {
  // CHECK: @mhlo.topk{{.*}}<([i, j])->([i, j], [i, j]) {i=8, j=4} need_replication={j} blocked_propagation={j}>
  // CHECK: @mine{{.*}}<([i, j])->([j, i]) {i=8, j=4}, custom>
  %0:2 = stablehlo.custom_call @mhlo.topk(%a) : (tensor<8x4xf32>) -> (tensor<8x2xf32>, tensor<8x2xi32>)
  %1 = stablehlo.custom_call @mine(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return
}
