// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -shardwise-collectives-to-shard

module attributes {mhlo.num_partitions = 4 : i32} {
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{cannot be said in MLIR's dialect shard: its groups are not those along whole axes of the grid; use another form}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  // expected-error @below {{it is not a rotation of all devices along one axis}}
  %1 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{its region is not one reduction}}
  %2 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    %t = stablehlo.negate %s : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4xf32>, tensor<4xf32>
}
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
// expected-error @below {{cannot be said in MLIR's dialect shard: its devices have an order of their own; number them in the order of the mesh}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
}
