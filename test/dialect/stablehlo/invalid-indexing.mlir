// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather and scatter, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// gather (C1): rank
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{offset_dims size (2) plus collapsed_slice_dims size (1) plus operand_batching_dims size (0) is not equal to operand rank (2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C3): index_vector_dim
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{index_vector_dim 3 is out of bounds for indices of rank 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C3): size of the index map
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{start_index_map size (2) is not equal to size of index dimension (1) of the indices (1)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C3): range of the index map
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{start_index_map has dimension 2 outside [0, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C5): offset_dims are sorted
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{expects offset_dims to be sorted}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6x1xf32>
  return
}

// -----

// gather (C5): offset_dims are in range
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{offset_dims has dimension 2 outside [0, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C2): collapsed dims are in range
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{collapsed_slice_dims has dimension 2 outside [0, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C2): collapsed and batching dims are disjoint
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{has duplicate dimension 0 in collapsed_slice_dims and operand_batching_dims}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C4): collapsed slice sizes
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{collapsed or batching dimension 0 should have slice size 0 or 1, got 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C3): index map without batching dims
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{has duplicate dimension 0 in start_index_map and operand_batching_dims}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C3): batching dims without index_vector_dim
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{expects start_indices_batching_dims not to include index_vector_dim 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C3): as many batching dims
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{operand_batching_dims and start_indices_batching_dims should have the same size, got 1 and 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C3): sizes of batching dims
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{operand_batching_dims[0] and start_indices_batching_dims[0] must have one size, got 10 and 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C4): number of slice sizes
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{slice_sizes size (1) not equal to operand rank (2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather (C4): slice sizes
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{slice size (7) is out of bounds for operand dimension (6) at index 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// gather: result type
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<5x6xf32>' are incompatible with return type(s) of operation 'tensor<6x5xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<6x5xf32>
  return
}

// -----

// scatter (C3): rank
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  // expected-error@+1 {{update_window_dims size (0) plus inserted_window_dims size (1) plus input_batching_dims size (0) is not equal to operand rank (2)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C7): update_window_dims are in range
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  // expected-error@+1 {{update_window_dims has dimension 2 outside [0, 2)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C6): rank of the updates
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6x1xf32>) {
  // expected-error@+1 {{expects updates tensor must be of rank 2 (rank of the indices without index_vector_dim plus update_window_dims), got 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6x1xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C5): size of the index map
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims size (2) is not equal to size of index dimension (1) of the indices (1)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C8): windows fit
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x7xf32>) {
  // expected-error@+1 {{expects bounds of the window dimensions of updates to not exceed the bounds of the input, got 7 > 6 in dimension 1}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C8): scatter dims
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<4x6xf32>) {
  // expected-error@+1 {{expects bounds of the scatter dimensions of updates to be same as those of the scatter indices, got 4 and 5 in dimension 0}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<4x6xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C2): reducer
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  // expected-error@+1 {{Reduction-region must take 2 parameters, but takes 1 parameter(s)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C2): result type
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<10x6xf32>' are incompatible with return type(s) of operation 'tensor<6x10xf32>'}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<6x10xf32>
  return
}

// -----

// scatter (C1): at least one input
func.func @f(%i: tensor<5x1xi32>) {
  // expected-error@+1 {{expects at least one input}}
  "stablehlo.scatter"(%i) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1>}> ({
    stablehlo.return
  }) : (tensor<5x1xi32>) -> ()
  return
}

// -----

// scatter (C1): inputs of one shape
func.func @f(%a: tensor<10xf32>, %b: tensor<9xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>) {
  // expected-error@+1 {{expects all inputs to have one shape, got 'tensor<10xf32>' and 'tensor<9xf32>'}}
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %y0: tensor<f32>, %y1: tensor<f32>):
    stablehlo.return %y0, %y1 : tensor<f32>, tensor<f32>
  }) : (tensor<10xf32>, tensor<9xf32>, tensor<5x1xi32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<10xf32>, tensor<9xf32>)
  return
}

// -----

// scatter (C1): updates of one shape
func.func @f(%a: tensor<10xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{expects all updates to have one shape, got 'tensor<5xf32>' and 'tensor<4xf32>'}}
  %0:2 = "stablehlo.scatter"(%a, %a, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %y0: tensor<f32>, %y1: tensor<f32>):
    stablehlo.return %y0, %y1 : tensor<f32>, tensor<f32>
  }) : (tensor<10xf32>, tensor<10xf32>, tensor<5x1xi32>, tensor<5xf32>, tensor<4xf32>) -> (tensor<10xf32>, tensor<10xf32>)
  return
}

// -----

// scatter (C4): inserted dims are in range
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  // expected-error@+1 {{inserted_window_dims has dimension 2 outside [0, 2)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
  return
}

// -----

// scatter (C4): inserted dims are sorted
func.func @f(%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>) {
  // expected-error@+1 {{expects inserted_window_dims to be sorted}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<10x6xf32>
  return
}
