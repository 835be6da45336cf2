// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from a global program with explicit reshards to the per-device program.

#ifndef SHARDWISE_TRANSFORMS_PARTITION_PASSES_TD
#define SHARDWISE_TRANSFORMS_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGlobalToLocal : Pass<"sdy-convert-global-to-local", "::mlir::ModuleOp"> {
  let summary = "rewrites a global program to the program of one device";
  let description = [{
    Every tensor gets the shape of its shard, every op its local form, and every sdy collective
    becomes a StableHLO collective whose groups are given by mesh axes:

    ```mlir
    // %arg0: <@m, [{"x"}, {} ]> with x=2
    %0 = sdy.all_gather [{"x"}, {} ] %arg0 out_sharding=<@m, [{}, {} ]> : tensor<8x4xf32>
    ```
    becomes
    ```mlir
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m,
            axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}>
        : (tensor<4x4xf32>) -> tensor<8x4xf32>
    ```
    Shardings stay on the arguments and results of functions, so that a driver knows how to scatter
    inputs and gather outputs; all other sdy attributes are dropped. The module gets
    `mhlo.num_partitions` and `mhlo.num_replicas`.

    An op on a mesh of a single device becomes a branch that this device takes; a reshard from there
    becomes a `stablehlo.collective_broadcast`.

    Where a dimension does not divide, shards are padded. What an op would read of padding is masked, and
    collectives pad what they split and cut what they gather. Arguments and results with padding have
    their type before as `shardwise.global_type`.

    With `keep-collectives` the collectives stay those of the dialect, on shards, and fetches of intervals
    are ops too: shardwise-lower-local-collectives does the rest. What such a program says does not grow
    with the number of devices.

    Requires: meshes have the same axes, and every op's operands and results agree on its factors (shardwise-insert-partition-reshards); no other `sdy.reshard` is left
    (sdy-reshard-to-collectives). Refuses anything else with a diagnostic at the op.
  }];
  let dependentDialects = ["::shardwise::stablehlo::StablehloDialect",
                           "::shardwise::sdy::SdyDialect"];
  let options = [Option<"keepCollectives", "keep-collectives", "bool", "false",
                        "leave collectives on shards in the sdy dialect">];
}

def LowerLocalCollectives : Pass<"shardwise-lower-local-collectives", "::mlir::ModuleOp"> {
  let summary = "sdy collectives on shards become those of StableHLO";
  let description = [{
    The rest of sdy-convert-global-to-local, for a program that was converted with `keep-collectives`:

    ```mlir
    // <["x"=2, "y"=2]>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"y"} ]>
        {sdy.in_sharding = #sdy.sharding<@m, [{"x"} ]>} : tensor<4xf32>
    ```
    becomes
    ```mlir
    %1 = "stablehlo.collective_permute"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1,
        type = 1>, source_target_pairs = dense<[[0, 0], [2, 1], [1, 2], [3, 3]]>}>
        : (tensor<4xf32>) -> tensor<4xf32>
    ```
    A `sdy.fetch_interval` becomes permutes between neighbours, or a gather. Parts of a value that several
    ask for are sent once.

    An `sdy.exchange` becomes rounds of permutes, in which no device sends or receives twice. All devices
    send windows of one size in a round, as large as its largest part, at places that they look up in tables.
    Where few bytes are moved, parts of several sizes share a round, and more is received than the exchange says. With `keep-exchanges` it stays, for who has such a
    collective.
  }];
  let dependentDialects = ["::shardwise::stablehlo::StablehloDialect",
                           "::shardwise::sdy::SdyDialect"];
  let options = [Option<"keepExchanges", "keep-exchanges", "bool", "false",
                        "leave exchanges on shards in the sdy dialect">];
}

def MergeEqualOps : Pass<"shardwise-merge-equal-ops", "::mlir::ModuleOp"> {
  let summary = "computes once what is computed twice, and nothing that nobody uses";
  let description = [{
    Of ops with the same name, attributes, operands and regions the first stays, if they have no effects:

    ```mlir
    %0 = stablehlo.slice %arg0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %1 = stablehlo.slice %arg0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %2 = stablehlo.add %0, %1 : tensor<2xf32>
    ```
    becomes
    ```mlir
    %0 = stablehlo.slice %arg0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %1 = stablehlo.add %0, %0 : tensor<2xf32>
    ```
    Such are equal constants, offsets and slices of what several ops needed. The outcome is that of MLIR's `cse`; it
    takes a tenth of the time.
  }];
}

def ShortenLives : Pass<"shardwise-shorten-lives", "::mlir::ModuleOp"> {
  let summary = "computes once, before a loop, and late, what a device need not keep";
  let description = [{
    An op leaves a loop if its operands are made outside of it and one of them, at least as large as
    the result, has no other use: the result is kept instead of the operand, and computed once.

    ```mlir
    %w = "stablehlo.all_gather"(%arg0)
    %r = stablehlo.while(%s = %h) : ... do {
      %v = stablehlo.reverse %w
      ...
    ```
    becomes
    ```mlir
    %w = "stablehlo.all_gather"(%arg0)
    %v = stablehlo.reverse %w
    %r = stablehlo.while(%s = %h) : ... do {
      ...
    ```
    Scalars that say where a device stands, which are computed at the start of a function, go to
    where they are first used.

    A concatenation that only branches of one op read is made in these, of what each reads, if most of
    it must be there anyway: what branches share lives through all of them.
  }];
}

def DropCarried : Pass<"shardwise-drop-carried", "::mlir::ModuleOp"> {
  let summary = "removes what loops carry and nothing uses";
  let description = [{
    A value that a loop gives on as it is, and that neither its regions nor its result are used for
    otherwise:

    ```mlir
    %r:2 = stablehlo.while(%s = %h, %q = %w) : ... do {
      %t = stablehlo.add %s, %w
      stablehlo.return %t, %q
    }
    ```
    becomes
    ```mlir
    %r = stablehlo.while(%s = %h) : ... do {
      %t = stablehlo.add %s, %w
      stablehlo.return %t
    }
    ```
  }];
}

def CombineCollectives : Pass<"shardwise-combine-collectives", "::mlir::ModuleOp"> {
  let summary = "makes one collective of small ones that do not depend on each other";
  let description = [{
    A collective takes a while to start, however little it moves. Collectives of one block become one
    of several operands if they are of one kind over the same groups, with the same attributes and
    element type, and none needs the result of another:

    ```mlir
    %1 = "stablehlo.all_reduce"(%a) <{replica_groups = ...}> ({...}) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.transpose %b, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %3 = "stablehlo.all_reduce"(%2) <{replica_groups = ...}> ({...}) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %2 = stablehlo.transpose %b, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %1:2 = "stablehlo.all_reduce"(%a, %2) <{replica_groups = ...}> ({...})
        : (tensor<4xf32>, tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>)
    ```
    It stands where the last of them stood. What they reduce then waits for it, as do ops that map,
    move or reduce elements of their results; any other use ends a combination. No more than `max-bytes` are
    kept waiting: those of the collectives' values, and of others that the waiting ops use. With a
    topology that is what the link moves in 32 latencies for which that is most: beyond, a start
    saves 3 % at most.

    all_reduce, by a region that is one plain function, and all_gather are combined. reduce_scatter
    and collective_permute have one operand; an all_to_all of several is read by XLA as one of a tuple,
    which is another op. Gathers of bf16 along another dimension than the first stay as they are: XLA for
    CPUs computes wrong values of several.
  }];
  let dependentDialects = ["::shardwise::stablehlo::StablehloDialect"];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "4194304",
           "bytes of a device that a combination keeps waiting, at most; 0 combines nothing">,
    Option<"topology", "topology", "std::string", /*default=*/"",
           "a machine with latencies, a preset or a file: sets max-bytes to what its links move in "
           "32 latencies">,
  ];
}

class FormPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::shardwise::stablehlo::StablehloDialect"];
}

def NumberDevicesByMesh : FormPass<"shardwise-number-devices-by-mesh"> {
  let summary = "numbers devices as the program's mesh has them in order";
  let description = [{
    `jax.shard_map` numbers devices by their position in the mesh. A mesh with ids of its own becomes
    one without; other meshes, lists of devices, and what is computed from `partition_id` follow:

    ```mlir
    sdy.mesh @mesh = <["x"=4], device_ids=[2, 0, 3, 1]>
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[2, 0], [0, 3]]> ...}>
    ```
    becomes
    ```mlir
    sdy.mesh @mesh = <["x"=4]>
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2]]> ...}>
    ```
    Does nothing if the mesh has no ids. Requires a per-device program.
  }];
}

def BroadcastToAllReduce : FormPass<"shardwise-broadcast-to-all-reduce"> {
  let summary = "writes broadcasts as sums, for compilers that lack them (XLA on CPU)";
  let description = [{
    Every device but the first of its group has zeros, and the bits are summed as integers, so that
    all get exactly what the first has:

    ```mlir
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[2, 0, 1, 3]]> ...}>
    ```
    becomes
    ```mlir
    %1 = stablehlo.compare EQ, %partition_id, %c2
    %2 = stablehlo.bitcast_convert %a : (tensor<8xf32>) -> tensor<8xui32>
    %3 = stablehlo.select %1, %2, %zeros
    %4 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<[[2, 0, 1, 3]]> ...}> ({ add })
    %0 = stablehlo.bitcast_convert %4 : (tensor<8xui32>) -> tensor<8xf32>
    ```
    Requires a per-device program.
  }];
}

def ShieldOperands : FormPass<"shardwise-shield-operands"> {
  let summary = "puts barriers where XLA would simplify wrongly";
  let description = [{
    XLA reads the place that a scatter of one update writes to; of a dynamic slice it reads the whole, at the
    sum of both starts. That is another place if the index is outside of the slice:

    ```mlir
    %0 = stablehlo.dynamic_slice %a, %offset, sizes = [2]
    %1 = "stablehlo.scatter"(%0, %index, %update) ...
    ```
    becomes
    ```mlir
    %0 = stablehlo.dynamic_slice %a, %offset, sizes = [2]
    %1 = stablehlo.optimization_barrier %0
    %2 = "stablehlo.scatter"(%1, %index, %update) ...
    ```
    And it makes one all_to_all of several operands of that of a pad, lays these out differently, and refuses the
    result: the pad gets a barrier, too.
  }];
}

def SwapProducts : FormPass<"shardwise-swap-products"> {
  let summary = "products of which a transpose exchanges the sides are made that way";
  let description = [{
    The transpose of a gradient, which XLA would copy before the collective or read across the lines behind it, moves
    up to the product:

    ```mlir
    %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : ... -> tensor<256x1024xf32>
    %1 = "stablehlo.all_reduce"(%0) ... -> tensor<256x1024xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<256x1024xf32>) -> tensor<1024x256xf32>
    ```
    becomes
    ```mlir
    %0 = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] : ... -> tensor<1024x256xf32>
    %2 = "stablehlo.all_reduce"(%0) ... -> tensor<1024x256xf32>
    ```
    It moves through collectives and element-wise ops of one operand, of which nothing else reads the results, if XLA
    then has less to lay out anew. Requires a per-device program.
  }];
}

def LeadWithBlocks : FormPass<"shardwise-lead-with-blocks"> {
  let summary = "gathers and scatters along a first dimension of blocks";
  let description = [{
    XLA copies the operand and the result of a collective along any other dimension than the first. One transpose is
    enough:

    ```mlir
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, ...}> : (tensor<8x4xf32>) -> tensor<8x16xf32>
    ```
    becomes
    ```mlir
    %1 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, ...}> : (tensor<1x8x4xf32>) -> tensor<4x8x4xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<4x8x4xf32>) -> tensor<8x4x4xf32>
    %0 = stablehlo.reshape %3 : (tensor<8x4x4xf32>) -> tensor<8x16xf32>
    ```
    A reduce_scatter likewise, with the transpose before it. If all that reads the result is a transpose that has the
    dimension first, that one is made of the operand instead, and no blocks are needed: a reduce_scatter along dim 1 of
    8x16 and a transpose to 4x8 are a transpose to 16x8 and a reduce_scatter along dim 0. Not so if it swaps the sides
    of a product, which shardwise-swap-products would have done. Requires a per-device program.
  }];
}

def ListDevices : FormPass<"shardwise-list-devices"> {
  let summary = "writes the groups of all collectives as lists of devices";
  let description = [{
    ```mlir
    replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh,
        axes = [#stablehlo.axis_ref<name = "y">]>    // <["x"=2, "y"=2]>
    ```
    becomes
    ```mlir
    replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
    ```
    Every collective gets a channel and global device ids. With `as-replicas` it loses them: the module
    is then one of N replicas and one partition, and `replica_id` takes the place of `partition_id`.
    Requires a per-device program.
  }];
  let options = [Option<"asReplicas", "as-replicas", "bool", "false",
                        "devices are replicas, not partitions">];
}

def CollectivesToShard : Pass<"shardwise-collectives-to-shard", "::mlir::ModuleOp"> {
  let summary = "StableHLO collectives become those of MLIR's dialect `shard`";
  let description = [{
    Groups become axes of a grid, a rotation along an axis a `shard.shift`, which is read as "to the
    process `offset` further on", and `partition_id` the linear index of the process:

    ```mlir
    sdy.mesh @mesh = <["x"=2, "y"=4]>
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, ...
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh,
            axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<4x4xf32>) -> tensor<16x4xf32>
    ```
    becomes
    ```mlir
    shard.grid @grid(shape = 2x4)
    %0 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 0
        : tensor<4x4xf32> -> tensor<16x4xf32>
    ```
    Fails, with a diagnostic at the op, at what the dialect cannot say: groups along parts of axes,
    devices in an order of their own, permutes that are no such rotation, regions that are more than
    one reduction. Shardings and meshes stay; sdy-drop-sharding-and-mesh removes them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::shard::ShardDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SHARDWISE_TRANSFORMS_PARTITION_PASSES_TD
