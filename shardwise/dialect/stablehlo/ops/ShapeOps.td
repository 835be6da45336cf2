// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of tensors, and ops that move elements without looking at them.

#ifndef SHARDWISE_DIALECT_STABLEHLO_SHAPEOPS
#define SHARDWISE_DIALECT_STABLEHLO_SHAPEOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

def Stablehlo_ConstantOp : Stablehlo_Op<"constant",
    [ConstantLike, Pure, Stablehlo_InfersTypes,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "tensor of known values";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Stablehlo_Tensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}

def Stablehlo_IotaOp : Stablehlo_Op<"iota", [Pure]> {
  let summary = "index along one dimension";
  let description = [{
    **Constraints**
    - the result is not a scalar
    - iota_dimension is a dimension of the result
  }];
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs Stablehlo_IotaTensor:$output);
  let hasVerifier = 1;
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}

def Stablehlo_BroadcastInDimOp : Stablehlo_Op<"broadcast_in_dim", [Pure]> {
  let summary = "maps operand dimensions to result dimensions and repeats along the others";
  let description = [{
    **Constraints**
    - operand and result have one element type
    - one broadcast dimension per operand dimension, unique, in range of the result
    - the operand size is 1 or equal to the result size of its dimension
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
}

def Stablehlo_ReshapeOp : Stablehlo_Op<"reshape", [Pure]> {
  let summary = "same elements in row-major order under another shape";
  let description = [{
    **Constraints**
    - operand and result have one element type and one number of elements
  }];
  let arguments = (ins Stablehlo_Tensor:$operand);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Stablehlo_TransposeOp : Stablehlo_Op<"transpose", [Pure, Stablehlo_InfersTypes]> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let description = [{
    **Constraints**
    - permutation is a permutation of the dimensions
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
}

def Stablehlo_ReverseOp : Stablehlo_Op<"reverse", [Pure] # Stablehlo_SameTypes> {
  let summary = "reverses the order along the given dimensions";
  let description = [{
    **Constraints**
    - dimensions are unique and in range
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def Stablehlo_SliceOp : Stablehlo_Op<"slice", [Pure, Stablehlo_InfersTypes]> {
  let summary = "block of a tensor, possibly with strides";
  let description = [{
    **Constraints**
    - start_indices, limit_indices and strides have one entry per dimension
    - 0 <= start <= limit <= size and stride > 0
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Stablehlo_DynamicSliceOp : Stablehlo_Op<"dynamic_slice", [Pure, Stablehlo_InfersTypes]> {
  let summary = "block of a tensor at a computed start, which is clamped to fit";
  let description = [{
    **Constraints**
    - one start index per dimension, all of one type
    - one slice size per dimension, 0 <= size <= dimension
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, Variadic<Stablehlo_IntScalar>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Stablehlo_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// A rank-0 operand has no custom form that parses; such an op prints generically.
    static ::mlir::OperationName::PrintAssemblyFn getPrintAssemblyFn();
  }];
}

def Stablehlo_DynamicUpdateSliceOp
    : Stablehlo_Op<"dynamic_update_slice", [Pure, Stablehlo_InfersTypes]> {
  let summary = "replaces a block at a computed start, which is clamped to fit";
  let description = [{
    **Constraints**
    - operand and update have one element type and one rank
    - one start index per dimension, all of one type
    - update sizes do not exceed operand sizes
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Tensor:$update,
                       Variadic<Stablehlo_IntScalar>:$start_indices);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Stablehlo_ConcatenateOp : Stablehlo_Op<"concatenate", [Pure, Stablehlo_InfersTypes]> {
  let summary = "operands one after the other along a dimension";
  let description = [{
    **Constraints**
    - at least one operand, of rank 1 or more
    - one element type, one rank, equal sizes except along the dimension
    - the dimension is in range
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsBeforeAttribute>($inputs) `dim` `=` $dimension attr-dict `:`
    functional-type(operands, results)
  }];
}

def Stablehlo_PadOp : Stablehlo_Op<"pad", [Pure, Stablehlo_InfersTypes]> {
  let summary = "adds padding at the ends of and between elements, or cuts the ends";
  let description = [{
    **Constraints**
    - padding_value is rank 0 and has the element type of the operand
    - one low, high and interior size per dimension, interior >= 0
    - no result size is negative
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Tensor:$padding_value,
                       DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
                       DenseI64ArrayAttr:$interior_padding);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=`
    $edge_padding_high `,` `interior` `=` $interior_padding attr-dict `:`
    functional-type(operands, results)
  }];
}

def Stablehlo_GetDimensionSizeOp
    : Stablehlo_Op<"get_dimension_size", [Pure, Stablehlo_InfersTypes]> {
  let summary = "size of one dimension";
  let description = [{
    **Constraints**
    - the dimension is in range
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, I64Attr:$dimension);
  let results = (outs Stablehlo_Int32Scalar:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}

#endif
