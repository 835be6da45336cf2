// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations, except the collectives (SdyCollectives.td).

#ifndef SHARDWISE_DIALECT_SDY_SDYOPS_TD
#define SHARDWISE_DIALECT_SDY_SDYOPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardwise/dialect/sdy/SdyAttrs.td"
include "shardwise/dialect/sdy/SdyInterfaces.td"

class Sdy_Op<string opMnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, opMnemonic, traits>;

/// Operations whose attributes name meshes: checked when the module's symbols are.
def Sdy_UsesMesh : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

def Sdy_MeshOp : Sdy_Op<"mesh", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "names a mesh";
  let description = [{
    ```mlir
    sdy.mesh @grid = <["data"=4, "model"=2]>
    ```
    **Constraints**
    - The parent is a module, and the name is unique in it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
  let hasVerifier = 1;
}

def Sdy_ShardingConstraintOp
    : Sdy_Op<"sharding_constraint", [AllTypesMatch<["input", "result"]>, Sdy_UsesMesh]> {
  let summary = "asks for a sharding of a value";
  let description = [{
    ```mlir
    %c = sdy.sharding_constraint %t <@m, [{"x", ?}, {} ]> : tensor<16x32xf32>
    ```
    Unused, it speaks of the input itself; used, of its uses. Not free of side effects, so that an
    unused one survives.

    **Constraints**
    - The sharding is valid for the type.
    - If the input has a sharding, unreduced axes that the constraint adds are sums.
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}

def Sdy_ReshardOp
    : Sdy_Op<"reshard", [Pure, AllTypesMatch<["input", "result"]>, Sdy_UsesMesh]> {
  let summary = "changes the sharding of a value";
  let description = [{
    ```mlir
    %r = sdy.reshard %t <@m, [{}, {"y"} ], replicated={"z"}> : tensor<16x32xf32>
    ```
    **Constraints**
    - As for `sdy.sharding_constraint`.
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasCanonicalizer = 1;
}

def Sdy_ManualComputationOp
    : Sdy_Op<"manual_computation",
             [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
              Sdy_UsesMesh,
              DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface,
                ["getBlockArgumentOwners", "getBlockArgumentOwnerShardings",
                 "setBlockArgumentOwnerShardings", "getResultOwnerShardings",
                 "setResultOwnerShardings", "transformTargetSharding",
                 "shouldKeepOwnerShardingsDivisible"]>]> {
  let summary = "a computation written per device along some axes";
  let description = [{
    ```mlir
    %o = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {?} ]>]
        out_shardings=[<@m, [{"x", ?}, {} ]>] manual_axes={"x"} (%lt: tensor<8x32xf32>) {
      sdy.return %lt : tensor<8x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    ```
    **Constraints**
    - One sharding per operand and per result, valid for the global types.
    - In each dimension the manual axes come before the free ones.
    - Types in the body are the global types divided by the manual axes, evenly.
    - All meshes are equal or empty, and have every manual axis.
    - No manual axis is manual in an enclosing computation.
  }];
  let arguments = (ins Variadic<AnyType>:$operands,
                       Sdy_TensorShardingPerValueAttr:$in_shardings,
                       Sdy_TensorShardingPerValueAttr:$out_shardings,
                       Sdy_ManualAxesAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $operands `)` `in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)
    `out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes custom<BodyWithArguments>($body) attr-dict
    `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Sharding of a block argument: its `in_sharding` without the manual axes.
    TensorShardingAttr getBlockArgumentSharding(size_t index);
    ReturnOp getReturn();
  }];
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "makes a value a member of a group with one sharding";
  let description = [{
    ```mlir
    sdy.sharding_group %t group_id=4 : tensor<16x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_ConstantOp : Sdy_Op<"constant", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "constant of which every use may have its own copy";
  let description = [{
    ```mlir
    %k = sdy.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    ```
    Deliberately not `ConstantLike`: rewriting must not unite copies.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StaticShapeTensorOf<[AnyType]>:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Equal, or the result is a quantized form of the literal.
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual);
  }];
}

def Sdy_DataFlowEdgeOp
    : Sdy_Op<"data_flow_edge", [AllTypesMatch<["input", "result"]>, Sdy_UsesMesh]> {
  let summary = "joins sources and targets of a data-flow edge";
  let description = [{
    ```mlir
    %e = sdy.data_flow_edge %owner sharding=<@m, [{"x"}, {?} ]> : tensor<16x32xf32>
    ```
    **Constraints**
    - Static shape; the input has no other use and is not the result of an operation of this
      dialect, manual and named computations excepted; the sharding is valid for the type.
  }];
  let arguments = (ins AnyShaped:$input, OptionalAttr<Sdy_TensorShardingAttr>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
}

def Sdy_FuncDataFlowEdgeOp
    : Sdy_Op<"func_data_flow_edge", [AllTypesMatch<["input", "result"]>, Sdy_UsesMesh]> {
  let summary = "bridge between a function and its calls";
  let description = [{
    ```mlir
    %e = sdy.func_data_flow_edge %arg : tensor<8xf32>
    ```
    **Constraints**
    - Static shape; the input has no other use and is an argument of a `func.func` or a result of a
      `func.call`.
  }];
  let arguments = (ins AnyShaped:$input);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Sdy_PropagationBarrierOp
    : Sdy_Op<"propagation_barrier", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "lets shardings pass in some directions only";
  let description = [{
    ```mlir
    %b = sdy.propagation_barrier %t allowed_direction=BACKWARD : tensor<16x32xf32>
    ```
    **Constraints**
    - The direction is not `BOTH`.
  }];
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_NamedComputationOp
    : Sdy_Op<"named_computation",
             [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
              SingleBlockImplicitTerminator<"ReturnOp">, Sdy_UsesMesh,
              DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface,
                ["getBlockArgumentOwners", "getBlockArgumentOwnerShardings",
                 "setBlockArgumentOwnerShardings", "getResultOwnerShardings",
                 "setResultOwnerShardings"]>]> {
  let summary = "a computation with a name, such as a call or a layer";
  let description = [{
    ```mlir
    %n = sdy.named_computation<"block">(%t) in_shardings=[<@m, [{"x"}, {} ]>]
        (%p: tensor<16x32xf32>) {
      sdy.return %p : tensor<16x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    ```
    **Constraints**
    - Block arguments and operands, returned values and results have the same types.
    - Shardings, where present, are valid for them.
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)^)?
    custom<BodyWithArguments>($body) attr-dict `:` functional-type($operands, $results)
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = "ReturnOp getReturn();";
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "ends the body of a computation";
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // SHARDWISE_DIALECT_SDY_SDYOPS_TD
