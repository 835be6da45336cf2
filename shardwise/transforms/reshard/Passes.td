// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that decide where values are resharded, and by which collectives.

#ifndef SHARDWISE_TRANSFORMS_RESHARD_PASSES_TD
#define SHARDWISE_TRANSFORMS_RESHARD_PASSES_TD

include "mlir/Pass/PassBase.td"

class ReshardPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
}

def BorderOnOneMesh : ReshardPass<"shardwise-border-on-one-mesh"> {
  let summary = "puts arguments and results on the program's mesh";
  let description = [{
    Where the caller has one order of devices, as in `jax.shard_map`, values on another one change it
    inside the program, by the reshards that are inserted next:

    ```mlir
    sdy.mesh @mesh = <["x"=4]>
    sdy.mesh @order = <["x"=4], device_ids=[2, 0, 3, 1]>
    func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"} ]>})
    ```
    becomes
    ```mlir
    func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"} ]>})
    ```
    What is on a single device is then on all. Only the entry function is changed. Requires closed
    shardings.
  }];
}

def CaptureLoopInvariants : ReshardPass<"shardwise-capture-loop-invariants"> {
  let summary = "uses what a loop starts from where the loop does not change it";
  let description = [{
    So a reshard of it is made once, before the loop. JAX carries all that the body of a loop reads:

    ```mlir
    %r:2 = stablehlo.while(%s = %h, %q = %w) : ... do {
      %t = stablehlo.add %s, %q
      stablehlo.return %t, %q
    }
    ```
    becomes
    ```mlir
    %r:2 = stablehlo.while(%s = %h, %q = %w) : ... do {
      %t = stablehlo.add %s, %w
      stablehlo.return %t, %q
    }
    ```
    The loop still has all operands and results; shardwise-drop-carried removes what nothing uses.
    Loops on which a user wrote shardings stay.
  }];
}

def DropUnusedCollectives : ReshardPass<"shardwise-drop-unused-collectives"> {
  let summary = "removes collectives whose results nobody uses";
  let description = [{
    With what was computed for them alone. The last round of a pipeline that a loop in Python wrote
    sends what nobody reads:

    ```mlir
    %1 = stablehlo.tanh %0
    %2 = "stablehlo.collective_permute"(%1)
    sdy.return %0
    ```
    becomes
    ```mlir
    sdy.return %0
    ```
  }];
}

def JoinMoves : ReshardPass<"shardwise-join-moves"> {
  let summary = "joins slices, pads and concatenations along a cut dimension";
  let description = [{
    A slice of a pad, and a pad of a slice, is one pad; a concatenation of slices is, place by
    place, one of several pads:

    ```mlir
    %p = stablehlo.pad %u, %zero, low = [1], high = [1], interior = [0]   // 64 to 66
    %r = stablehlo.slice %p [2:66]                                       // 66 to 64
    ```
    becomes
    ```mlir
    %r = stablehlo.pad %u, %zero, low = [-1], high = [1], interior = [0]
    ```
    Every device then fetches what it needs of `%u` at once, and the value in between, whose size
    may not divide, is gone. Only dimensions in which the result is cut are looked at.
  }];
}

def PadReshapes : ReshardPass<"shardwise-pad-reshapes"> {
  let summary = "pads reshapes that split or merge a dimension whose parts are not equal";
  let description = [{
    Where the same axes cut a dimension and the first of those that it is split into, and do not
    divide that, blocks of one side are no blocks of the other. With more rows they are:

    ```mlir
    // 10 elements on "x"=4 are 3, 3, 3 and 1; of 5x2 each device has two rows, the last ones fewer.
    %r = stablehlo.reshape %a : (tensor<10xf32>) -> tensor<5x2xf32>
    ```
    becomes
    ```mlir
    %p = stablehlo.pad %a, %zero, low = [0], high = [6], interior = [0]   // 10 to 16
    %q = stablehlo.reshape %p : (tensor<16xf32>) -> tensor<8x2xf32>
    %r = stablehlo.slice %q [0:5, 0:2]                                    // 8 to 5 rows, in place
    ```
    The pad fetches the elements between the blocks. Where users cut both sides by other axes, the
    cheapest of these are those of the rows in between, if that is much cheaper than what divides.
    Requires closed shardings.
  }];
}

def SplitBatchNorms : ReshardPass<"shardwise-split-batch-norms"> {
  let summary = "writes batch_norm_training and batch_norm_grad of cut tensors as their formulas";
  let description = [{
    These ops need all elements of a feature at once, but only for sums, which devices make of their parts:

    ```mlir
    // %x: 16x8 on [{"x"}, {} ]
    %y:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}>
    ```
    becomes
    ```mlir
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]   // an all_reduce
    %mean = stablehlo.divide %sum, %sixteen
    %c = stablehlo.subtract %x, %mean_of_each                                               // [{"x"}, {} ]
    ...
    ```
    and the same for the variance. Features that are cut need nothing of other devices. Ops whose tensors are
    whole stay. Requires closed shardings.
  }];
}

def SplitFourierTransforms : ReshardPass<"shardwise-split-fourier-transforms"> {
  let summary = "splits Fourier transforms along several dimensions of which some are cut";
  let description = [{
    A transform along several dimensions is one transform behind the other, and each needs only its own
    dimensions whole. Those that no axis cuts are transformed first, together:

    ```mlir
    // %x on [{"x"}, {} ]
    %r = stablehlo.fft %x, type = FFT, length = [64, 64]
    ```
    becomes
    ```mlir
    %0 = stablehlo.fft %x, type = FFT, length = [64]       // [{"x"}, {} ]
    %1 = stablehlo.transpose %0, dims = [1, 0]             // [{"x"}, {} ]
    %2 = stablehlo.fft %1, type = FFT, length = [64]       // [{"x"}, {} ]
    %r = stablehlo.transpose %2, dims = [1, 0]             // [{"x"}, {} ]
    ```
    The second transform wants whole columns, which an all_to_all gives it, and another one brings its
    result back. Requires closed shardings.
  }];
}

def InsertPartitionReshards : ReshardPass<"shardwise-insert-partition-reshards"> {
  let summary = "inserts reshards so that every op's operands and results agree on its factors";
  let description = [{
    Afterwards every device can compute every op on its own part. A sharded contraction leaves
    partial sums, and reducing them is a reshard too:

    ```mlir
    // %x: <@mesh, [{"data"}, {"model"} ]>, %w: <@mesh, [{"model"}, {} ]>
    %0 = stablehlo.dot_general %x, %w, ... // <@mesh, [{"data"}, {} ]>
    ```
    becomes
    ```mlir
    %0 = stablehlo.dot_general %x, %w, ... // <@mesh, [{"data"}, {} ], unreduced={"model"}>
    %1 = sdy.reshard %0 <@mesh, [{"data"}, {} ]>
    ```
    A sum of partial sums stays partial if it is declared so. Fails where a result is declared
    unreduced by another function than its op combines by.

    Requires closed shardings, on meshes of the same axes or on single devices. An op works on one
    order of devices, or on one device; values come there by reshards, too. Dimensions that do not divide stay as they are where the
    op can live with padding, else they are cut until they do. Fails at collectives whose results are
    not divided evenly. In a program whose arguments, results and constraints divide, all values do.

    In a program on one mesh the shardings of values that nobody wrote are changed first where that
    makes the program cheaper: by whole regions, of which a minimum cut takes what pays. Shardings of
    arguments, results, constraints, and those written on ops that `shardwise` propagated stay.
  }];
  let options = [
    Option<"choosePlacements", "choose-placements", "bool", /*default=*/"true",
           "change shardings that nobody wrote where that is cheaper">,
    Option<"exchangeRows", "exchange-rows", "bool", /*default=*/"true",
           "let indices and the rows that they mean be cut by the same axes, where gather and "
           "scatter then exchange them by a ragged_all_to_all">,
    Option<"topology", "topology", "std::string", /*default=*/"",
           "the machine on which seconds decide: a preset or a file; bytes if it is empty">,
    Option<"carriedBytes", "carried-bytes", "int64_t", /*default=*/"0",
           "bytes of a device by which what loops carry may grow, so that sums are taken behind them">,
    Option<"hoistedBytes", "hoisted-bytes", "int64_t", /*default=*/"INT64_MAX",
           "bytes of a device that what is resharded once before a loop, not in each round, may take">,
  ];
}

def MergeReductions : ReshardPass<"sdy-merge-reductions"> {
  let summary = "reduces partial values where that is cheapest";
  let description = [{
    A linear op of a sum over devices is the sum of the op on what each device has. So a reduction
    may come later: once for several addends, on a smaller value, behind a loop. It does where the
    devices then receive less; else it stays:

    ```mlir
    // %a, %b: <@m, [{"x"} ], unreduced={"y"}>
    %0 = sdy.reshard %a <@m, [{"x"} ]> : tensor<8xf32>
    %1 = sdy.reshard %b <@m, [{"x"} ]> : tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    ```
    becomes
    ```mlir
    %0 = stablehlo.add %a, %b : tensor<8xf32>   // <@m, [{"x"} ], unreduced={"y"}>
    %1 = sdy.reshard %0 <@m, [{"x"} ]> : tensor<8xf32>
    ```
    The sheet of each op (`rules/OpSheet.h`) says in which operands it is linear: sums, products with
    a value that is equal on these devices, selects, conversions to wider floats, what moves or adds
    up elements, and what loops carry. Where an addend is whole, one device adds it. The choice is the
    cheapest of all, found as a minimum cut; the price is that of the reshards, in loops eight times
    for each loop around them.

    The order of a floating-point sum changes, as it does by partitioning itself.
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"",
           "the machine on which seconds decide: a preset or a file; bytes if it is empty">,
    Option<"carriedBytes", "carried-bytes", "int64_t", /*default=*/"0",
           "bytes of a device by which what loops carry may grow, so that sums are taken behind them">,
  ];
}

def ReshardToCollectives : ReshardPass<"sdy-reshard-to-collectives"> {
  let summary = "turns every sdy.reshard into the collectives that the planner finds for it";
  let description = [{
    To the same axes in another order of devices, one of them is a permute:

    ```mlir
    // @order = <["x"=2], device_ids=[1, 0]>
    %1 = sdy.reshard %0 <@order, [{}, {"x"} ]>  // from <@mesh, [{"x"}, {} ]>
    ```
    becomes
    ```mlir
    %1 = sdy.collective_permute %0 out_sharding=<@order, [{"x"}, {} ]>
    %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@order, [{}, {"x"} ]>
    ```
    A reshard to a mesh of other axes, or from a single device, stays: no collective does it. One that
    moves nothing goes, unless `keep-redundant-reshards` is set.

    Axes that become unreduced do so in the end, and nothing is sent for them: with x=2 and %0 as
    `[{"x"}, {} ]`,
    ```mlir
    %1 = sdy.reshard %0 <@mesh, [{}, {} ], unreduced={"x"}>
    ```
    becomes
    ```mlir
    %1 = sdy.sharded_to_unreduced [{"x"}, {} ] %0 out_sharding=<@mesh, [{}, {} ], unreduced={"x"}>
    ```
  }];
  let options = [
    Option<"keepRedundantReshards", "keep-redundant-reshards", "bool", "false",
           "leave reshards to the placement that their operand has">,
    Option<"countHandOver", "count-hand-over", "bool", "false",
           "where uneven dimensions are cut not only where blocks end, weigh the elements between, "
           "which whoever runs the collectives hands over">,
    Option<"exchange", "exchange", "bool", "false",
           "write an sdy.exchange where it is cheaper than uniform collectives">,
    Option<"topology", "topology", "std::string", /*default=*/"",
           "the machine on which seconds decide: a preset or a file; bytes if it is empty">,
  ];
}

def RemoveAllGatherReduceScatterForCmv1
    : Pass<"sdy-remove-all-gather-reduce-scatter-for-cmv1"> {
  let summary = "leaves gathers before and scatters behind matrix products to collective matmuls";
  let description = [{
    For a partitioner behind this one that overlaps a `dot_general` or `dot` with the collective
    beside it, and finds the place by shardings that do not fit. An `sdy.all_gather` that is used
    once, by the product, is replaced by its operand. If there is none, an `sdy.reduce_scatter` that
    is the only use of the product goes, and the product gets its sharding, unless that of the product
    has unreduced axes.

    ```mlir
    // %a: <@mesh, [{"x"}, {} ]>, %b: <@mesh, [{}, {"y"} ]>
    %0 = sdy.all_gather [{"x"}, {} ] %a out_sharding=<@mesh, [{}, {} ]>
    %1 = stablehlo.dot_general %0, %b, ... // <@mesh, [{}, {"y"} ]>
    ```
    becomes
    ```mlir
    %1 = stablehlo.dot_general %a, %b, ... // <@mesh, [{}, {"y"} ]>
    ```
  }];
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
}

#endif // SHARDWISE_TRANSFORMS_RESHARD_PASSES_TD
