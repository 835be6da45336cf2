// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops of operands or results of several types, and bitcast_convert.

#ifndef SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEMIXEDOPS
#define SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEMIXEDOPS

include "shardwise/dialect/stablehlo/ops/ElementwiseBase.td"

def Stablehlo_ComplexOp : Stablehlo_ElementwiseOp<"complex",
    [SameOperandsAndResultShape, SameOperandsElementType, Stablehlo_InfersTypes]> {
  let summary = "complex numbers from real and imaginary parts";
  let arguments = (ins Stablehlo_Float32Or64Tensor:$lhs, Stablehlo_Float32Or64Tensor:$rhs);
  let results = (outs Stablehlo_ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}

def Stablehlo_CompareOp : Stablehlo_ElementwiseOp<"compare",
    [SameOperandsAndResultShape, SameOperandsElementType, Stablehlo_InfersTypes]> {
  let summary = "compares elements; the result is bool";
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs,
                       Stablehlo_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<Stablehlo_ComparisonTypeAttr>:$compare_type);
  let results = (outs Stablehlo_BoolTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                                 "::shardwise::stablehlo::ComparisonDirection":$direction), [{
    build($_builder, $_state, lhs, rhs,
          ComparisonDirectionAttr::get($_builder.getContext(), direction), ComparisonTypeAttr());
  }]>];
}

def Stablehlo_SelectOp : Stablehlo_ElementwiseOp<"select", [Stablehlo_InfersTypes]> {
  let summary = "takes each element from one of two tensors";
  let description = [{
    **Constraints**
    - on_true and on_false have one type, which is the result's
    - pred is rank 0 or has the shape of on_true
  }];
  let arguments = (ins Stablehlo_BoolTensor:$pred, Stablehlo_Tensor:$on_true,
                       Stablehlo_Tensor:$on_false);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

def Stablehlo_ClampOp : Stablehlo_ElementwiseOp<"clamp", [Stablehlo_InfersTypes]> {
  let summary = "minimum(maximum(operand, min), max)";
  let description = [{
    **Constraints**
    - min, operand and max have one element type
    - min and max are rank 0 or have the shape of the operand
  }];
  let arguments = (ins Stablehlo_Tensor:$min, Stablehlo_Tensor:$operand, Stablehlo_Tensor:$max);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def Stablehlo_BitcastConvertOp : Stablehlo_Op<"bitcast_convert", [Pure]> {
  let summary = "reads the bits of the operand as another element type";
  let description = [{
    **Constraints**
    - complex element types convert to complex ones only
    - equal widths: equal shapes
    - narrowing by k: the result has one more trailing dimension, of size k
    - widening by k: the operand has one more trailing dimension, of size k
  }];
  let arguments = (ins Stablehlo_Tensor:$operand);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// True if operand and result elements have one width: the op is then elementwise.
    bool isShapePreserving() { return getOperand().getType().getShape() == getType().getShape(); }
  }];
}

#endif
