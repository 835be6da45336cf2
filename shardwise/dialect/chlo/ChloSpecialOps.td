// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions, and small elementwise ops.

#ifndef SHARDWISE_DIALECT_CHLO_CHLOSPECIALOPS
#define SHARDWISE_DIALECT_CHLO_CHLOSPECIALOPS

include "shardwise/dialect/chlo/ChloBase.td"

def Chlo_SquareOp : Chlo_UnaryOp<"square", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_ConjOp : Chlo_UnaryOp<"conj", Stablehlo_PlainFloatOrComplexTensor>;
def Chlo_ErfOp : Chlo_UnaryOp<"erf", Stablehlo_PlainFloatTensor>;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", Stablehlo_PlainFloatTensor>;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", Stablehlo_PlainFloatTensor>;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", Stablehlo_PlainFloatTensor>;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", Stablehlo_PlainFloatTensor>;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", Stablehlo_PlainFloatTensor>;

class Chlo_ClassifyOp<string mnemonic>
    : Chlo_Op<mnemonic, [Pure, Stablehlo_Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins Stablehlo_PlainFloatTensor:$operand);
  let results = (outs Stablehlo_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
def Chlo_IsInfOp : Chlo_ClassifyOp<"is_inf">;
def Chlo_IsPosInfOp : Chlo_ClassifyOp<"is_pos_inf">;
def Chlo_IsNegInfOp : Chlo_ClassifyOp<"is_neg_inf">;

def Chlo_MulhiOp : Chlo_BinaryOp<"mulhi", Stablehlo_IntTensor>;
def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", Stablehlo_PlainFloatTensor>;
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", Stablehlo_PlainFloatTensor>;
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", Stablehlo_PlainFloatTensor>;

#endif
