// RUN: shardwise-opt %s -sdy-explicit-gather-scatter-batching | FileCheck %s
// Where the first index counts up along dimension 0, dimension 0 is a batch.

// CHECK-LABEL: func @gather
func.func @gather(%x: tensor<8x16x4xf32>, %i: tensor<8x5x1xi32>) -> tensor<8x5x4xf32> {
  // CHECK-NEXT: "stablehlo.gather"(%arg0, %arg1)
  // CHECK-SAME: offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2
  // CHECK-SAME: indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 4>
  %b = stablehlo.iota dim = 0 : tensor<8x5x1xi32>
  %idx = stablehlo.concatenate %b, %i, dim = 2 : (tensor<8x5x1xi32>, tensor<8x5x1xi32>) -> tensor<8x5x2xi32>
  %g = "stablehlo.gather"(%x, %idx) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<8x16x4xf32>, tensor<8x5x2xi32>) -> tensor<8x5x4xf32>
  return %g : tensor<8x5x4xf32>
}

// CHECK-LABEL: func @scatter
func.func @scatter(%x: tensor<8x16x4xf32>, %i: tensor<8x5x1xi32>, %u: tensor<8x5x4xf32>) -> tensor<8x16x4xf32> {
  // CHECK-NEXT: "stablehlo.scatter"(%arg0, %arg1, %arg2)
  // CHECK-SAME: update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2
  %b = stablehlo.iota dim = 0 : tensor<8x5x1xi32>
  %idx = stablehlo.concatenate %b, %i, dim = 2 : (tensor<8x5x1xi32>, tensor<8x5x1xi32>) -> tensor<8x5x2xi32>
  %g = "stablehlo.scatter"(%x, %idx, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
    ^bb0(%a: tensor<f32>, %b2: tensor<f32>):
      %s = stablehlo.add %a, %b2 : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<8x16x4xf32>, tensor<8x5x2xi32>, tensor<8x5x4xf32>) -> tensor<8x16x4xf32>
  return %g : tensor<8x16x4xf32>
}

// The way JAX writes x[arange(8), i]: negative indices are wrapped, which positions never are.
// CHECK-LABEL: func @wrapped
func.func @wrapped(%x: tensor<8x16xf32>, %i: tensor<8x1xi32>) -> tensor<8xf32> {
  // CHECK-NEXT: "stablehlo.gather"(%arg0, %arg1)
  // CHECK-SAME: operand_batching_dims = [0]
  %p = stablehlo.iota dim = 0 : tensor<8xi32>
  %zero = stablehlo.constant dense<0> : tensor<8xi32>
  %eight = stablehlo.constant dense<8> : tensor<8xi32>
  %negative = stablehlo.compare LT, %p, %zero : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %wrapped = stablehlo.add %p, %eight : tensor<8xi32>
  %s = stablehlo.select %negative, %wrapped, %p : tensor<8xi1>, tensor<8xi32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
  %idx = stablehlo.concatenate %b, %i, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %g = "stablehlo.gather"(%x, %idx) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x16xf32>, tensor<8x2xi32>) -> tensor<8xf32>
  return %g : tensor<8xf32>
}

// What is left of several components is concatenated or cut out.
// CHECK-LABEL: func @three_components
func.func @three_components(%x: tensor<8x16x4xf32>, %i: tensor<8x5x1xi32>, %j: tensor<8x5x1xi32>, %ij: tensor<8x5x2xi32>) -> (tensor<8x5xf32>, tensor<8x5xf32>) {
  // CHECK: %[[IJ:.*]] = stablehlo.concatenate %arg1, %arg2, dim = 2
  // CHECK-NEXT: "stablehlo.gather"(%arg0, %[[IJ]])
  // CHECK-SAME: start_index_map = [1, 2]
  // CHECK: %[[CUT:.*]] = stablehlo.slice {{.*}} [0:8, 0:5, 1:3]
  // CHECK-NEXT: "stablehlo.gather"(%arg0, %[[CUT]])
  // CHECK-SAME: start_index_map = [2, 1]
  %b = stablehlo.iota dim = 0 : tensor<8x5x1xi32>
  %idx = stablehlo.concatenate %i, %b, %j, dim = 2 : (tensor<8x5x1xi32>, tensor<8x5x1xi32>, tensor<8x5x1xi32>) -> tensor<8x5x3xi32>
  %g = "stablehlo.gather"(%x, %idx) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 0, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x4xf32>, tensor<8x5x3xi32>) -> tensor<8x5xf32>
  %c = stablehlo.iota dim = 0 : tensor<8x5x1xi32>
  %idx2 = stablehlo.concatenate %c, %ij, dim = 2 : (tensor<8x5x1xi32>, tensor<8x5x2xi32>) -> tensor<8x5x3xi32>
  %h = "stablehlo.gather"(%x, %idx2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 2, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x4xf32>, tensor<8x5x3xi32>) -> tensor<8x5xf32>
  return %g, %h : tensor<8x5xf32>, tensor<8x5xf32>
}

// Not positions along dimension 0: clamped below it, mixed by a reshape, chosen by a predicate.
// CHECK-LABEL: func @not_positions
// CHECK-NOT: operand_batching_dims
// CHECK: return
func.func @not_positions(%x: tensor<8x16xf32>, %i: tensor<8x1xi32>, %p: tensor<8x1xi1>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %b = stablehlo.iota dim = 0 : tensor<8x1xi32>
  %b1 = stablehlo.clamp %zero, %b, %three : (tensor<i32>, tensor<8x1xi32>, tensor<i32>) -> tensor<8x1xi32>
  %idx1 = stablehlo.concatenate %b1, %i, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %g1 = "stablehlo.gather"(%x, %idx1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x16xf32>, tensor<8x2xi32>) -> tensor<8xf32>
  %two_by_four = stablehlo.iota dim = 0 : tensor<2x4xi32>
  %b2 = stablehlo.reshape %two_by_four : (tensor<2x4xi32>) -> tensor<8x1xi32>
  %idx2 = stablehlo.concatenate %b2, %i, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %g2 = "stablehlo.gather"(%x, %idx2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x16xf32>, tensor<8x2xi32>) -> tensor<8xf32>
  %b3 = stablehlo.select %p, %b, %i : tensor<8x1xi1>, tensor<8x1xi32>
  %idx3 = stablehlo.concatenate %b3, %i, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %g3 = "stablehlo.gather"(%x, %idx3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x16xf32>, tensor<8x2xi32>) -> tensor<8xf32>
  return %g1, %g2, %g3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
