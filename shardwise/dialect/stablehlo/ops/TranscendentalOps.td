// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise functions whose accuracy may be asked for.

#ifndef SHARDWISE_DIALECT_STABLEHLO_TRANSCENDENTALOPS
#define SHARDWISE_DIALECT_STABLEHLO_TRANSCENDENTALOPS

include "shardwise/dialect/stablehlo/ops/ElementwiseBase.td"

def Stablehlo_ExpOp : Stablehlo_AccuracyOp<"exponential", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_Expm1Op
    : Stablehlo_AccuracyOp<"exponential_minus_one", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_LogOp : Stablehlo_AccuracyOp<"log", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_Log1pOp : Stablehlo_AccuracyOp<"log_plus_one", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_LogisticOp : Stablehlo_AccuracyOp<"logistic", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_SqrtOp : Stablehlo_AccuracyOp<"sqrt", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_RsqrtOp : Stablehlo_AccuracyOp<"rsqrt", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_CbrtOp : Stablehlo_AccuracyOp<"cbrt", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_SineOp : Stablehlo_AccuracyOp<"sine", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_CosineOp : Stablehlo_AccuracyOp<"cosine", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_TanOp : Stablehlo_AccuracyOp<"tan", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_TanhOp : Stablehlo_AccuracyOp<"tanh", Stablehlo_FloatOrComplexTensor>;

#endif
