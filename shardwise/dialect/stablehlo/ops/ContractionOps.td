// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products summed over contracted dimensions: dot_general, dot, convolution.

#ifndef SHARDWISE_DIALECT_STABLEHLO_CONTRACTIONOPS
#define SHARDWISE_DIALECT_STABLEHLO_CONTRACTIONOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

def Stablehlo_DotGeneralOp : Stablehlo_Op<"dot_general", [Pure]> {
  let summary = "batched product of two tensors, summed over the contracting dimensions";
  let description = [{
    The result has the batching dimensions (in the order of lhs), the remaining dimensions
    of lhs and those of rhs.

    **Constraints**
    - batching lists have one length; so have contracting lists
    - the dimensions listed for one operand are distinct and in range
    - paired dimensions have one size
    - precision_config has at most two entries, all DEFAULT if there is an algorithm
  }];
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs,
                       Stablehlo_DotDimensionNumbersAttr:$dot_dimension_numbers,
                       Stablehlo_PrecisionConfigAttr:$precision_config,
                       OptionalAttr<Stablehlo_DotAlgorithmAttr>:$algorithm);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
    `` custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Stablehlo_DotOp : Stablehlo_Op<"dot", [Pure]> {
  let summary = "product of vectors and matrices";
  let description = [{
    **Constraints**
    - ranks are 1 or 2
    - the last dimension of lhs and the first of rhs have one size
  }];
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs,
                       Stablehlo_PrecisionConfigAttr:$precision_config);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Stablehlo_ConvolutionOp : Stablehlo_Op<"convolution", [Pure]> {
  let summary = "slides a kernel over spatial dimensions and contracts the features";
  let description = [{
    **Constraints**
    - operands have one element type and one rank, which is at least 2
    - dimension numbers are distinct and in range, one spatial dimension per further rank
    - one stride, padding pair, dilation and reversal per spatial dimension; strides and
      dilations are positive
    - group counts are positive and not both above 1
    - batch_group_count divides the batch, feature_group_count the input features
    - kernel input features are input features / feature_group_count
    - both counts divide the kernel output features
    - precision_config has at most two entries
  }];
  let arguments = !con((ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs),
                       Stablehlo_ConvolutionAttributes);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                                              $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif
