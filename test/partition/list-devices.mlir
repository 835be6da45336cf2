// RUN: shardwise-opt %s -split-input-file -shardwise-list-devices | FileCheck %s
// RUN: shardwise-opt %s -split-input-file -shardwise-list-devices=as-replicas | FileCheck %s --check-prefix=REPLICAS

// CHECK: module @axes attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}
// REPLICAS: module @axes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32}
module @axes attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>

// CHECK-LABEL: func @gather
// REPLICAS-LABEL: func @gather
func.func @gather(%a: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}>
  // REPLICAS: <{all_gather_dim = 0 : i64, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>}>
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
  // The order within a group is that of its blocks.
  // CHECK: replica_groups = dense<{{\[\[}}3, 0], [1, 2]]> : tensor<2x2xi64>
  // REPLICAS: replica_groups = dense<{{\[\[}}3, 0], [1, 2]]> : tensor<2x2xi64>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @order, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @numbers
// REPLICAS-LABEL: func @numbers
func.func @numbers() -> (tensor<ui32>, tensor<ui32>) {
  // CHECK: stablehlo.partition_id
  // CHECK: stablehlo.constant dense<0> : tensor<ui32>
  // REPLICAS: stablehlo.replica_id
  // REPLICAS: stablehlo.constant dense<0> : tensor<ui32>
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.replica_id : tensor<ui32>
  return %0, %1 : tensor<ui32>, tensor<ui32>
}
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
// Without a channel, ids are replicas, of which there is one: each device is alone. Without global
// ids, id 0 stands for all devices of that replica. -1 fills rows.
// CHECK-LABEL: func @written
// REPLICAS-LABEL: func @written
func.func @written(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>) {
  // CHECK: "stablehlo.all_reduce"{{.*}} <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<{{\[\[}}0], [1], [2], [3]]> : tensor<4x1xi64>, use_global_device_ids}>
  // REPLICAS: "stablehlo.all_reduce"{{.*}} <{replica_groups = dense<{{\[\[}}0], [1], [2], [3]]> : tensor<4x1xi64>}>
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids
  // REPLICAS: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>}>
  %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: replica_groups = dense<{{\[\[}}2, 0, 3], [1, -1, -1]]> : tensor<2x3xi64>, use_global_device_ids
  %2 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[1, -1, -1], [2, 0, 3]]> : tensor<2x3xi64>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // No list is a list of all.
  // CHECK: "stablehlo.all_gather"{{.*}} replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>
  %3 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<4xf32>) -> tensor<16xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>
}

// CHECK-LABEL: func @permute
// REPLICAS-LABEL: func @permute
func.func @permute(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<{{\[\[}}0, 3], [3, 0]]>
  // REPLICAS: "stablehlo.collective_permute"(%{{.*}}) <{source_target_pairs = dense<{{\[\[}}0, 3], [3, 0]]> : tensor<2x2xi64>}>
  %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [3, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // Every device of the replica keeps what it has.
  // CHECK: source_target_pairs = dense<{{\[\[}}0, 0], [1, 1], [2, 2], [3, 3]]>
  %1 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
}
