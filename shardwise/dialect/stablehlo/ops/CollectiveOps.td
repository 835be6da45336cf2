// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that exchange data between processes. They declare no effects, so generic passes
// neither drop nor merge them.

#ifndef SHARDWISE_DIALECT_STABLEHLO_COLLECTIVEOPS
#define SHARDWISE_DIALECT_STABLEHLO_COLLECTIVEOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

class Stablehlo_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, traits>;
class Stablehlo_GroupOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_CollectiveOp<mnemonic, traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;
defvar Stablehlo_OptionalChannel = OptionalAttr<Stablehlo_ChannelHandleAttr>;

def Stablehlo_AllGatherOp : Stablehlo_GroupOp<"all_gather"> {
  let summary = "concatenation of the operands of a group, in group order";
  let description = [{
    **Constraints**
    - replica groups are valid
    - operand and result have one element type and one rank, equal sizes except along
      all_gather_dim, where the result size is a multiple of the operand size, which is not 0
    - the channel id is not negative with use_global_device_ids
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands, I64Attr:$all_gather_dim,
                       Stablehlo_ReplicaGroupsAttr:$replica_groups,
                       Stablehlo_OptionalChannel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
}

def Stablehlo_AllReduceOp : Stablehlo_GroupOp<"all_reduce", [SingleBlock]> {
  let summary = "elementwise fold of the operands of a group";
  let description = [{
    **Constraints**
    - replica groups are valid; -1 may pad them
    - the channel id is positive with use_global_device_ids
    - the computation is a reducer; the result has the operand's shape and its element type
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands,
                       Stablehlo_ReplicaGroupsAttr:$replica_groups,
                       Stablehlo_OptionalChannel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_ReduceScatterOp : Stablehlo_GroupOp<"reduce_scatter", [SingleBlock]> {
  let summary = "own block of the elementwise fold of the operands of a group";
  let description = [{
    **Constraints**
    - replica groups are valid
    - the channel id is positive with use_global_device_ids
    - the operand size along scatter_dimension is a multiple of the result size, neither is
      0; other sizes are equal
    - the computation is a reducer; the result has its element type
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, I64Attr:$scatter_dimension,
                       Stablehlo_ReplicaGroupsAttr:$replica_groups,
                       Stablehlo_OptionalChannel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_AllToAllOp : Stablehlo_GroupOp<"all_to_all"> {
  let summary = "concatenation of the parts that the members of a group have for this one";
  let description = [{
    **Constraints**
    - split_dimension and concat_dimension are in range; split_count is positive
    - split_count divides the split size and is the length of dense replica groups
    - the result's split size is divided, its concat size multiplied by split_count
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands, I64Attr:$split_dimension,
                       I64Attr:$concat_dimension, I64Attr:$split_count,
                       Stablehlo_ReplicaGroupsAttr:$replica_groups,
                       Stablehlo_OptionalChannel:$channel_handle);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
}

def Stablehlo_CollectivePermuteOp : Stablehlo_CollectiveOp<"collective_permute",
                                                           Stablehlo_SameTypes> {
  let summary = "value of the source process; zeros without one";
  let description = [{
    **Constraints**
    - source_target_pairs has shape k x 2; ids are not negative, sources are unique, targets
      are unique
  }];
  let arguments = (ins Stablehlo_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
                       Stablehlo_OptionalChannel:$channel_handle);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_CollectiveBroadcastOp : Stablehlo_GroupOp<"collective_broadcast"> {
  let summary = "value of the first process of the group; zeros outside all groups";
  let description = [{
    **Constraints**
    - ids of the replica groups are unique and not negative
    - results have the types of the operands
    - with has_dynamic_root the last operand is a vector of i32 and has no result
  }];
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands,
                       Stablehlo_ReplicaGroupsAttr:$replica_groups,
                       Stablehlo_OptionalChannel:$channel_handle,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
}

def Stablehlo_CollectiveReduceOp : Stablehlo_GroupOp<"collective_reduce", [SingleBlock]> {
  let summary = "all_reduce with the value on the first process only; parsed, not supported";
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands,
                       Stablehlo_ReplicaGroupsAttr:$replica_groups,
                       Stablehlo_OptionalChannel:$channel_handle,
                       UnitAttr:$use_global_device_ids, UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
}

class Stablehlo_IdOp<string mnemonic>
    : Stablehlo_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins);
  let results = (outs Stablehlo_UInt32Scalar:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def Stablehlo_PartitionIdOp : Stablehlo_IdOp<"partition_id"> {
  let summary = "partition number of this process";
}
def Stablehlo_ReplicaIdOp : Stablehlo_IdOp<"replica_id"> {
  let summary = "replica number of this process";
}

#endif
