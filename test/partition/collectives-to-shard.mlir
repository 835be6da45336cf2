// RUN: shardwise-opt %s -split-input-file -shardwise-collectives-to-shard | FileCheck %s

module attributes {mhlo.num_partitions = 8 : i32} {
// CHECK: shard.grid @grid(shape = 2x4)
sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: func @groups
func.func @groups(%a: tensor<4x4xf32>, %b: tensor<4xi1>) -> (tensor<16x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<4xi1>, tensor<1x16xf32>) {
  // CHECK: shard.all_gather %arg0 on @grid grid_axes = [1] gather_axis = 0 : tensor<4x4xf32> -> tensor<16x4xf32>
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<16x4xf32>
  // Axes stay in the order of the group.
  // CHECK: shard.all_reduce %arg0 on @grid grid_axes = [1, 0] reduction = max : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.maximum %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // Lists may be what an axis gives.
  // CHECK: shard.reduce_scatter %arg0 on @grid grid_axes = [0] scatter_axis = 0 : tensor<4x4xf32> -> tensor<2x4xf32>
  %2 = "stablehlo.reduce_scatter"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[3, 7], [0, 4], [1, 5], [2, 6]]> : tensor<4x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK: shard.all_reduce %arg1 on @grid grid_axes = [0] reduction = bitwise_or : tensor<4xi1> -> tensor<4xi1>
  %3 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<i1>, %r: tensor<i1>):
    %s = stablehlo.or %l, %r : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK: shard.all_to_all %arg0 on @grid grid_axes = [1] split_axis = 0 concat_axis = 1 : tensor<4x4xf32> -> tensor<1x16xf32>
  %4 = "stablehlo.all_to_all"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, concat_dimension = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x4xf32>) -> tensor<1x16xf32>
  return %0, %1, %2, %3, %4 : tensor<16x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<4xi1>, tensor<1x16xf32>
}

// CHECK-LABEL: func @devices
func.func @devices(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<ui32>) {
  // CHECK: shard.shift %arg0 on @grid grid_axes = [1] shift_axis = 1 offset = 3 rotate : tensor<4xf32> -> tensor<4xf32>
  %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: shard.broadcast %arg0 on @grid grid_axes = [0, 1] root = [1, 2] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.collective_broadcast"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[6, 0, 1, 2, 3, 4, 5, 7]]> : tensor<1x8xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[INDEX:.*]] = shard.process_linear_index on @grid : index
  // CHECK: %[[TENSOR:.*]] = tensor.from_elements %[[INDEX]] : tensor<index>
  // CHECK: %[[NUMBER:.*]] = arith.index_castui %[[TENSOR]] : tensor<index> to tensor<i32>
  // CHECK: tensor.bitcast %[[NUMBER]] : tensor<i32> to tensor<ui32>
  %2 = stablehlo.partition_id : tensor<ui32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<ui32>
}
}

// -----

// The grid is not a name that the program has.
module attributes {mhlo.num_partitions = 2 : i32} {
// CHECK: shard.grid @[[$GRID:grid_.*]](shape = 2)
sdy.mesh @grid = <["x"=2]>
// CHECK-LABEL: func @name
func.func @name() -> tensor<ui32> {
  // CHECK: shard.process_linear_index on @[[$GRID]]
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
}
