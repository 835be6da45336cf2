// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops of one operand. Those with a choice of accuracy: TranscendentalOps.td.

#ifndef SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEUNARYOPS
#define SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEUNARYOPS

include "shardwise/dialect/stablehlo/ops/ElementwiseBase.td"

def Stablehlo_AbsOp : Stablehlo_UnaryBase<"abs", Stablehlo_SignedFloatOrComplexTensor,
    Stablehlo_SignedFloatOrComplexTensor, [SameOperandsAndResultShape, Stablehlo_InfersTypes]> {
  let summary = "absolute value; of a complex number its modulus";
}
def Stablehlo_RealOp : Stablehlo_UnaryBase<"real", Stablehlo_PlainFloatOrComplexTensor,
    Stablehlo_PlainFloatTensor, [SameOperandsAndResultShape, Stablehlo_InfersTypes]> {
  let summary = "real part";
}
def Stablehlo_ImagOp : Stablehlo_UnaryBase<"imag", Stablehlo_PlainFloatOrComplexTensor,
    Stablehlo_PlainFloatTensor, [SameOperandsAndResultShape, Stablehlo_InfersTypes]> {
  let summary = "imaginary part";
}
def Stablehlo_IsFiniteOp : Stablehlo_ElementwiseOp<"is_finite",
    [SameOperandsAndResultShape, Stablehlo_InfersTypes]> {
  let summary = "true where the value is neither infinite nor NaN";
  let arguments = (ins Stablehlo_FloatTensor:$x);
  let results = (outs Stablehlo_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def Stablehlo_ConvertOp : Stablehlo_UnaryBase<"convert", Stablehlo_Tensor, Stablehlo_Tensor,
                                              [SameOperandsAndResultShape]> {
  let summary = "converts to another element type";
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$elementType), [{
    build($_builder, $_state,
          ::llvm::cast<::mlir::RankedTensorType>(operand.getType()).clone(elementType), operand);
  }]>];
}
def Stablehlo_ReducePrecisionOp
    : Stablehlo_ElementwiseOp<"reduce_precision", Stablehlo_SameTypes> {
  let summary = "rounds to fewer exponent and mantissa bits";
  let description = [{
    **Constraints**
    - exponent_bits is at least 1
    - mantissa_bits is at least 0
  }];
  let arguments = (ins Stablehlo_FloatTensor:$operand, I32Attr:$exponent_bits,
                       I32Attr:$mantissa_bits);
  let results = (outs Stablehlo_FloatTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def Stablehlo_NegOp : Stablehlo_UnaryOp<"negate", Stablehlo_IntFloatOrComplexTensor>;
def Stablehlo_SignOp : Stablehlo_UnaryOp<"sign", Stablehlo_SignedFloatOrComplexTensor>;
def Stablehlo_NotOp : Stablehlo_UnaryOp<"not", Stablehlo_BoolOrIntTensor>;
def Stablehlo_PopulationCountOp : Stablehlo_UnaryOp<"popcnt", Stablehlo_IntTensor>;
def Stablehlo_ClzOp : Stablehlo_UnaryOp<"count_leading_zeros", Stablehlo_IntTensor>;
def Stablehlo_CeilOp : Stablehlo_UnaryOp<"ceil", Stablehlo_FloatTensor>;
def Stablehlo_FloorOp : Stablehlo_UnaryOp<"floor", Stablehlo_FloatTensor>;
def Stablehlo_RoundOp : Stablehlo_UnaryOp<"round_nearest_afz", Stablehlo_FloatTensor>;
def Stablehlo_RoundNearestEvenOp
    : Stablehlo_UnaryOp<"round_nearest_even", Stablehlo_FloatTensor>;

#endif
