// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes at computed places.

#ifndef SHARDWISE_DIALECT_STABLEHLO_INDEXINGOPS
#define SHARDWISE_DIALECT_STABLEHLO_INDEXINGOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

def Stablehlo_GatherOp : Stablehlo_Op<"gather", [Pure, Stablehlo_InfersTypes]> {
  let summary = "collects slices of the operand at start indices, which are clamped to fit";
  let description = [{
    An index_vector_dim equal to the rank of start_indices means an index vector of size 1.

    **Constraints**
    - rank(operand) = |offset_dims| + |collapsed_slice_dims| + |operand_batching_dims|
    - 0 <= index_vector_dim <= rank(start_indices)
    - |start_index_map| is the size of the index vector; its entries are unique, in range
      and not in operand_batching_dims
    - offset_dims are sorted, unique and in range of the result
    - collapsed_slice_dims and operand_batching_dims are sorted, unique, disjoint and in range
    - slice sizes are 0 or 1 on collapsed and batching dimensions
    - start_indices_batching_dims are unique, in range, without index_vector_dim, and match
      operand_batching_dims in number and sizes
    - one slice size per dimension, 0 <= size <= dimension
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_IntTensor:$start_indices,
                       Stablehlo_GatherDimensionNumbersAttr:$dimension_numbers,
                       DenseI64ArrayAttr:$slice_sizes,
                       Stablehlo_FalseByDefault:$indices_are_sorted);
  let results = (outs Stablehlo_Tensor:$result);
}

def Stablehlo_ScatterOp : Stablehlo_Op<"scatter", [RecursiveMemoryEffects,
    RecursivelySpeculatable, SameVariadicOperandSize, SingleBlock]> {
  let summary = "folds updates into the inputs at scatter indices; elements outside are skipped";
  let description = [{
    **Constraints**
    - n inputs of one shape, n updates of one shape, n results
    - rank(input) = |update_window_dims| + |inserted_window_dims| + |input_batching_dims|
    - 0 <= index_vector_dim <= rank(scatter_indices)
    - update_window_dims are sorted, unique and in range of the updates
    - inserted_window_dims and input_batching_dims are sorted, unique, disjoint and in range
    - scatter_indices_batching_dims are unique, in range, without index_vector_dim, and match
      input_batching_dims in number and sizes
    - |scatter_dims_to_operand_dims| is the size of the index vector; its entries are unique,
      in range and not in input_batching_dims
    - rank(updates) = |update_window_dims| + rank of the indices without the index vector
    - update windows fit into the input; the other update sizes are those of the indices
    - update_computation is a reducer over scalars
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Stablehlo_IntTensor:$scatter_indices,
                       Variadic<Stablehlo_Tensor>:$updates,
                       Stablehlo_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       Stablehlo_FalseByDefault:$indices_are_sorted,
                       Stablehlo_FalseByDefault:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
