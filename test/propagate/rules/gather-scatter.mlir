// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules 2>/dev/null | FileCheck %s
// RUN: shardwise-opt %s -sdy-populate-op-sharding-rules=conservative-propagation=true 2>/dev/null | FileCheck %s

// Offset, batch and collapsed dimensions, and the dimension of the index vectors.

// CHECK-LABEL: func.func @gather_various(
// CHECK: #sdy.op_sharding_rule<([m, k, l], [i, j, n])->([i, j, k, l]) {i=2, j=3, k=4, l=2, m=3, n=2} reduction={m} need_replication={k, n} blocked_propagation={k}>
func.func @gather_various(%arg0: tensor<3x4x2xf32>, %arg1: tensor<2x3x2xi64>) -> tensor<2x3x2x2xf32> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

// CHECK-LABEL: func.func @gather_batching_dims_index_vector_1(
// CHECK: #sdy.op_sharding_rule<([m, n, j, k], [i, o, m, n])->([i, j, l, m, n]) {i=2, j=4, k=2, l=1, m=5, n=3, o=2} reduction={k} need_replication={j, l, o} blocked_propagation={j}>
func.func @gather_batching_dims_index_vector_1(%arg0: tensor<5x3x4x2xf32>, %arg1: tensor<2x2x5x3xi64>) -> tensor<2x2x1x5x3xf32> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0, 1], start_indices_batching_dims = [2, 3], start_index_map = [2, 3], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 2, 1>}> : (tensor<5x3x4x2xf32>, tensor<2x2x5x3xi64>) -> tensor<2x2x1x5x3xf32>
  return %0 : tensor<2x2x1x5x3xf32>
}

// CHECK-LABEL: func.func @gather_implicit_index_vector(
// CHECK: #sdy.op_sharding_rule<([l, k], [i, j])->([i, j, k]) {i=6, j=7, k=4, l=10} reduction={l}>
func.func @gather_implicit_index_vector(%arg0: tensor<10x4xf32>, %arg1: tensor<6x7xi64>) -> tensor<6x7x4xf32> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<6x7xi64>) -> tensor<6x7x4xf32>
  return %0 : tensor<6x7x4xf32>
}

// CHECK-LABEL: func.func @gather_collapsed_dim_of_size_1_slice_1_index_vector_0(
// CHECK: #sdy.op_sharding_rule<([m, i, l], [n, k])->([j, k, l]) {i=4, j=1, k=6, l=1, m=1, n=2} reduction={i} need_replication={j, m, n}>
func.func @gather_collapsed_dim_of_size_1_slice_1_index_vector_0(%arg0: tensor<1x4x1xf32>, %arg1: tensor<2x6xi64>) -> tensor<1x6x1xf32> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [0], start_index_map = [0, 1]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<1x4x1xf32>, tensor<2x6xi64>) -> tensor<1x6x1xf32>
  return %0 : tensor<1x6x1xf32>
}

// CHECK-LABEL: func.func @gather_rank_1_index_scalar(
// CHECK: #sdy.op_sharding_rule<([j, i], [k])->([i]) {i=4, j=8, k=2} reduction={j} need_replication={k}>
func.func @gather_rank_1_index_scalar(%arg0: tensor<8x4xf32>, %arg1: tensor<2xi64>) -> tensor<4xf32> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @scatter_add_multi_input(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([m, j, l], [m, j, l], [i, n], [i, k, l], [i, k, l])->([m, j, l], [m, j, l]) {i=5, j=4, k=3, l=6, m=8, n=2} reduction={i} need_replication={j, k, n}>
func.func @scatter_add_multi_input(%arg0: tensor<8x4x6xf32>, %arg1: tensor<8x4x6xf32>, %arg2: tensor<5x2xi64>, %arg3: tensor<5x3x6xf32>, %arg4: tensor<5x3x6xf32>) -> (tensor<8x4x6xf32>, tensor<8x4x6xf32>) {
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
    %1 = stablehlo.add %arg7, %arg5 : tensor<f32>
    %2 = stablehlo.add %arg6, %arg8 : tensor<f32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
  }) : (tensor<8x4x6xf32>, tensor<8x4x6xf32>, tensor<5x2xi64>, tensor<5x3x6xf32>, tensor<5x3x6xf32>) -> (tensor<8x4x6xf32>, tensor<8x4x6xf32>)
  return %0#0, %0#1 : tensor<8x4x6xf32>, tensor<8x4x6xf32>
}

// CHECK-LABEL: func.func @scatter_mixed_kinds(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([m, j, l], [m, j, l], [i, n], [i, k, l], [i, k, l])->([m, j, l], [m, j, l]) {i=5, j=4, k=3, l=6, m=8, n=2} need_replication={i, j, k, n}>
func.func @scatter_mixed_kinds(%arg0: tensor<8x4x6xf32>, %arg1: tensor<8x4x6xf32>, %arg2: tensor<5x2xi64>, %arg3: tensor<5x3x6xf32>, %arg4: tensor<5x3x6xf32>) -> (tensor<8x4x6xf32>, tensor<8x4x6xf32>) {
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
    %1 = stablehlo.add %arg7, %arg5 : tensor<f32>
    %2 = stablehlo.multiply %arg6, %arg8 : tensor<f32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
  }) : (tensor<8x4x6xf32>, tensor<8x4x6xf32>, tensor<5x2xi64>, tensor<5x3x6xf32>, tensor<5x3x6xf32>) -> (tensor<8x4x6xf32>, tensor<8x4x6xf32>)
  return %0#0, %0#1 : tensor<8x4x6xf32>, tensor<8x4x6xf32>
}

// CHECK-LABEL: func.func @scatter_overwrite(
// CHECK: #sdy.op_sharding_rule<([k, j], [i, l], [i, j])->([k, j]) {i=5, j=4, k=8, l=1} need_replication={i, l}>
func.func @scatter_overwrite(%arg0: tensor<8x4xf32>, %arg1: tensor<5x1xi64>, %arg2: tensor<5x4xf32>) -> tensor<8x4xf32> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg4 : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @scatter_and_i1_or_i32_add_same(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([k, j], [i, l], [i, j])->([k, j]) {i=5, j=4, k=8, l=1} reduction={i} need_replication={l}>
func.func @scatter_and_i1_or_i32_add_same(%arg0: tensor<8x4xi1>, %arg1: tensor<5x1xi64>, %arg2: tensor<5x4xi1>) -> tensor<8x4xi1> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%arg3: tensor<i1>, %arg4: tensor<i1>):
    %1 = stablehlo.and %arg3, %arg4 : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8x4xi1>, tensor<5x1xi64>, tensor<5x4xi1>) -> tensor<8x4xi1>
  return %0 : tensor<8x4xi1>
}

// CHECK-LABEL: func.func @or_i32(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([k, j], [i, l], [i, j])->([k, j]) {i=5, j=4, k=8, l=1} need_replication={i, l}>
func.func @or_i32(%arg0: tensor<8x4xi32>, %arg1: tensor<5x1xi64>, %arg2: tensor<5x4xi32>) -> tensor<8x4xi32> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
    %1 = stablehlo.or %arg3, %arg4 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<8x4xi32>, tensor<5x1xi64>, tensor<5x4xi32>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

// CHECK-LABEL: func.func @add_same_arg_twice(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([k, j], [i, l], [i, j])->([k, j]) {i=5, j=4, k=8, l=1} need_replication={i, l}>
func.func @add_same_arg_twice(%arg0: tensor<8x4xi32>, %arg1: tensor<5x1xi64>, %arg2: tensor<5x4xi32>) -> tensor<8x4xi32> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
    %1 = stablehlo.add %arg4, %arg4 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<8x4xi32>, tensor<5x1xi64>, tensor<5x4xi32>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

// CHECK-LABEL: func.func @scatter_batching(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([j, l, k], [i, j, m], [i, j, k])->([j, l, k]) {i=7, j=5, k=4, l=8, m=1} reduction={i} need_replication={m}>
func.func @scatter_batching(%arg0: tensor<5x8x4xf32>, %arg1: tensor<7x5x1xi64>, %arg2: tensor<7x5x4xf32>) -> tensor<5x8x4xf32> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x8x4xf32>, tensor<7x5x1xi64>, tensor<7x5x4xf32>) -> tensor<5x8x4xf32>
  return %0 : tensor<5x8x4xf32>
}

// CHECK-LABEL: func.func @scatter_full_window_no_batch(
// CHECK: #sdy.op_sharding_rule<([], [])->([])>
// CHECK: #sdy.op_sharding_rule<([i, j, l], [m], [i, k, l])->([i, j, l]) {i=5, j=8, k=3, l=4, m=1} need_replication={j, k, m}>
func.func @scatter_full_window_no_batch(%arg0: tensor<5x8x4xf32>, %arg1: tensor<1xi64>, %arg2: tensor<5x3x4xf32>) -> tensor<5x8x4xf32> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.minimum %arg3, %arg4 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x8x4xf32>, tensor<1xi64>, tensor<5x3x4xf32>) -> tensor<5x8x4xf32>
  return %0 : tensor<5x8x4xf32>
}
