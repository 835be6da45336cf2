// RUN: shardwise-opt %s -split-input-file -shardwise-number-devices-by-mesh | FileCheck %s

module attributes {mhlo.num_partitions = 4 : i32} {
// CHECK: sdy.mesh @mesh = <["x"=4]>
// CHECK: sdy.mesh @usual = <["x"=4], device_ids=[1, 3, 0, 2]>
// CHECK: sdy.mesh @single = <[], device_ids=[3]>
sdy.mesh @mesh = <["x"=4], device_ids=[2, 0, 3, 1]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}], device_ids = dense<[2, 0, 3, 1]> : tensor<4xi64>}}
sdy.mesh @usual = <["x"=4]>
sdy.mesh @single = <[], device_ids=[1]>
sdy.mesh @of_others = <["z"=5], device_ids=[4, 3, 2, 1, 0]>

// CHECK-LABEL: func @main
func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %l: tensor<2xi32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<ui32>, tensor<2xf32>) {
  // CHECK: source_target_pairs = dense<{{\[\[}}0, 1], [1, 2]]>
  %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[2, 0], [0, 3]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: replica_groups = dense<{{\[\[}}1, 3], [0, 2]]>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  // CHECK: @ragged_all_to_all{{.*}} replica_groups = dense<{{\[\[}}1, 3], [0, 2]]>
  %3 = stablehlo.custom_call @ragged_all_to_all(%a, %a, %l, %l, %l, %l) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}} : (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xf32>
  // CHECK: %[[ID:.*]] = stablehlo.partition_id
  // CHECK: %[[TABLE:.*]] = stablehlo.constant dense<[2, 0, 3, 1]> : tensor<4xui32>
  // CHECK: %[[ONE:.*]] = stablehlo.dynamic_slice %[[TABLE]], %[[ID]], sizes = [1]
  // CHECK: %[[OLD:.*]] = stablehlo.reshape %[[ONE]]
  // CHECK: return %{{.*}}, %{{.*}}, %[[OLD]], %
  %2 = stablehlo.partition_id : tensor<ui32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<4xf32>, tensor<ui32>, tensor<2xf32>
}
}

// -----

// Devices in order have their numbers.
// CHECK: sdy.mesh @mesh = <["x"=4]>
sdy.mesh @mesh = <["x"=4]>
// CHECK-LABEL: func @in_order
func.func @in_order(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<ui32> {
  // CHECK-NEXT: %[[ID:.*]] = stablehlo.partition_id
  // CHECK-NEXT: return %[[ID]]
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
