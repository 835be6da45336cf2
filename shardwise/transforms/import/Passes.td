// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that bring annotations into the form that propagation expects.

#ifndef SHARDWISE_TRANSFORMS_IMPORT_PASSES
#define SHARDWISE_TRANSFORMS_IMPORT_PASSES

include "mlir/Pass/PassBase.td"

class ImportPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
}

def LiftInlinedMeshesPass : ImportPass<"sdy-lift-inlined-meshes"> {
  let summary = "gives meshes that are written in shardings a name";
  let description = [{
    `#sdy.sharding<mesh<["x"=2]>, [{"x"} ]>` becomes `#sdy.sharding<@mesh, [{"x"} ]>` with
    `sdy.mesh @mesh = <["x"=2]>`. Equal meshes become one.
  }];
}

def UnifyMeshesPass : ImportPass<"shardwise-unify-meshes"> {
  let summary = "tells programs on meshes of several axes on one mesh";
  let description = [{
    With `sdy.mesh @grid = <["data"=4, "model"=2]>` and `sdy.mesh @experts = <["expert"=8]>`,
    `#sdy.sharding<@experts, [{"expert"} ]>` becomes `#sdy.sharding<@grid, [{"data", "model"} ]>`.
    The mesh is the first that has all axes of the others as lists of its own axes; without one,
    axes are cut: `"x"` of `<["x"=2, "y"=4]>` is `"data":(1)2`. Where a manual computation needs that
    part as an axis, a mesh `@common_mesh` is made that has it. A mesh in another order of devices
    stays one, with the common axes. At every mesh whose axes are gone, `shardwise.axes` says
    what they are. Meshes over different devices, and single devices, stay as they are.
  }];
}

def RemoveSizeOneAxesPass : ImportPass<"sdy-remove-size-one-axes"> {
  let summary = "removes axes of size 1 from shardings";
  let description = [{
    With `sdy.mesh @mesh = <["x"=1, "y"=2]>`, `[{"x", "y"}, {"x"} ]` becomes `[{"y"}, {} ]`. Meshes and
    `manual_axes` keep them. The axes of collectives follow their shardings; those of `sdy.all_reduce`,
    which need not be in any sharding, stay.
  }];
}

def ConstantOrScalarSplitterPass : ImportPass<"sdy-constant-or-scalar-splitter"> {
  let summary = "gives every use of a constant or of a broadcast scalar its own copy";
  let description = [{
    Constants cost nothing to compute twice, but a shared one would carry a sharding from one use
    to the others. `stablehlo.constant` becomes `sdy.constant`, so that nothing unites the copies
    again. A call or a named computation is a constant if its body holds nothing else; copies of
    the call call copies of the function.
  }];
}

def ExplicitGatherScatterBatchingPass : Pass<"sdy-explicit-gather-scatter-batching"> {
  let summary = "turns leading index components that count up into batching dimensions";
  let description = [{
    Where the index of dimension 0 is the position along dimension 0 of the indices, as
    `x[arange(n), i]` gives it, dimension 0 becomes a batching dimension of a gather or scatter,
    which propagation can follow:

    ```mlir
    %b = stablehlo.iota dim = 0 : tensor<8x5x1xi32>
    %i = stablehlo.concatenate %b, %j, dim = 2 : (...) -> tensor<8x5x2xi32>
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
        collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, ...
    ```
    becomes
    ```mlir
    %0 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<
        collapsed_slice_dims = [1], operand_batching_dims = [0],
        start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, ...
    ```
    Looks through reshapes and broadcasts that keep dimension 0, clamps that change nothing, and
    the select that wraps negative indices.
  }];
}

def ManualAxesCleanupPass : ImportPass<"sdy-manual-axes-cleanup"> {
  let summary = "sorts manual axes and mentions each in every sharding";
  let description = [{
    In `sdy.manual_computation` with `manual_axes={"b", "a"}` and `in_shardings=[<@m, [{"a"} ]>]` these
    become `manual_axes={"a", "b"}` and `[<@m, [{"a"} ], replicated={"b"}>]`. So do parts of axes:
    `[{"a":(2)2} ]` with a=8 gets `replicated={"a":(1)2, "a":(4)2, "b"}`.
  }];
}

def AddDataFlowEdgesPass : ImportPass<"sdy-add-data-flow-edges"> {
  let summary = "adds an sdy.data_flow_edge to every result and block argument that owns an edge";
  let description = [{
    ```mlir
    %0 = stablehlo.while(%i = %a) ...
    %1 = stablehlo.negate %0
    ```
    becomes
    ```mlir
    %0 = stablehlo.while(%i = %a) ...
    %e = sdy.data_flow_edge %0
    %1 = stablehlo.negate %e
    ```
  }];
}

def ApplyShardingConstraintsPass : ImportPass<"sdy-apply-sharding-constraints"> {
  let summary = "copies closed sharding constraints to their inputs";
  let description = [{
    That a dimension is closed does not propagate, so a constraint that closes every dimension would
    not bind the op that produces the value. Its sharding is copied to the input if the input has
    none and nothing else asks for another one.
  }];
  let options = [
    Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
           "attach to every value which annotation each of its axes comes from">,
    Option<"debugPropagationEdgeSharding", "debug-propagation-edge-sharding", "bool", "false",
           "attach to every constraint the step that moved its axes to its input">,
  ];
}

def ShardingGroupImportPass : ImportPass<"sdy-sharding-group-import"> {
  let summary = "unites sharding groups that share a value and numbers them 0, 1, ...";
}

def PropagateShardingFromFuncToCallPass : ImportPass<"sdy-propagate-sharding-from-func-to-call"> {
  let summary = "gives calls without shardings those of the results of their function";
}

def FlattenCallGraphPass : ImportPass<"sdy-flatten-call-graph"> {
  let summary = "clones functions so that each has one call";
  let description = [{
    Calls of one function can then have different shardings. Clones remember the name of the
    original in `sdy.original_func_name`. Callees go before their callers: the first call in this
    order keeps the function, the others get clones of it and of what it calls.
  }];
}

def ImportFuncCallsPass : ImportPass<"sdy-import-func-calls"> {
  let summary = "turns calls into named computations";
  let description = [{
    ```mlir
    %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes
    ```mlir
    %0 = sdy.named_computation<"f">(%a) (%arg: tensor<8xf32>) { ... }
    ```
  }];
  let options = [
    Option<"addDataFlowEdgesOnNamedComputations", "add-data-flow-edges-on-named-computations",
           "bool", "true", "add the edges of all named computations as well">,
  ];
}

def AddFuncDataFlowEdgesPass : ImportPass<"sdy-add-func-data-flow-edges"> {
  let summary = "adds an sdy.func_data_flow_edge to arguments of called functions and to results of "
                "calls";
}

def PreOrderFuncsPass : ImportPass<"sdy-pre-order-funcs"> {
  let summary = "orders functions so that callers come before their callees";
}

def RemoveUnusedSymbolsPass : Pass<"shardwise-remove-unused-symbols", "::mlir::ModuleOp"> {
  let summary = "drops private functions that nothing uses";
  let description = [{
    The same as `symbol-dce`, which it runs, but costs nothing in a module whose symbols are all
    public: no walk over its ops, and no verification.
  }];
}

def InlineCallsPass : Pass<"shardwise-inline-calls", "::mlir::ModuleOp"> {
  let summary = "replaces every func.call by the body of the function";
  let description = [{
    Composites are replaced by their decompositions.
    Shardings on arguments of the function and on the results of the call, or else of the function,
    become sharding constraints. Private functions that are no longer used are dropped. Recursive
    functions are refused. Tuples, which carry no sharding, are replaced by their elements where
    these are taken out again.
  }];
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
}

#endif
