// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that turn the result of propagation into a program ready to be partitioned.

#ifndef SHARDWISE_TRANSFORMS_EXPORT_PASSES
#define SHARDWISE_TRANSFORMS_EXPORT_PASSES

include "mlir/Pass/PassBase.td"

class ExportPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
}

/// A pass that works on what is in an op, so that it runs on a module as well as on its functions.
class ExportPassOnAnyOp<string flag> : Pass<flag> {
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
}

def ConstantOrScalarMerger : ExportPassOnAnyOp<"sdy-constant-or-scalar-merger"> {
  let summary = "unites equal constants and scalar broadcasts that ended up with equal shardings";
}

def SinkDataFlowEdges : ExportPassOnAnyOp<"sdy-sink-data-flow-edges"> {
  let summary = "moves the shardings of data-flow edges to the ops that own them";
  let description = [{
    ```mlir
    %0 = stablehlo.while(%i = %a) ...
    %e = sdy.data_flow_edge %0 sharding=<@mesh, [{"x", ?} ]>
    ```
    becomes
    ```mlir
    %0 = stablehlo.while(%i = %a) ... {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?} ]>]>}
    ```
    Results or arguments of the op whose edge has no sharding, or that have no edge, become open. If
    no edge has one, the op keeps its own.
  }];
  let options = [
    Option<"sinkDebugShardingOrigins", "sink-debug-sharding-origins", "bool", "false",
           "move the origins of axes as well">,
    Option<"sinkDebugPropagationEdgeSharding", "sink-debug-propagation-edge-sharding", "bool",
           "false", "move the recorded steps as well">,
  ];
}

def RemoveShardingGroups : ExportPass<"sdy-remove-sharding-groups"> {
  let summary = "removes sharding groups, which have done their work";
}

def ShardingConstraintToReshard : ExportPassOnAnyOp<"sdy-sharding-constraint-to-reshard"> {
  let summary = "turns sharding constraints into reshards";
}

def UpdateNonDivisibleInputOutputShardings
    : ExportPass<"sdy-update-non-divisible-input-output-shardings"> {
  let summary = "cuts shardings at the border of the program so that they divide evenly";
  let description = [{
    With x=4, the argument `tensor<6xf32>` with `[{"x"} ]` gets `[{"x":(1)2} ]`. Applies to arguments
    and results of functions, results of calls, and owners that ask for it.
  }];
  let options = [
    Option<"keepWritten", "keep-written", "bool", "false",
           "leave arguments and results of functions as they are if a user wrote an uneven sharding: "
           "a closed dimension of one of them, or a constraint, does not divide">,
    Option<"keepFunctions", "keep-functions", "bool", "false",
           "leave arguments and results of functions as they are">,
  ];
}

def RemoveSubAxesInInputOutputShardings
    : ExportPass<"sdy-remove-sub-axes-in-input-output-shardings"> {
  let summary = "cuts open dimensions of arguments and results of the main function at sub-axes";
  let description = "`[{\"x\", \"y\":(1)2, ?}]` becomes `[{\"x\", ?}]`.";
}

def CloseShardings : ExportPass<"sdy-close-shardings"> {
  let summary = "closes every dimension and drops replicated axes";
  let description = "`[{\"x\", ?}, {?}], replicated={\"y\"}` becomes `[{\"x\"}, {}]`. Priorities "
                    "stay where there are axes.";
}

def DropShardingRules : ExportPassOnAnyOp<"sdy-drop-sharding-rules"> {
  let summary = "removes the sharding rules that propagation attached to ops; custom ones stay";
}

def ExportNamedComputations : ExportPass<"sdy-export-named-computations"> {
  let summary = "turns named computations into private functions and calls";
  let description = [{
    Argument shardings come from the edges of the block arguments, result shardings of the call
    from the edges of the results; the edges go.
  }];
}

def PropagateToFuncResults : ExportPass<"sdy-propagate-to-func-results"> {
  let summary = "gives results of functions other than the main one the sharding of what they return";
}

def SinkFuncDataFlowEdges : ExportPassOnAnyOp<"sdy-sink-func-data-flow-edges"> {
  let summary = "moves the shardings of function edges to arguments and call results";
}

def UnflattenCallGraph : ExportPass<"sdy-unflatten-call-graph"> {
  let summary = "lets calls of copies of a function with equal shardings share one copy";
  let description = [{
    Copies have one original name (`sdy.original_func_name`), one list of manual axes, and bodies
    that are equal but for what propagation decides. The copy that is called first stays; with
    `dedup-functions-fully`, one with the shardings that most calls have. Other copies are left
    without calls.
  }];
  let options = [
    Option<"dedupFunctionsFully", "dedup-functions-fully", "bool", "false",
           "share one copy whatever the shardings of arguments and results">,
  ];
}

def InsertFuncCallReshards : ExportPass<"sdy-insert-func-call-reshards"> {
  let summary = "reshards results of calls where the function returns them in another sharding";
  let description = [{
    Results that differ in unreduced axes alone stay as the function returns them, so that there is
    no reduction between two calls that both want the partial value.
  }];
}

def InlineMeshes : ExportPass<"sdy-inline-meshes"> {
  let summary = "writes meshes into the shardings and removes the mesh symbols";
}

def DropShardingAndMesh : ExportPass<"sdy-drop-sharding-and-mesh"> {
  let summary = "removes the shardings of arguments, results and ops, and the mesh symbols";
  let description = [{
    ```mlir
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"} ]>}) -> tensor<8xf32>
    ```
    becomes
    ```mlir
    func.func @main(%a: tensor<8xf32>) -> tensor<8xf32>
    ```
    What is left of a program without ops of the dialect is plain StableHLO. Such ops stay; the pass
    fails at those with a sharding of their own on a mesh that would go. Replica groups over the axes
    of a mesh symbol get the mesh written in place. Sharding rules stay, `sdy-drop-sharding-rules`
    removes them.
  }];
}

def InsertExplicitReshards : ExportPass<"sdy-insert-explicit-reshards"> {
  let summary = "inserts reshards where operands and results of an op cannot be used as they are";
  let description = [{
    Everywhere: changes of unreduced axes become explicit, also those that a reshard asks for,
    operands of calls are resharded to the arguments of the callee, values enter and leave maximal
    meshes replicated, and operands and result of a concatenation are made to agree, with the
    concatenated dimension whole. The minimal version leaves a concatenation alone whose operands and
    result have identical shardings. Fails where a result is declared unreduced by another function
    than its op combines by.

    ```mlir
    // %a: <@mesh, [{"x"}, {} ]>, %b: <@mesh, [{}, {"y"} ]>
    %0 = stablehlo.concatenate %a, %b, dim = 0 // <@mesh, [{}, {"y"} ]>
    ```
    becomes
    ```mlir
    %0 = sdy.reshard %a <@mesh, [{}, {"y", "x"} ]>
    %1 = sdy.reshard %b <@mesh, [{}, {"y", "x"} ]>
    %2 = stablehlo.concatenate %0, %1, dim = 0 // <@mesh, [{}, {"y", "x"} ]>
    %3 = sdy.reshard %2 <@mesh, [{}, {"y"} ]>
    ```
    The full version does the same for every op with a sharding rule, combines sums over a sharded
    dimension with an `sdy.all_reduce`, and reshards at data-flow edges and where functions return.

    The minimal version also moves the result of a dot that wants just the axes that the dot sums
    over: it is computed with the axes of the operands, if they agree, and resharded.

    ```mlir
    // %a: <@mesh, [{"x"}, {"y"}, {"z"} ]>, %b: <@mesh, [{"y"}, {"z"}, {} ]>
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 2] x [0, 1] // <@mesh, [{"y", "z"}, {} ]>
    ```
    becomes
    ```mlir
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 2] x [0, 1] // <@mesh, [{"x"}, {} ]>
    %1 = sdy.reshard %0 <@mesh, [{"y", "z"}, {} ]>
    ```

    Decides as the tool that the sdy dialect comes from. Shardings need not divide evenly. Our own
    partitioner has `shardwise-insert-partition-reshards` instead.
  }];
  let options = [
    Option<"enableFullVersion", "enable-full-version", "bool", "false",
           "reshard around all ops, at data-flow edges and at returns">,
  ];
}

def VerifyUnreducedAxes : ExportPass<"sdy-verify-unreduced-axes"> {
  let summary = "fails where unreduced axes appear or disappear without an op that may do so";
  let description = [{
    Verification of single ops lets collectives drop and add unreduced axes, because files have
    such ops between passes. This pass does not: partial values are combined by reshards,
    all_reduce and reduce_scatter only, and these two reduce nothing that is whole. The same is
    asked of operands and arguments of functions and computations, and of what they return; of a
    manual computation also along its manual axes, unless its body exchanges values.

    A result may be declared partial, whatever its op: as a sum, or by the function by which the
    op combines along a dimension that is cut. A sum declared `unreduced=max` is an error.

    Run it where every change of placement is explicit, after `sdy-insert-explicit-reshards`. A
    place without sharding has the unreduced axes of what comes to it; an argument without sharding
    has none.

    ```mlir
    // %0: <@mesh, [{} ], unreduced={"x"}>
    %1 = stablehlo.negate %0 ... // <@mesh, [{} ]>
    ```
    fails with: operand 0 to result 0 - dropped unreduced axis "x" without a reshard.
  }];
}

#endif
