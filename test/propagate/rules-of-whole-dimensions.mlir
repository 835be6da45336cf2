// RUN: shardwise-opt %s -split-input-file -sdy-populate-op-sharding-rules | FileCheck %s

// What is computed along a dimension as a whole keeps that dimension together; batch dimensions pass.

// CHECK-LABEL: func.func @transforms
func.func @transforms(%a: tensor<4x8x16xcomplex<f32>>, %b: tensor<4x16xf32>) -> (tensor<4x8x16xcomplex<f32>>, tensor<4x9xcomplex<f32>>) {
  // CHECK: stablehlo.fft {{.*}}<([i, j, k])->([i, j, k]) {i=4, j=8, k=16} need_replication={k}>
  %0 = stablehlo.fft %a, type = FFT, length = [16] : (tensor<4x8x16xcomplex<f32>>) -> tensor<4x8x16xcomplex<f32>>
  // The last dimension changes its size.
  // CHECK: stablehlo.fft {{.*}}<([i, j])->([i, j]) {i=4, j=16} need_replication={j} blocked_propagation={j}>
  %1 = stablehlo.fft %b, type = RFFT, length = [16] : (tensor<4x16xf32>) -> tensor<4x9xcomplex<f32>>
  return %0, %1 : tensor<4x8x16xcomplex<f32>>, tensor<4x9xcomplex<f32>>
}

// CHECK-LABEL: func.func @factorisations
func.func @factorisations(%a: tensor<8x3x3xf32>, %b: tensor<8x3x5xf32>, %c: tensor<8x6x5xf32>)
    -> (tensor<8x3x3xf32>, tensor<8x3x5xf32>, tensor<8x3x3xf32>, tensor<8x3xf32>, tensor<8x6x5xf32>, tensor<8x5xf32>) {
  // CHECK: stablehlo.cholesky {{.*}}<([i, j, k])->([i, j, k]) {i=8, j=3, k=3} need_replication={j, k}>
  %0 = stablehlo.cholesky %a, lower = true : tensor<8x3x3xf32>
  // CHECK: "stablehlo.triangular_solve"{{.*}}<([i, j, l], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}>
  %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>,
      unit_diagonal = false}> : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  // CHECK: stablehlo.custom_call @Eigh{{.*}}<([i, j, k])->([i, j, k], [i, k]) {i=8, j=3, k=3}>
  %2:2 = stablehlo.custom_call @Eigh(%a) : (tensor<8x3x3xf32>) -> (tensor<8x3x3xf32>, tensor<8x3xf32>)
  // CHECK: stablehlo.custom_call @Qr{{.*}}<([i, j, k])->([i, j, k], [i, l]) {i=8, j=6, k=5, l=5} need_replication={j, k, l}>
  %3:2 = stablehlo.custom_call @Qr(%c) : (tensor<8x6x5xf32>) -> (tensor<8x6x5xf32>, tensor<8x5xf32>)
  return %0, %1, %2#0, %2#1, %3#0, %3#1 : tensor<8x3x3xf32>, tensor<8x3x5xf32>, tensor<8x3x3xf32>, tensor<8x3xf32>, tensor<8x6x5xf32>, tensor<8x5xf32>
}

// CHECK-LABEL: func.func @attachedRule
func.func @attachedRule(%a: tensor<8x3x3xf64>) -> (tensor<8x3x3xf64>, tensor<8xi32>) {
  // What JAX writes on calls of LAPACK wins over "no rule known".
  // CHECK: @lapack_dpotrf_ffi{{.*}}<([i, j, k])->([i, j, k], [i]) {i=8, j=3, k=3} need_replication={j, k}, custom>
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {sdy.sharding_rule =
      #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i]) {i=8, j=3, k=3} need_replication={j, k}, custom>} : (tensor<8x3x3xf64>) -> (tensor<8x3x3xf64>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8x3x3xf64>, tensor<8xi32>
}

// CHECK-LABEL: func.func @normalisation
func.func @normalisation(%a: tensor<4x8x6xf32>, %s: tensor<8xf32>) -> (tensor<4x8x6xf32>, tensor<4x8x6xf32>, tensor<4x8x6xf32>) {
  // CHECK: "stablehlo.batch_norm_inference"{{.*}}<([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=4, j=8, k=6}>
  %0 = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
      : (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x6xf32>
  // Shardy knows no rules for these two.
  // CHECK: "stablehlo.batch_norm_training"
  // CHECK-NOT: sdy.sharding_rule
  %1:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
      : (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: "stablehlo.batch_norm_grad"
  // CHECK-NOT: sdy.sharding_rule
  %2:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
      : (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x6xf32>) -> (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: return
  return %0, %1#0, %2#0 : tensor<4x8x6xf32>, tensor<4x8x6xf32>, tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @orderAndRandomness
func.func @orderAndRandomness(%a: tensor<4x16xf32>, %b: tensor<16x1xf32>, %state: tensor<2xui64>, %x: tensor<f32>)
    -> (tensor<4x16xf32>, tensor<16x1xf32>, tensor<2xui64>, tensor<8x4xui32>, tensor<4x16xf32>, tensor<4x16xf32>) {
  // CHECK: ) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=16} need_replication={j}>}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  // There is nothing else to shard, so not even this dimension is.
  // CHECK: ) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=16, j=1} need_replication={i} blocked_propagation={i}>}
  %1 = "stablehlo.sort"(%b) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<16x1xf32>) -> tensor<16x1xf32>
  // CHECK: stablehlo.rng_bit_generator {{.*}}<([i])->([i], [j, k]) {i=2, j=8, k=4} need_replication={i} blocked_propagation={i}>
  %2:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)
  // CHECK: stablehlo.reduce_precision {{.*}}<([i, j])->([i, j]) {i=4, j=16}>
  %3 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4x16xf32>
  // CHECK: stablehlo.clamp {{.*}}<([], [i, j], [])->([i, j]) {i=4, j=16}>
  %4 = stablehlo.clamp %x, %a, %x : (tensor<f32>, tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  return %0, %1, %2#0, %2#1, %3, %4 : tensor<4x16xf32>, tensor<16x1xf32>, tensor<2xui64>, tensor<8x4xui32>, tensor<4x16xf32>, tensor<4x16xf32>
}

// CHECK-LABEL: func.func @prefixSums
func.func @prefixSums(%a: tensor<4x16xf32>, %c: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<16xf32>) {
  // CHECK: chlo.scan({{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j])->([i, j], [j]) {i=4, j=16} need_replication={i}>}
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%in: tensor<16xf32>, %carry: tensor<16xf32>):
    %s = stablehlo.add %in, %carry : tensor<16xf32>
    stablehlo.return %s, %s : tensor<16xf32>, tensor<16xf32>
  } : (tensor<4x16xf32>, tensor<16xf32>) -> (tensor<4x16xf32>, tensor<16xf32>)
  return %0#0, %0#1 : tensor<4x16xf32>, tensor<16xf32>
}

// -----

// No edges join the branches of an if with its results.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @if
// CHECK: "stablehlo.if"
// CHECK-NOT: sdy.sharding_rule
// CHECK: return
func.func @if(%p: tensor<i1>, %a: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Calls whose shapes are not those of their target have no rule.
// CHECK-LABEL: func.func @other_shapes
// CHECK-NOT: sdy.sharding_rule
// CHECK: return
func.func @other_shapes(%a: tensor<4x4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) {
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>)
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %c) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %2:2 = stablehlo.custom_call @mhlo.topk(%a) : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  %3:2 = stablehlo.custom_call @PartialReduce(%a, %a, %b, %b)
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
