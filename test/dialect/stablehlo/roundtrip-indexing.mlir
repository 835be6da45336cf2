// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather and scatter, in canonical text: printing gives back every byte, also after the generic form and
// after bytecode.
// RUN: grep -v '^//' %s > %t.mlir
// RUN: echo "" >> %t.mlir
// RUN: shardwise-opt %t.mlir | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -mlir-print-op-generic | shardwise-opt | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -emit-bytecode | shardwise-opt | diff %t.mlir -
module {
  func.func @indexing(%arg0: tensor<10x6xf32>, %arg1: tensor<5x1xi32>, %arg2: tensor<5x6xf32>) -> tensor<10x6xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
    %1 = "stablehlo.scatter"(%arg0, %arg1, %0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>
    return %1 : tensor<10x6xf32>
  }
}
