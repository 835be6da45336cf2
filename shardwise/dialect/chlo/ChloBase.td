// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect `chlo`: the ops that JAX prints beside those of `stablehlo`. Its attributes, and
// the shapes of its elementwise ops.

#ifndef SHARDWISE_DIALECT_CHLO_CHLOBASE
#define SHARDWISE_DIALECT_CHLO_CHLOBASE

include "shardwise/dialect/stablehlo/StablehloBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::shardwise::chlo";
  let summary = "Client ops: functions that StableHLO has no op for";
  let dependentDialects = ["::shardwise::stablehlo::StablehloDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits>;

/// `erf %x : T -> T`: operand and result have one type.
class Chlo_UnaryOp<string mnemonic, Type type>
    : Chlo_Op<mnemonic, [Pure, Stablehlo_Elementwise] # Stablehlo_SameTypes> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

/// `zeta %x, %y : T, T -> T`: operands and result have one type.
class Chlo_BinaryOp<string mnemonic, Type type>
    : Chlo_Op<mnemonic, [Pure, Stablehlo_Elementwise] # Stablehlo_SameTypes> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Chlo_Precision : I32EnumAttr<"Precision", "precision of an operand", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]> {
  let cppNamespace = "::shardwise::chlo";
  let genSpecializedAttr = 0;
}
/// `#chlo<precision DEFAULT>`.
def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;

def Chlo_DimsParameter : ArrayRefParameter<"int64_t", "dimension numbers">;
def Chlo_RaggedDotDimensionNumbersAttr
    : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "dimensions of a ragged_dot; struct text as #stablehlo.dot";
  let parameters = (ins
    Chlo_DimsParameter:$lhsBatchingDimensions,
    Chlo_DimsParameter:$rhsBatchingDimensions,
    Chlo_DimsParameter:$lhsContractingDimensions,
    Chlo_DimsParameter:$rhsContractingDimensions,
    Chlo_DimsParameter:$lhsRaggedDimensions,
    Chlo_DimsParameter:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

#endif
