// RUN: shardwise-opt %s -shardwise-lower-local-collectives | FileCheck %s

module attributes {mhlo.num_partitions = 4 : i32} {
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>
sdy.mesh @single = <[], device_ids=[2]>

// CHECK-LABEL: func @gather_and_slice
func.func @gather_and_slice(%a: tensor<4x4xf32>) -> tensor<8x2xf32> {
  // CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [8, 2]
  %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@mesh, [{}, {"y"}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{}, {}]>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4x4xf32>) {
  // CHECK: "stablehlo.all_reduce"
  // CHECK: stablehlo.maximum
  %0 = sdy.all_reduce max {"y"} %a out_sharding=<@mesh, [{}, {}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"y"}>} : tensor<8x4xf32>
  // CHECK: "stablehlo.reduce_scatter"
  %1 = sdy.reduce_scatter [{"y"}, {}] %a out_sharding=<@mesh, [{"y"}, {}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func @move
func.func @move(%a: tensor<4x4xf32>) -> (tensor<8x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: "stablehlo.all_to_all"
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  // Devices 1 and 2 change places.
  // CHECK: source_target_pairs = dense<{{\[\[}}0, 0], [2, 1], [1, 2], [3, 3]]>
  %1 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}, {}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : tensor<4x4xf32>
  // Both sides may be on meshes of their own.
  // CHECK: "stablehlo.collective_permute"
  %2 = sdy.collective_permute %a out_sharding=<@order, [{"x"}, {}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : tensor<4x4xf32>
  return %0, %1, %2 : tensor<8x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func @to_unreduced
func.func @to_unreduced(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  // CHECK: stablehlo.select
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : tensor<4x4xf32>
  // CHECK: stablehlo.dynamic_update_slice
  %1 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @from_one_device
func.func @from_one_device(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = {{.*}}, type = 1>, replica_groups = dense<{{\[\[}}2, 0, 1, 3]]>
  %0 = sdy.reshard %a <@mesh, [{}, {}]> {sdy.in_sharding = #sdy.sharding<@single, []>} : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Of 7 elements in 4 blocks, behind which there is one of padding.
// CHECK-LABEL: func @padded
func.func @padded(%a: tensor<2xf32>) -> tensor<7xf32> {
  // CHECK: "stablehlo.all_gather"{{.*}} : (tensor<2xf32>) -> tensor<8xf32>
  // CHECK-NEXT: stablehlo.slice %{{.*}} [0:7]
  %0 = sdy.all_gather [{"x", "y"}] %a out_sharding=<@mesh, [{}]> {sdy.in_sharding = #sdy.sharding<@mesh, [{"x", "y"}]>, shardwise.global_type = tensor<7xf32>} : (tensor<2xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func @neighbours
func.func @neighbours(%a: tensor<4xf32>, %outside: tensor<f32>) -> (tensor<6xf32>, tensor<7xf32>) {
  // The two before the block, of which the first fetch takes one, are sent once.
  // CHECK: %[[BEFORE:.*]] = stablehlo.slice %arg0 [2:4]
  // CHECK-NEXT: %[[SENT:.*]] = "stablehlo.collective_permute"(%[[BEFORE]]) <{{{.*}}source_target_pairs = dense<{{\[\[}}0, 1], [1, 2], [2, 3]]>
  // CHECK: stablehlo.slice %[[SENT]] [1:2]
  // CHECK: source_target_pairs = dense<{{\[\[}}1, 0], [2, 1], [3, 2]]>
  // CHECK: %[[FIRST:.*]] = stablehlo.concatenate {{.*}}, %arg0, {{.*}}, dim = 0
  %0 = sdy.fetch_interval %a dims=[0] starts=[-1] steps=[4] in_sharding=<@mesh, [{"x", "y"}]> : (tensor<4xf32>) -> tensor<6xf32>
  // CHECK-NOT: collective_permute
  // CHECK: stablehlo.broadcast_in_dim %arg1
  // CHECK: stablehlo.select
  %1 = sdy.fetch_interval %a outside=%outside dims=[0] starts=[-2] steps=[4] in_sharding=<@mesh, [{"x", "y"}]> : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  return %0, %1 : tensor<6xf32>, tensor<7xf32>
}

// The order of the blocks is turned round.
// CHECK-LABEL: func @reversed
func.func @reversed(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: source_target_pairs = dense<{{\[\[}}3, 0], [2, 1], [1, 2], [0, 3]]>
  // CHECK-NEXT: return
  %0 = sdy.fetch_interval %a dims=[0] starts=[12] steps=[-4] in_sharding=<@mesh, [{"x", "y"}]> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @wanted_by_all
func.func @wanted_by_all(%a: tensor<4xf32>) -> tensor<16xf32> {
  // CHECK: "stablehlo.all_gather"
  // CHECK-NEXT: return
  %0 = sdy.fetch_interval %a dims=[0] starts=[0] steps=[0] in_sharding=<@mesh, [{"x", "y"}]> : (tensor<4xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
}
