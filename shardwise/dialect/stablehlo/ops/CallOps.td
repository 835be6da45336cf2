// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls to the outside, composites, tokens, tuples and host transfer.

#ifndef SHARDWISE_DIALECT_STABLEHLO_CALLOPS
#define SHARDWISE_DIALECT_STABLEHLO_CALLOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

def Stablehlo_CustomCallOp : Stablehlo_Op<"custom_call",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "calls a target outside the program; pure unless has_side_effect is set";
  let description = [{
    **Constraints**
    - operand_layouts and result_layouts are both given or both absent, one per value, each a
      permutation of its dimensions
    - aliases name an operand and a result of equal types
    - backend_config is a dictionary for api_version 4 and a string otherwise
  }];
  let arguments = (ins
    Variadic<Stablehlo_CallValue>:$inputs,
    StrAttr:$call_target_name,
    Stablehlo_FalseByDefault:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<Stablehlo_CustomCallApiVersionAttr,
        "::shardwise::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "flat symbol ref array">,
                              "{}">:$called_computations,
    OptionalAttr<TypedArrayAttrBase<IndexElementsAttr, "array of layouts">>:$operand_layouts,
    OptionalAttr<TypedArrayAttrBase<IndexElementsAttr, "array of layouts">>:$result_layouts,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<Stablehlo_OutputOperandAliasAttr,
        "array of output operand aliases">, "{}">:$output_operand_aliases,
    OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<Stablehlo_CallValue>:$results);
  let hasVerifier = 1;
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

def Stablehlo_CompositeOp : Stablehlo_Op<"composite",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "named op with a decomposition into a function of this module";
  let description = [{
    **Constraints**
    - the name is dotted: `namespace.op`
    - decomposition names a function with the operand and result types
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<AnyType>:$results);
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// A composite with regions has no custom form and prints generically.
    static ::mlir::OperationName::PrintAssemblyFn getPrintAssemblyFn();
  }];
}

def Stablehlo_CreateTokenOp : Stablehlo_Op<"create_token", [Pure]> {
  let summary = "a token that waits for nothing";
  let arguments = (ins);
  let results = (outs Stablehlo_Token:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def Stablehlo_AfterAllOp : Stablehlo_Op<"after_all", [Pure]> {
  let summary = "a token that waits for others";
  let arguments = (ins Variadic<Stablehlo_Token>:$inputs);
  let results = (outs Stablehlo_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:`
    custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}

def Stablehlo_TupleOp : Stablehlo_Op<"tuple", [Pure]> {
  let summary = "packs values";
  let description = [{
    **Constraints**
    - the result holds the operand types
  }];
  let arguments = (ins Variadic<AnyType>:$val);
  let results = (outs Stablehlo_Tuple:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}
def Stablehlo_GetTupleElementOp : Stablehlo_Op<"get_tuple_element", [Pure]> {
  let summary = "takes one value out of a tuple";
  let description = [{
    **Constraints**
    - the index is in range; the result has the type of the element
  }];
  let arguments = (ins Stablehlo_Tuple:$operand, I32Attr:$index);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Host transfer: parsed, not supported
//===----------------------------------------------------------------------===//

def Stablehlo_InfeedOp : Stablehlo_Op<"infeed"> {
  let summary = "reads from the host";
  let arguments = (ins Stablehlo_Token:$token,
                       DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<AnyType>:$results);
}
def Stablehlo_OutfeedOp : Stablehlo_Op<"outfeed"> {
  let summary = "writes to the host";
  let arguments = (ins Variadic<AnyType>:$inputs, Stablehlo_Token:$token,
                       DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs Stablehlo_Token:$result);
}
def Stablehlo_SendOp : Stablehlo_Op<"send"> {
  let summary = "sends over a channel";
  let arguments = (ins Variadic<AnyType>:$inputs, Stablehlo_Token:$token,
                       Stablehlo_ChannelHandleAttr:$channel_handle,
                       Stablehlo_FalseByDefault:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Stablehlo_Token:$result);
}
def Stablehlo_RecvOp : Stablehlo_Op<"recv"> {
  let summary = "receives over a channel";
  let arguments = (ins Stablehlo_Token:$token, Stablehlo_ChannelHandleAttr:$channel_handle,
                       Stablehlo_FalseByDefault:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<AnyType>:$results);
}

#endif
