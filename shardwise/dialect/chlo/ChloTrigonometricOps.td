// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trigonometric and hyperbolic functions.

#ifndef SHARDWISE_DIALECT_CHLO_CHLOTRIGONOMETRICOPS
#define SHARDWISE_DIALECT_CHLO_CHLOTRIGONOMETRICOPS

include "shardwise/dialect/chlo/ChloBase.td"

def Chlo_AcosOp : Chlo_UnaryOp<"acos", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_AsinOp : Chlo_UnaryOp<"asin", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_AtanOp : Chlo_UnaryOp<"atan", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_TanOp : Chlo_UnaryOp<"tan", Stablehlo_PlainFloatOrComplexTensor>;

#endif
