// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives: changes of placement, written on the global program, or on that of one device.

#ifndef SHARDWISE_DIALECT_SDY_SDYCOLLECTIVES_TD
#define SHARDWISE_DIALECT_SDY_SDYCOLLECTIVES_TD

include "shardwise/dialect/sdy/SdyOps.td"

/// Those of shards may differ (LocalCollectives.h), which the interface checks.
def Sdy_CollectiveTypes
    : PredOpTrait<"all of {tensor, result} have same type",
                  Or<[CPred<"$tensor.getType() == $result.getType()">,
                      CPred<"$_op.hasAttr(\"sdy.in_sharding\")">]>>;

/// `out_sharding` does not define the result: it must be what the axes imply.
class Sdy_Collective<string opMnemonic>
    : Sdy_Op<opMnemonic, [Sdy_CollectiveTypes, Sdy_UsesMesh, Sdy_CollectiveOpInterface]> {
  let results = (outs AnyShaped:$result);
  let hasCanonicalizer = 1;
}

class Sdy_CollectiveOfAnyInput<string opMnemonic> : Sdy_Collective<opMnemonic> {
  let extraClassDeclaration = "bool allowMissingInputSharding() { return true; }";
}

def Sdy_AllGatherOp : Sdy_Collective<"all_gather"> {
  let summary = "gathers the shards along some axes of each dimension";
  let description = [{
    ```mlir
    // %t: <@m, [{"x", "y"}, {"z"} ]>
    %g = sdy.all_gather [{"y"}, {} ] %t out_sharding=<@m, [{"x"}, {"z"} ]> : tensor<16x32xf32>
    ```
    **Constraints**
    - The axes of a dimension are the minor end of the operand's, and `out_sharding` is the rest.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_ListOfAxisRefListsAttr:$gathering_axes,
                       Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $gathering_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
}

def Sdy_AllSliceOp : Sdy_CollectiveOfAnyInput<"all_slice"> {
  let summary = "keeps one slice per device along some axes of each dimension";
  let description = [{
    ```mlir
    // %t: <@m, [{"x"}, {} ]>
    %s = sdy.all_slice [{"y"}, {} ] %t out_sharding=<@m, [{"x", "y"}, {} ]> : tensor<16x32xf32>
    ```
    **Constraints**
    - `out_sharding` has the axes of the operand followed by the listed ones.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_ListOfAxisRefListsAttr:$slicing_axes,
                       Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $slicing_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
}

def Sdy_AllToAllOp : Sdy_Collective<"all_to_all"> {
  let summary = "moves axes from one dimension to another";
  let description = [{
    ```mlir
    // %t: <@m, [{"x", "y"}, {"z"} ]>
    %a = sdy.all_to_all [{"y"}: 0->1] %t out_sharding=<@m, [{"x"}, {"z", "y"} ]>
        : tensor<16x32xf32>
    ```
    **Constraints**
    - At least one move; dimensions are in range and used once; moves are sorted by source.
    - The axes are the minor end of the source dimension and become that of the target.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_AllToAllParamListAttr:$params,
                       Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $params $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
}

def Sdy_CollectivePermuteOp : Sdy_Collective<"collective_permute"> {
  let extraClassDeclaration = "bool allowDifferentMeshes() { return true; }";
  let summary = "exchanges whole shards between devices";
  let description = [{
    ```mlir
    // %t: <@m, [{"x"}, {"z"} ]>
    %p = sdy.collective_permute %t out_sharding=<@m, [{"z"}, {"x"} ]> : tensor<16x32xf32>
    ```
    **Constraints**
    - The meshes have the same axes; different meshes have different device orders.
    - Every dimension is cut into as many parts as before.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
}

def Sdy_ExchangeOp : Sdy_Collective<"exchange"> {
  let extraClassDeclaration = "bool allowDifferentMeshes() { return true; }";
  let summary = "every device gets the parts of its new shard that it lacks";
  let description = [{
    ```mlir
    // "x"=2, "y"=3; %t: <@m, [{"x"}, {"y"} ]>
    %e = sdy.exchange %t out_sharding=<@m, [{"y"}, {"x"} ]> : tensor<6x6xf32>
    ```
    A device keeps what it has of its new shard, and receives each other element of it once, from some
    device that has it. Who sends what follows from the two shardings, whatever they are: parts may be
    of different sizes, and of different numbers on each device. One exchange may move less than any
    sequence of the other collectives does.

    **Constraints**
    - The meshes have the same axes; different meshes have different device orders.
    - Operand and result have the same unreduced axes.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
}

def Sdy_AllReduceOp : Sdy_CollectiveOfAnyInput<"all_reduce"> {
  let summary = "combines partial values along some axes";
  let description = [{
    ```mlir
    // %u: <@m, [{"x"}, {} ], unreduced=max{"y", "z"}>
    %q = sdy.all_reduce max {"z"} %u out_sharding=<@m, [{"x"}, {} ], unreduced=max{"y"}>
        : tensor<16x32xf32>
    ```
    **Constraints**
    - Operand and result have the same axes in every dimension.
    - The axes are in mesh order, and overlap neither dimensions nor replicated axes of the operand
      nor unreduced axes of the result.
    - No unreduced axis is added; those removed are of this kind.
  }];
  let arguments = (ins AnyShaped:$tensor,
      DefaultValuedAttr<Sdy_ReductionKind, "::shardwise::sdy::ReductionKind::Sum">:$reduction_op,
      Sdy_AxisRefListAttr:$reduction_axes, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    custom<KindAndAxes>($reduction_op, $reduction_axes) $tensor
    `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOfAnyInput<"reduce_scatter"> {
  let summary = "combines partial values and keeps one slice per device";
  let description = [{
    ```mlir
    // %t: <@m, [{"x"}, {} ], unreduced={"y"}>
    %r = sdy.reduce_scatter [{"y"}, {} ] %t out_sharding=<@m, [{"x", "y"}, {} ]> : tensor<16x32xf32>
    ```
    An all_reduce followed by an all_slice along the same axes.

    **Constraints**
    - As for `sdy.all_slice`.
    - No unreduced axis is added; those removed are of this kind.
  }];
  let arguments = (ins AnyShaped:$tensor,
      DefaultValuedAttr<Sdy_ReductionKind, "::shardwise::sdy::ReductionKind::Sum">:$reduction_op,
      Sdy_ListOfAxisRefListsAttr:$reduce_scatter_axes, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    custom<KindAndAxes>($reduction_op, $reduce_scatter_axes) $tensor
    `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
}

def Sdy_ShardedToUnreducedOp : Sdy_Collective<"sharded_to_unreduced"> {
  let summary = "makes axes that cut a tensor unreduced";
  let description = [{
    ```mlir
    // %t: <@m, [{"x", "y"}, {} ]>
    %u = sdy.sharded_to_unreduced [{"y"}, {} ] %t out_sharding=<@m, [{"x"}, {} ], unreduced={"y"}>
        : tensor<16x32xf32>
    ```
    all_reduce of the result over the axes is all_gather of the operand over them.

    **Constraints**
    - As for `sdy.all_gather`; `out_sharding` has the axes as unreduced, of kind sum.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_ListOfAxisRefListsAttr:$axes,
                       Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
  let hasCanonicalizer = 0;
}

def Sdy_ReplicatedToUnreducedOp : Sdy_Collective<"replicated_to_unreduced"> {
  let summary = "makes axes that replicate a tensor unreduced";
  let description = [{
    ```mlir
    // %t: <@m, [{"x"}, {} ]>
    %u = sdy.replicated_to_unreduced {"y"} %t out_sharding=<@m, [{"x"}, {} ], unreduced={"y"}>
        : tensor<16x32xf32>
    ```
    all_reduce of the result over the axes is the operand.

    **Constraints**
    - Operand and result have the same dimension shardings.
    - At least one axis, in mesh order; none overlaps dimensions or unreduced axes of the operand.
    - `out_sharding` has the axes as unreduced, of kind sum.
  }];
  let arguments = (ins AnyShaped:$tensor, Sdy_AxisRefListAttr:$axes,
                       Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    custom<CollectiveTypes>(type($tensor), type($result))
  }];
  let hasCanonicalizer = 0;
}

def Sdy_FetchIntervalOp : Sdy_Op<"fetch_interval", [Pure, Sdy_UsesMesh]> {
  let summary = "gets an interval of a cut dimension, whoever has its elements";
  let description = [{
    An op of per-device programs: types are those of shards. Along each of `dims` the block of the
    device is replaced by the interval [start + step * c, start + step * c + extent) of the whole
    dimension, where c is the number of the block, and the extent is that of the result. What lies
    outside of the dimension is `outside`, or zero. With `divisors`, one for each of `dims`, the
    interval begins at (start + step * c) / divisor, rounded down: windows of stride 2 do not move as
    blocks of three elements do.

    ```mlir
    // 16 elements on "x"=4: each device has 4, and gets one more of each neighbour.
    %i = sdy.fetch_interval %t dims=[0] starts=[-1] steps=[4] in_sharding=<@m, [{"x"} ]>
        : (tensor<4xf32>) -> tensor<6xf32>
    ```
    **Constraints**
    - `in_sharding` is valid for the operand and cuts each of `dims`, which are ascending; there is
      a start and a step for each.
    - The result differs from the operand in the sizes of `dims` only; neither is empty along them.
    - Intervals are within 2^60 elements.
    - `divisors` are positive, one for each of `dims`.
    - `outside` is a scalar of their element type.
  }];
  let arguments = (ins AnyStaticShapeTensor:$tensor, Optional<AnyStaticShapeTensor>:$outside,
                       DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$steps, OptionalAttr<DenseI64ArrayAttr>:$divisors,
                       Sdy_TensorShardingAttr:$in_sharding);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $tensor (`outside` `` `=` `` $outside^)? `dims` `` `=` `` $dims `starts` `` `=` `` $starts
    `steps` `` `=` `` $steps (`divisors` `` `=` `` $divisors^)? `in_sharding` `` `=` `` $in_sharding attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // SHARDWISE_DIALECT_SDY_SDYCOLLECTIVES_TD
