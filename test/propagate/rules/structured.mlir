// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules 2>/dev/null | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules=conservative-propagation=true 2>/dev/null | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// Ops whose dimensions play different parts.

// CHECK-LABEL: func.func @all_gather(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=16} need_replication={j, k}>
func.func @all_gather(%arg0: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @all_gather0(
// CHECK: #sdy.op_sharding_rule<([k, i, j])->([l, i, j]) {i=8, j=6, k=4, l=8} need_replication={k, l}>
func.func @all_gather0(%arg0: tensor<4x8x6xf32>) -> tensor<8x8x6xf32> {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8x6xf32>) -> tensor<8x8x6xf32>
  return %0 : tensor<8x8x6xf32>
}

// CHECK-LABEL: func.func @all_gather2(
// CHECK: #sdy.op_sharding_rule<([j, i], [j, i])->([k, i], [k, i]) {i=8, j=4, k=8} need_replication={j, k}>
func.func @all_gather2(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = "stablehlo.all_gather"(%arg0, %arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @all_to_all(
// CHECK: #sdy.op_sharding_rule<([l, j, i])->([m, k, i]) {i=6, j=8, k=4, l=4, m=8} need_replication={j, k, l, m}>
func.func @all_to_all(%arg0: tensor<4x8x6xf32>) -> tensor<8x4x6xf32> {
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8x6xf32>) -> tensor<8x4x6xf32>
  return %0 : tensor<8x4x6xf32>
}

// CHECK-LABEL: func.func @all_to_all_same(
// CHECK: #sdy.op_sharding_rule<([i, k, j])->([i, l, j]) {i=4, j=6, k=8, l=8} need_replication={k, l}>
func.func @all_to_all_same(%arg0: tensor<4x8x6xf32>) -> tensor<4x8x6xf32> {
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8x6xf32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @all_to_all_2op(
// CHECK: #sdy.op_sharding_rule<([k, i], [k, i])->([l, j], [l, j]) {i=8, j=4, k=4, l=8} need_replication={i, j, k, l}>
func.func @all_to_all_2op(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = "stablehlo.all_to_all"(%arg0, %arg1) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @reduce_scatter(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, k, j])->([i, l, j]) {i=4, j=6, k=8, l=4} need_replication={k, l}>
func.func @reduce_scatter(%arg0: tensor<4x8x6xf32>) -> tensor<4x4x6xf32> {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8x6xf32>) -> tensor<4x4x6xf32>
  return %0 : tensor<4x4x6xf32>
}

// CHECK-LABEL: func.func @bn_inf(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=4, j=8, k=6}>
func.func @bn_inf(%arg0: tensor<4x8x6xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>) -> tensor<4x8x6xf32> {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @bitcast_same(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @bitcast_same(%arg0: tensor<4x8xf32>) -> tensor<4x8xi32> {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// CHECK-LABEL: func.func @bitcast_up(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=4, j=8, k=4} need_replication={k}>
func.func @bitcast_up(%arg0: tensor<4x8xf32>) -> tensor<4x8x4xi8> {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8x4xi8>
  return %0 : tensor<4x8x4xi8>
}

// CHECK-LABEL: func.func @bitcast_down(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j]) {i=4, j=8, k=4} need_replication={k}>
func.func @bitcast_down(%arg0: tensor<4x8x4xi8>) -> tensor<4x8xf32> {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x8x4xi8>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @bitcast_scalar(
// CHECK: #sdy.op_sharding_rule<([])->([i]) {i=4} need_replication={i}>
func.func @bitcast_scalar(%arg0: tensor<f32>) -> tensor<4xi8> {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<f32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @bid(
// CHECK: #sdy.op_sharding_rule<([j, l])->([i, k, l]) {i=4, j=1, k=3, l=8}>
func.func @bid(%arg0: tensor<1x8xf32>) -> tensor<4x3x8xf32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<1x8xf32>) -> tensor<4x3x8xf32>
  return %0 : tensor<4x3x8xf32>
}

// CHECK-LABEL: func.func @bid_perm(
// CHECK: #sdy.op_sharding_rule<([k, i])->([i, j, k]) {i=4, j=3, k=8}>
func.func @bid_perm(%arg0: tensor<8x4xf32>) -> tensor<4x3x8xf32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 0] : (tensor<8x4xf32>) -> tensor<4x3x8xf32>
  return %0 : tensor<4x3x8xf32>
}

// CHECK-LABEL: func.func @bid11(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=1, j=8, k=2}>
func.func @bid11(%arg0: tensor<1x8xf32>) -> tensor<1x8x2xf32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8x2xf32>
  return %0 : tensor<1x8x2xf32>
}

// CHECK-LABEL: func.func @bid_scalar(
// CHECK: #sdy.op_sharding_rule<([])->([i, j, k]) {i=4, j=3, k=8}>
func.func @bid_scalar(%arg0: tensor<f32>) -> tensor<4x3x8xf32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4x3x8xf32>
  return %0 : tensor<4x3x8xf32>
}

// CHECK-LABEL: func.func @cholesky(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=3, k=5, l=5} need_replication={k, l}>
func.func @cholesky(%arg0: tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32> {
  %0 = stablehlo.cholesky %arg0, lower = true : tensor<2x3x5x5xf32>
  return %0 : tensor<2x3x5x5xf32>
}

// CHECK-LABEL: func.func @cholesky2(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=5, j=5} need_replication={i, j}>
func.func @cholesky2(%arg0: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %0 = stablehlo.cholesky %arg0, lower = true : tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// CHECK-LABEL: func.func @concat(
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
func.func @concat(%arg0: tensor<4x3xf32>, %arg1: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @concat1(
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=3} need_replication={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=1, k=1}>
func.func @concat1(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.concatenate %arg0, dim = 1 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @concat3(
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=6} need_replication={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [i, k], [i, l])->([i, m]) {i=4, j=1, k=1, l=1, m=1}>
func.func @concat3(%arg0: tensor<4x1xf32>, %arg1: tensor<4x0xf32>, %arg2: tensor<4x5xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.concatenate %arg0, %arg1, %arg2, dim = 1 : (tensor<4x1xf32>, tensor<4x0xf32>, tensor<4x5xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @ragged_dot_rows(
// CHECK: #sdy.op_sharding_rule<([i, k], [l, k, j], [m])->([i, j]) {i=12, j=6, k=8, l=4, m=4} reduction={k, l} need_replication={m}>
func.func @ragged_dot_rows(%a: tensor<12x8xf32>, %b: tensor<4x8x6xf32>, %g: tensor<4xi32>) -> tensor<12x6xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x6xf32>, tensor<4xi32>) -> tensor<12x6xf32>
  return %0 : tensor<12x6xf32>
}

// CHECK-LABEL: func.func @ragged_dot_batched(
// CHECK: #sdy.op_sharding_rule<([i, j, l], [m, i, l, k], [i, n])->([i, j, k]) {i=2, j=12, k=6, l=8, m=4, n=4} reduction={l, m} need_replication={n}>
func.func @ragged_dot_batched(%a: tensor<2x12x8xf32>, %b: tensor<4x2x8x6xf32>, %g: tensor<2x4xi8>) -> tensor<2x12x6xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x12x8xf32>, tensor<4x2x8x6xf32>, tensor<2x4xi8>) -> tensor<2x12x6xf32>
  return %0 : tensor<2x12x6xf32>
}

// CHECK-LABEL: func.func @ragged_dot_per_group(
// CHECK: #sdy.op_sharding_rule<([l, j], [l, k], [m])->([i, j, k]) {i=4, j=8, k=6, l=12, m=4} reduction={l} need_replication={m}>
func.func @ragged_dot_per_group(%a: tensor<12x8xf32>, %b: tensor<12x6xf32>, %g: tensor<4xi32>) -> tensor<4x8x6xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<12x6xf32>, tensor<4xi32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @ragged_dot_of_batches(
// CHECK: #sdy.op_sharding_rule<([i, j, l], [i, l, k], [m])->([i, j, k]) {i=4, j=6, k=6, l=8, m=2} reduction={l} need_replication={m}>
func.func @ragged_dot_of_batches(%a: tensor<4x6x8xf32>, %b: tensor<4x8x6xf32>, %g: tensor<2xi32>) -> tensor<4x6x6xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<4x6x8xf32>, tensor<4x8x6xf32>, tensor<2xi32>) -> tensor<4x6x6xf32>
  return %0 : tensor<4x6x6xf32>
}

// CHECK-LABEL: func.func @dot(
// CHECK: #sdy.op_sharding_rule<([i], [i])->([]) {i=4} reduction={i}>
func.func @dot(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<f32> {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @dot_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [j])->([i]) {i=4, j=8} reduction={j}>
func.func @dot_2(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @dot_3(
// CHECK: #sdy.op_sharding_rule<([j], [j, i])->([i]) {i=4, j=8} reduction={j}>
func.func @dot_3(%arg0: tensor<8xf32>, %arg1: tensor<8x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @dot_4(
// CHECK: #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>
func.func @dot_4(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @dg(
// CHECK: #sdy.op_sharding_rule<([k, j, n, i], [i, n, l, j, m])->([i, j, k, l, m]) {i=3, j=2, k=4, l=5, m=7, n=8} reduction={n}>
func.func @dg(%arg0: tensor<4x2x8x3xf32>, %arg1: tensor<3x8x5x2x7xf32>) -> tensor<3x2x4x5x7xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [3, 1] x [0, 3], contracting_dims = [2] x [1] : (tensor<4x2x8x3xf32>, tensor<3x8x5x2x7xf32>) -> tensor<3x2x4x5x7xf32>
  return %0 : tensor<3x2x4x5x7xf32>
}

// CHECK-LABEL: func.func @dg_nocontract(
// CHECK: #sdy.op_sharding_rule<([i, j], [k, l])->([i, j, k, l]) {i=4, j=2, k=3, l=8}>
func.func @dg_nocontract(%arg0: tensor<4x2xf32>, %arg1: tensor<3x8xf32>) -> tensor<4x2x3x8xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [] x [] : (tensor<4x2xf32>, tensor<3x8xf32>) -> tensor<4x2x3x8xf32>
  return %0 : tensor<4x2x3x8xf32>
}

// CHECK-LABEL: func.func @dg_allcontract(
// CHECK: #sdy.op_sharding_rule<([i, j], [j, i])->([]) {i=4, j=2} reduction={i, j}>
func.func @dg_allcontract(%arg0: tensor<4x2xf32>, %arg1: tensor<2x4xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 1] x [1, 0] : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @ds(
// CHECK: #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}>
func.func @ds(%arg0: tensor<4x8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<4x3xf32> {
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [4, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @dus(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=3} need_replication={k}>
func.func @dus(%arg0: tensor<4x8xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @dus_const(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=3}>
func.func @dus_const(%arg0: tensor<4x8xf32>, %arg1: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %c, %c : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @dus_sdy_const(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=3}>
func.func @dus_sdy_const(%arg0: tensor<4x8xf32>, %arg1: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %0 = sdy.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_update_slice %arg0, %arg1, %0, %0 : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @dus_iota_conv(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=3} need_replication={k}>
func.func @dus_iota_conv(%arg0: tensor<4x8xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<i32>) -> tensor<4x8xf32> {
  %0 = sdy.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_update_slice %arg0, %arg1, %0, %arg2 : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @ds_full(
// CHECK: #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=4, j=8}>
func.func @ds_full(%arg0: tensor<4x8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [4, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @fft(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=3, j=4, k=8} need_replication={j, k}>
func.func @fft(%arg0: tensor<3x4x8xcomplex<f32>>) -> tensor<3x4x8xcomplex<f32>> {
  %0 = stablehlo.fft %arg0, type =  FFT, length = [4, 8] : (tensor<3x4x8xcomplex<f32>>) -> tensor<3x4x8xcomplex<f32>>
  return %0 : tensor<3x4x8xcomplex<f32>>
}

// CHECK-LABEL: func.func @rfft(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=3, j=4, k=8} need_replication={j, k} blocked_propagation={k}>
func.func @rfft(%arg0: tensor<3x4x8xf32>) -> tensor<3x4x5xcomplex<f32>> {
  %0 = stablehlo.fft %arg0, type =  RFFT, length = [4, 8] : (tensor<3x4x8xf32>) -> tensor<3x4x5xcomplex<f32>>
  return %0 : tensor<3x4x5xcomplex<f32>>
}

// CHECK-LABEL: func.func @irfft(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=3, j=4, k=5} need_replication={j, k} blocked_propagation={k}>
func.func @irfft(%arg0: tensor<3x4x5xcomplex<f32>>) -> tensor<3x4x8xf32> {
  %0 = stablehlo.fft %arg0, type =  IRFFT, length = [4, 8] : (tensor<3x4x5xcomplex<f32>>) -> tensor<3x4x8xf32>
  return %0 : tensor<3x4x8xf32>
}

// CHECK-LABEL: func.func @irfft_odd(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=3, j=1} need_replication={j}>
func.func @irfft_odd(%arg0: tensor<3x1xcomplex<f32>>) -> tensor<3x1xf32> {
  %0 = stablehlo.fft %arg0, type =  IRFFT, length = [1] : (tensor<3x1xcomplex<f32>>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// CHECK-LABEL: func.func @pad_1_0_1_0_0_0(
// DEFAULT: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={i}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={i} blocked_propagation={i}>
func.func @pad_1_0_1_0_0_0(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<6x8xf32> {
  %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// CHECK-LABEL: func.func @pad_0_0_0_0_1_0(
// DEFAULT: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={i}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={i} blocked_propagation={i}>
func.func @pad_0_0_0_0_1_0(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<7x8xf32> {
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}

// CHECK-LABEL: func.func @pad_1_0_1_0_0_0_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8}>
func.func @pad_1_0_1_0_0_0_2(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x8xf32> {
  %0 = stablehlo.pad %arg0, %arg1, low = [-1, 0], high = [1, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pad_0_0_0_0_0_0(
// CHECK: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8}>
func.func @pad_0_0_0_0_0_0(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x8xf32> {
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pad_0_2_0_0_0_0(
// DEFAULT: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
func.func @pad_0_2_0_0_0_0(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x6xf32> {
  %0 = stablehlo.pad %arg0, %arg1, low = [0, -2], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @reduce(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [])->([i, k]) {i=4, j=8, k=6} reduction={j}>
func.func @reduce(%arg0: tensor<4x8x6xf32>, %arg1: tensor<f32>) -> tensor<4x6xf32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<4x8x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @reduce_all(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [])->([]) {i=4, j=8, k=6} reduction={i, j, k}>
func.func @reduce_all(%arg0: tensor<4x8x6xf32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x6xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @reduce_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [i, j, k], [], [])->([j], [j]) {i=4, j=8, k=6} reduction={i, k}>
func.func @reduce_2(%arg0: tensor<4x8x6xf32>, %arg1: tensor<4x8x6xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [0, 2] : (tensor<4x8x6xf32>, tensor<4x8x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
    stablehlo.return %arg4, %arg5 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// CHECK-LABEL: func.func @reduce_none(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=4, j=8, k=6}>
func.func @reduce_none(%arg0: tensor<4x8x6xf32>, %arg1: tensor<f32>) -> tensor<4x8x6xf32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [] : (tensor<4x8x6xf32>, tensor<f32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @rw(
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=7} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=7} permutation={j} blocked_propagation={j}>
func.func @rw(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x7xf32> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// CHECK-LABEL: func.func @rw_stride(
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=4} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=4} permutation={j} blocked_propagation={j}>
func.func @rw_stride(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @rw_pad(
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=10} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=10} permutation={j} blocked_propagation={j}>
func.func @rw_pad(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x10xf32> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// CHECK-LABEL: func.func @rw_samesize_pad(
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
func.func @rw_samesize_pad(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @rw_dil(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=15}>
func.func @rw_dil(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x15xf32> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x15xf32>
  return %0 : tensor<4x15xf32>
}

// CHECK-LABEL: func.func @rw_windil(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8}>
func.func @rw_windil(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @rw_2(
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, j], [i, j]) {i=4, j=7} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, j], [i, j]) {i=4, j=7} permutation={j} blocked_propagation={j}>
func.func @rw_2(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<4x7xf32>, tensor<4x7xi32>) {
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<f32>, %arg7: tensor<i32>):
    stablehlo.return %arg4, %arg5 : tensor<f32>, tensor<i32>
  }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x7xf32>, tensor<4x7xi32>)
  return %0#0, %0#1 : tensor<4x7xf32>, tensor<4x7xi32>
}

// CHECK-LABEL: func.func @reverse(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=6} permutation={i, k}>
func.func @reverse(%arg0: tensor<4x8x6xf32>) -> tensor<4x8x6xf32> {
  %0 = stablehlo.reverse %arg0, dims = [0, 2] : tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @reverse_none(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=6}>
func.func @reverse_none(%arg0: tensor<4x8x6xf32>) -> tensor<4x8x6xf32> {
  %0 = stablehlo.reverse %arg0, dims = [] : tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @rng_bit(
// CHECK: #sdy.op_sharding_rule<([i])->([i], [j, k]) {i=2, j=4, k=8} need_replication={i} blocked_propagation={i}>
func.func @rng_bit(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<4x8xui32>) {
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm =  DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x8xui32>)
  return %output_state, %output : tensor<2xui64>, tensor<4x8xui32>
}

// CHECK-LABEL: func.func @sas(
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([i, k, l], [i, j, l], [])->([i, k, l]) {i=4, j=4, k=8, l=6} need_replication={j} permutation={k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, k, l], [i, j, l], [])->([i, k, l]) {i=4, j=4, k=8, l=6} need_replication={j} permutation={k} blocked_propagation={j, k}>
func.func @sas(%arg0: tensor<4x8x6xf32>, %arg1: tensor<4x4x6xf32>, %arg2: tensor<f32>) -> tensor<4x8x6xf32> {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 2, 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.compare  GE, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8x6xf32>, tensor<4x4x6xf32>, tensor<f32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @sas_pad(
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([], [])->([])>
// DEFAULT: #sdy.op_sharding_rule<([i, k, l], [i, j, l], [])->([i, k, l]) {i=4, j=8, k=8, l=6} need_replication={j} permutation={k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([], [])->([])>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, k, l], [i, j, l], [])->([i, k, l]) {i=4, j=8, k=8, l=6} need_replication={j} permutation={k} blocked_propagation={j, k}>
func.func @sas_pad(%arg0: tensor<4x8x6xf32>, %arg1: tensor<4x8x6xf32>, %arg2: tensor<f32>) -> tensor<4x8x6xf32> {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.compare  GE, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8x6xf32>, tensor<4x8x6xf32>, tensor<f32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// CHECK-LABEL: func.func @slice(
// DEFAULT: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=6} permutation={i, k}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=6} permutation={i, k} blocked_propagation={i, k}>
func.func @slice(%arg0: tensor<4x8x6xf32>) -> tensor<2x8x3xf32> {
  %0 = stablehlo.slice %arg0 [1:3, 0:8, 0:6:2] : (tensor<4x8x6xf32>) -> tensor<2x8x3xf32>
  return %0 : tensor<2x8x3xf32>
}

// CHECK-LABEL: func.func @slice_to_1(
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={i}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={i} blocked_propagation={i}>
func.func @slice_to_1(%arg0: tensor<4x8xf32>) -> tensor<1x8xf32> {
  %0 = stablehlo.slice %arg0 [1:2, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @sort(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} need_replication={j}>
func.func @sort(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare  GE, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @sort_neg(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} need_replication={j}>
func.func @sort_neg(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.sort"(%arg0) <{dimension = -1 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare  GE, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @sort_neg2(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} need_replication={i}>
func.func @sort_neg2(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.sort"(%arg0) <{dimension = -2 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare  GE, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @sort_only(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=1, j=8, k=1} need_replication={j} blocked_propagation={j}>
func.func @sort_only(%arg0: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare  GE, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %0 : tensor<1x8x1xf32>
}

// CHECK-LABEL: func.func @sort1(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i])->([i]) {i=8} need_replication={i} blocked_propagation={i}>
func.func @sort1(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare  GE, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @sort2(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={i}>
func.func @sort2(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    %1 = stablehlo.compare  GE, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xi32>
}

// CHECK-LABEL: func.func @transpose(
// CHECK: #sdy.op_sharding_rule<([j, k, i])->([i, j, k]) {i=6, j=4, k=8}>
func.func @transpose(%arg0: tensor<4x8x6xf32>) -> tensor<6x4x8xf32> {
  %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<4x8x6xf32>) -> tensor<6x4x8xf32>
  return %0 : tensor<6x4x8xf32>
}

// CHECK-LABEL: func.func @transpose0(
// CHECK: #sdy.op_sharding_rule<([])->([])>
func.func @transpose0(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.transpose %arg0, dims = [] : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @ts_true_no_transpose(
// CHECK: #sdy.op_sharding_rule<([i, j, l], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}>
func.func @ts_true_no_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x3x5xf32>) -> tensor<8x3x5xf32> {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  return %0 : tensor<8x3x5xf32>
}

// CHECK-LABEL: func.func @ts_true_transpose(
// CHECK: #sdy.op_sharding_rule<([i, l, j], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}>
func.func @ts_true_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x3x5xf32>) -> tensor<8x3x5xf32> {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  return %0 : tensor<8x3x5xf32>
}

// CHECK-LABEL: func.func @ts_true_adjoint(
// CHECK: #sdy.op_sharding_rule<([i, l, j], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}>
func.func @ts_true_adjoint(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x3x5xf32>) -> tensor<8x3x5xf32> {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  return %0 : tensor<8x3x5xf32>
}

// CHECK-LABEL: func.func @ts_false_no_transpose(
// CHECK: #sdy.op_sharding_rule<([i, l, k], [i, j, k])->([i, j, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}>
func.func @ts_false_no_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x5x3xf32>) -> tensor<8x5x3xf32> {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<8x3x3xf32>, tensor<8x5x3xf32>) -> tensor<8x5x3xf32>
  return %0 : tensor<8x5x3xf32>
}

// CHECK-LABEL: func.func @ts_false_transpose(
// CHECK: #sdy.op_sharding_rule<([i, k, l], [i, j, k])->([i, j, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}>
func.func @ts_false_transpose(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x5x3xf32>) -> tensor<8x5x3xf32> {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<8x3x3xf32>, tensor<8x5x3xf32>) -> tensor<8x5x3xf32>
  return %0 : tensor<8x5x3xf32>
}

// CHECK-LABEL: func.func @ts_false_adjoint(
// CHECK: #sdy.op_sharding_rule<([i, k, l], [i, j, k])->([i, j, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}>
func.func @ts_false_adjoint(%arg0: tensor<8x3x3xf32>, %arg1: tensor<8x5x3xf32>) -> tensor<8x5x3xf32> {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<8x3x3xf32>, tensor<8x5x3xf32>) -> tensor<8x5x3xf32>
  return %0 : tensor<8x5x3xf32>
}

// CHECK-LABEL: func.func @concatenate_of_slices_of_different_values(
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={i}>
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={i}>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8} permutation={j}>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} need_replication={i}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={i} blocked_propagation={i}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={i} blocked_propagation={i}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
// CONSERVATIVE: #sdy.op_sharding_rule<([j, i], [k, i])->([l, i]) {i=8, j=1, k=1, l=1}>
func.func @concatenate_of_slices_of_different_values(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.slice %arg1 [4:8, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.concatenate %2, %2, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @concatenate_of_a_value_and_its_slice(
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j}>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=6} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j} blocked_propagation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=8, j=1, k=1, l=1}>
func.func @concatenate_of_a_value_and_its_slice(%arg0: tensor<8x4xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.slice %arg0 [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.concatenate %0, %arg0, dim = 1 : (tensor<8x2xf32>, tensor<8x4xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @concatenate_of_a_value_and_a_slice_of_a_slice(
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j}>
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=2} permutation={j}>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=5} need_replication={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j} blocked_propagation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=2} permutation={j} blocked_propagation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=8, j=1, k=1, l=1}>
func.func @concatenate_of_a_value_and_a_slice_of_a_slice(%arg0: tensor<8x4xf32>) -> tensor<8x5xf32> {
  %0 = stablehlo.slice %arg0 [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.slice %0 [0:8, 0:1] : (tensor<8x2xf32>) -> tensor<8x1xf32>
  %2 = stablehlo.concatenate %1, %arg0, dim = 1 : (tensor<8x1xf32>, tensor<8x4xf32>) -> tensor<8x5xf32>
  return %2 : tensor<8x5xf32>
}

// CHECK-LABEL: func.func @concatenate_of_one_slice(
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j}>
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=2} permutation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j} blocked_propagation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=1, k=1}>
func.func @concatenate_of_one_slice(%arg0: tensor<8x4xf32>) -> tensor<8x2xf32> {
  %0 = stablehlo.slice %arg0 [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.concatenate %0, dim = 1 : (tensor<8x2xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: func.func @concatenate_of_a_slice_and_another_value(
// DEFAULT: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j}>
// DEFAULT: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=6} need_replication={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j} blocked_propagation={j}>
// CONSERVATIVE: #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=8, j=1, k=1, l=1}>
func.func @concatenate_of_a_slice_and_another_value(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.slice %arg0 [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<8x2xf32>, tensor<8x4xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @attached_rule_wins(
// CHECK: #sdy.op_sharding_rule<([i, j])->([k, j]) {i=8, j=4, k=8}>
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4, k=4}, custom>
func.func @attached_rule_wins(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.tanh %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, j]) {i=8, j=4, k=8}>} : tensor<8x4xf32>
  %1 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4, k=4}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @sdy_ops(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>
func.func @sdy_ops(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.sharding_constraint %arg0 <mesh<["x"=2]>, [{"x"}, {}]> : tensor<8x4xf32>
  %1 = sdy.reshard %0 <mesh<["x"=2]>, [{"x"}, {}]> : tensor<8x4xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x4xf32>
  sdy.sharding_group %2 group_id=0 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
