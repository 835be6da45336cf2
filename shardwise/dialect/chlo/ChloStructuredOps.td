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

def Chlo_ScanOp : Chlo_Op<"scan", [RecursiveMemoryEffects, AttrSizedOperandSegments,
                                   AttrSizedResultSegments, SingleBlock]> {
  let summary = "prefix folds; parsed, not supported";
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Variadic<Stablehlo_Tensor>:$inits,
                       I64Attr:$dimension, DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_Tensor>:$outputs, Variadic<Stablehlo_Tensor>:$carries);
  let hasCustomAssemblyFormat = 1;
}

#endif
