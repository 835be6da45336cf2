// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that are not elementwise.

#ifndef SHARDWISE_DIALECT_CHLO_CHLOSTRUCTUREDOPS
#define SHARDWISE_DIALECT_CHLO_CHLOSTRUCTUREDOPS

include "shardwise/dialect/chlo/ChloBase.td"

def Chlo_TopKOp : Chlo_Op<"top_k", [Pure, Stablehlo_InfersTypes]> {
  let summary = "the k largest elements along the last dimension, descending, and their indices";
  let description = [{
    **Constraints**
    - the operand has rank at least 1; its last dimension has at least k elements
    - k is not negative
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs Stablehlo_Tensor:$values, Stablehlo_Tensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:`
    type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

def Chlo_RaggedDotOp : Chlo_Op<"ragged_dot", [Pure]> {
  let summary = "a product per group of consecutive lhs slices, of sizes known at run time";
  let description = [{
    The one ragged dimension of lhs is free (rhs has a group dimension), contracting (the
    result has a leading group dimension) or batching.

    **Constraints**
    - lhs has exactly one ragged dimension, in range
    - a free ragged dimension needs one group dimension of rhs, others none
    - the other lists are as in dot_general
    - the last dimension of group_sizes is the number of groups
  }];
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs,
                       Stablehlo_IntTensor:$group_sizes,
                       Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
                       OptionalAttr<TypedArrayAttrBase<Chlo_PrecisionAttr,
                                                       "precision config">>:$precision_config);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Chlo_ScanOp : Chlo_Op<"scan", [RecursiveMemoryEffects, RecursivelySpeculatable,
    AttrSizedOperandSegments, AttrSizedResultSegments, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "runs a body along one dimension, and hands carries from each step to the next";
  let description = [{
    ```mlir
    %outputs, %carries = chlo.scan(%x) inits (%init) dimension=1 {
    ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
      %sum = stablehlo.add %input, %carry : tensor<4xf32>
      stablehlo.return %sum, %sum : tensor<4xf32>, tensor<4xf32>
    } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
    ```
    gives the prefix sums of every row of `%x`, and the sum of every row. Step i takes the slices of
    the inputs at index i of the dimension, and the carries that the step before returned, at first
    the inits. It returns the slices of the outputs at index i, and the next carries; the last ones
    are results. `is_reverse` starts with the last index. `is_associative` promises that steps may be
    grouped otherwise; it changes no value here. `scan_dim_size` is the number of steps where no
    input shows it.

    **Constraints**
    - there is an input or an output
    - the dimension is in range, and has one size for all inputs, that of scan_dim_size if given
    - the body takes a slice of each input, then the inits
    - the body returns a slice of each output, then carries of the types of the inits
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Variadic<Stablehlo_Tensor>:$inits,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative,
                       OptionalAttr<I64Attr>:$scan_dim_size);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_Tensor>:$outputs, Variadic<Stablehlo_Tensor>:$carries);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns how many steps there are.
    int64_t getNumSteps();
    /// Returns the type of the slices of `tensor`, the type of an input or output: it lacks the
    /// scanned dimension.
    ::mlir::RankedTensorType getSliceType(::mlir::Type tensor);
    /// Whether a step computes every element from those at the same place of its arguments: all
    /// tensors of the body have one shape, or are scalars.
    bool isPointwise();
  }];
}

#endif
