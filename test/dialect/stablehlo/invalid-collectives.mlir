// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives, one case per constraint.

// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// all_gather (C3): element type
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{operand and result must have one element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf64>
  return
}

// -----

// all_gather (C4): the dimension is in range
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{all_gather_dim 2 is outside [0, 2)}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C4): rank
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{operand and return must have the same rank, got 2 and 1}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<12xf32>
  return
}

// -----

// all_gather (C4): other sizes
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{operand and result should have the same shape except for the dimension size at all_gather_dim 1, got 4 and 5 in dimension 0}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<5x12xf32>
  return
}

// -----

// all_gather (C4): multiple
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{result gather dimension has size 13, expected to be a multiple of operand gather dimension size 6}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x13xf32>
  return
}

// -----

// all_gather (C4): not empty
func.func @f(%a: tensor<4x0xf32>) {
  // expected-error@+1 {{operand gather dimension cannot be zero}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x0xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C2): channel with global ids
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{channel_id cannot be negative when useGlobalDeviceIds is set, got -1}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = -1, type = 1>, use_global_device_ids}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C1): rank
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{replica groups should be a rank 2 tensor}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C1): unique
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{replica id #0 seen more than once}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C1): not negative
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{Invalid replica id -1}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C1): covering
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{replica id #1 not seen in replica groups}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C1): not empty with global ids
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{if `use_global_device_ids` is set, the replica groups cannot be empty}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// all_gather (C1): the mesh symbol exists
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{replica_groups: mesh symbol 'nope' not found}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nope, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

// replica_group_mesh_axes (C2): axes of an inlined mesh exist
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{axis 'z' not found in mesh definition}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// all_reduce (C2): channel with global ids
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{channel_id must be positive when useGlobalDeviceIds is set but got: 0}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce (C1): ids below -1
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{Invalid replica id -2}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce (C3), reducer (C5): reducer
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{The element-type of reduction-region's argument at index 1 is expected to be promotable from 'f32', but got 'i32'}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

// all_reduce (C3): result type
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// reduce_scatter (C3): the dimension is in range
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{scatter_dimension -1 is outside [0, 2)}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = -1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

// reduce_scatter (C3): multiple
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{operand scatter dimension has size 4, expected to be a multiple of result scatter dimension size 3}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

// reduce_scatter (C3): not empty
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{operand and result scatter dimension cannot be zero, got 4 and 0}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<0x6xf32>
  return
}

// -----

// reduce_scatter (C3): other sizes
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{operand and result should have the same shape except for the dimension size at scatter_dimension 0, got 6 and 5 in dimension 1}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<2x5xf32>
  return
}

// -----

// reduce_scatter (C4): element type
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{result element type is expected to be 'f32', but got 'f64'}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<2x6xf64>
  return
}

// -----

// reduce_scatter (C2): channel with global ids
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{channel_id must be positive when useGlobalDeviceIds is set but got: 0}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

// all_to_all (C2): split_dimension
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{all_to_all split_dimension 2 is outside [0, 2)}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// all_to_all (C2): concat_dimension
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{all_to_all concat_dimension -1 is outside [0, 2)}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// all_to_all (C2): split_count
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{all_to_all split_count must be > 0, got 0}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 0 : i64, split_dimension = 0 : i64}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// all_to_all (C3): divisible
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{split dimension has size 4, expected to be a multiple of split_count 3}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 3 : i64, split_dimension = 0 : i64}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// all_to_all (C1): members of a group
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{group size of replica_groups must be 2, got 1}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// all_to_all: result type
func.func @f(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x12xf32>' are incompatible with return type(s) of operation 'tensor<4x6xf32>'}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

// collective_permute (C1): shape of the pairs
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{expect source_target_pairs attribute of shape (N, 2), but got ('tensor<1x3xi64>')}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute (C3): unique sources
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{duplicate sources not allowed, got 0 twice}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute (C3): unique targets
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{duplicate targets not allowed, got 1 twice}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute (C2): not negative
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{replica ids in source_target_pairs must be >= 0, got -1}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_broadcast (C1): unique
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{replica id #3 seen more than once}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[3, 3]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_broadcast (C2): dynamic root
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{expects a last operand of type tensor<nxi32> with has_dynamic_root}}
  %0 = "stablehlo.collective_broadcast"(%a) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// partition_id: ui32
func.func @f() {
  // expected-error@+1 {{result #0 must be 0D tensor of 32-bit unsigned integer values}}
  %0 = stablehlo.partition_id : tensor<i32>
  return
}

// -----

// replica_group_mesh_axes (C1): the mesh is inlined or a symbol
// expected-error@+1 {{expected mesh to be a #stablehlo.mesh or a symbol, got 1 : i64}}
func.func private @f() attributes {a = #stablehlo.replica_group_mesh_axes<mesh = 1 : i64, axes = [#stablehlo.axis_ref<name = "x">]>}

// -----

// reduce_scatter (C1): groups cover all ids
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{replica id #0 not seen in replica groups}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// collective_broadcast (C3): result type
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xf64>'}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf64>
  return
}
