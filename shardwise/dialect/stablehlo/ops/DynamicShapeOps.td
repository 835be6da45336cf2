// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on dynamic shapes. Parsed only: checkSupported refuses them.

#ifndef SHARDWISE_DIALECT_STABLEHLO_DYNAMICSHAPEOPS
#define SHARDWISE_DIALECT_STABLEHLO_DYNAMICSHAPEOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

def Stablehlo_DynamicBroadcastInDimOp : Stablehlo_UncheckedOp<"dynamic_broadcast_in_dim",
    (ins Stablehlo_Tensor:$operand, Stablehlo_DimensionTensor:$output_dimensions,
         DenseI64ArrayAttr:$broadcast_dimensions,
         Stablehlo_OptionalDims:$known_expanding_dimensions,
         Stablehlo_OptionalDims:$known_nonexpanding_dimensions)> {
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
}
def Stablehlo_DynamicConvOp : Stablehlo_UncheckedOp<"dynamic_conv",
    !con((ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs,
              Stablehlo_DimensionTensor:$d_padding), Stablehlo_ConvolutionAttributes)>;
def Stablehlo_DynamicGatherOp : Stablehlo_UncheckedOp<"dynamic_gather",
    (ins Stablehlo_Tensor:$operand, Stablehlo_IntTensor:$start_indices,
         Stablehlo_DimensionTensor:$slice_sizes,
         Stablehlo_GatherDimensionNumbersAttr:$dimension_numbers,
         Stablehlo_FalseByDefault:$indices_are_sorted)>;
def Stablehlo_DynamicIotaOp : Stablehlo_UncheckedOp<"dynamic_iota",
    (ins Stablehlo_DimensionTensor:$output_shape, I64Attr:$iota_dimension)> {
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)
  }];
}
def Stablehlo_DynamicPadOp : Stablehlo_UncheckedOp<"dynamic_pad",
    (ins Stablehlo_Tensor:$operand, Stablehlo_Tensor:$padding_value,
         Stablehlo_DimensionTensor:$edge_padding_low,
         Stablehlo_DimensionTensor:$edge_padding_high,
         Stablehlo_DimensionTensor:$interior_padding)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Stablehlo_DynamicReshapeOp : Stablehlo_UncheckedOp<"dynamic_reshape",
    (ins Stablehlo_Tensor:$operand, Stablehlo_DimensionTensor:$output_shape)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Stablehlo_RealDynamicSliceOp : Stablehlo_UncheckedOp<"real_dynamic_slice",
    (ins Stablehlo_Tensor:$operand, Stablehlo_DimensionTensor:$start_indices,
         Stablehlo_DimensionTensor:$limit_indices, Stablehlo_DimensionTensor:$strides)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Stablehlo_SetDimensionSizeOp : Stablehlo_UncheckedOp<"set_dimension_size",
    (ins Stablehlo_Tensor:$operand, Stablehlo_Int32Scalar:$size, I64Attr:$dimension)> {
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif
