// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of the elementwise ops: unary and binary, with one type or with inferred ones.

#ifndef SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEBASE
#define SHARDWISE_DIALECT_STABLEHLO_ELEMENTWISEBASE

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

class Stablehlo_ElementwiseOp<string mnemonic, list<Trait> traits>
    : Stablehlo_Op<mnemonic, [Pure, Stablehlo_Elementwise] # traits>;

class Stablehlo_UnaryBase<string mnemonic, Type operandType, Type resultType,
                          list<Trait> traits>
    : Stablehlo_ElementwiseOp<mnemonic, traits> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

/// Operand and result have one type.
class Stablehlo_UnaryOp<string mnemonic, Type type>
    : Stablehlo_UnaryBase<mnemonic, type, type, Stablehlo_SameTypes>;

/// The same with the optional attribute `result_accuracy`.
class Stablehlo_AccuracyOp<string mnemonic, Type type> : Stablehlo_UnaryOp<mnemonic, type> {
  let arguments = (ins type:$operand, Stablehlo_OptionalAccuracy:$result_accuracy);
}

class Stablehlo_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Stablehlo_ElementwiseOp<mnemonic, traits # Stablehlo_SameTypes> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}
class Stablehlo_CommutativeOp<string mnemonic, Type type, list<Trait> traits = []>
    : Stablehlo_BinaryOp<mnemonic, type, [Commutative] # traits>;

#endif
