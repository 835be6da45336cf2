// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops of two operands of one type.

#ifndef SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEBINARYOPS
#define SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEBINARYOPS

include "shardwise/dialect/stablehlo/ops/ElementwiseBase.td"

def Stablehlo_AddOp
    : Stablehlo_CommutativeOp<"add", Stablehlo_Tensor, [SameOperandsAndResultElementType]>;
def Stablehlo_MulOp : Stablehlo_CommutativeOp<"multiply", Stablehlo_Tensor>;
def Stablehlo_MaxOp : Stablehlo_CommutativeOp<"maximum", Stablehlo_Tensor>;
def Stablehlo_MinOp : Stablehlo_CommutativeOp<"minimum", Stablehlo_Tensor>;
def Stablehlo_AndOp : Stablehlo_CommutativeOp<"and", Stablehlo_BoolOrIntTensor>;
def Stablehlo_OrOp : Stablehlo_CommutativeOp<"or", Stablehlo_BoolOrIntTensor>;
def Stablehlo_XorOp : Stablehlo_CommutativeOp<"xor", Stablehlo_BoolOrIntTensor>;
def Stablehlo_SubtractOp : Stablehlo_BinaryOp<"subtract", Stablehlo_IntFloatOrComplexTensor>;
def Stablehlo_DivOp : Stablehlo_BinaryOp<"divide", Stablehlo_IntFloatOrComplexTensor>;
def Stablehlo_RemOp : Stablehlo_BinaryOp<"remainder", Stablehlo_IntFloatOrComplexTensor>;
def Stablehlo_PowOp : Stablehlo_BinaryOp<"power", Stablehlo_IntFloatOrComplexTensor>;
def Stablehlo_Atan2Op : Stablehlo_BinaryOp<"atan2", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_ShiftLeftOp : Stablehlo_BinaryOp<"shift_left", Stablehlo_IntTensor>;
def Stablehlo_ShiftRightArithmeticOp
    : Stablehlo_BinaryOp<"shift_right_arithmetic", Stablehlo_IntTensor>;
def Stablehlo_ShiftRightLogicalOp
    : Stablehlo_BinaryOp<"shift_right_logical", Stablehlo_IntTensor>;

#endif
