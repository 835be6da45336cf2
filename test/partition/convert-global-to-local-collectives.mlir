// RUN: shardwise-opt %s -sdy-convert-global-to-local | FileCheck %s

// CHECK: module attributes {mhlo.num_partitions = 16 : i32, mhlo.num_replicas = 1 : i32}
// CHECK: sdy.mesh @mesh = <["x"=2, "y"=2, "w"=4]>
sdy.mesh @mesh = <["x"=2, "y"=2, "w"=4]>

// One all_gather per dimension; shardings stay at the border of the program.
// CHECK-LABEL: func @allGather
// CHECK-SAME: %[[ARG:.*]]: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
// CHECK-SAME: -> (tensor<8x8xf32>
func.func @allGather(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  // CHECK: %[[ROWS:.*]] = "stablehlo.all_gather"(%[[ARG]])
  // CHECK-SAME: all_gather_dim = 0 : i64
  // CHECK-SAME: channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
  // CHECK-SAME: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
  // CHECK-SAME: use_global_device_ids
  // CHECK-SAME: (tensor<4x4xf32>) -> tensor<8x4xf32>
  // CHECK: "stablehlo.all_gather"(%[[ROWS]])
  // CHECK-SAME: all_gather_dim = 1 : i64
  // CHECK-SAME: handle = 2
  // CHECK-SAME: axes = [#stablehlo.axis_ref<name = "y">]
  // CHECK-SAME: (tensor<8x4xf32>) -> tensor<8x8xf32>
  // CHECK-NOT: sdy.sharding
  %0 = sdy.all_gather [{"x"}, {"y"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @subAxis
func.func @subAxis(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w":(1)2}]>}) {
  // CHECK: "stablehlo.all_gather"
  // CHECK-SAME: axes = [#stablehlo.axis_ref<name = "w", sub_axis_info = (2)2>]
  // CHECK-SAME: (tensor<2xf32>) -> tensor<4xf32>
  %0 = sdy.all_gather [{"w":(2)2}] %a out_sharding=<@mesh, [{"w":(1)2}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @allSlice
// CHECK-SAME: %[[ARG:.*]]: tensor<8x8xf32>
func.func @allSlice(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  // CHECK: %[[ID:.*]] = stablehlo.partition_id : tensor<ui32>
  // CHECK: %[[EIGHT:.*]] = stablehlo.constant dense<8> : tensor<ui32>
  // CHECK: %[[XU:.*]] = stablehlo.divide %[[ID]], %[[EIGHT]] : tensor<ui32>
  // CHECK: %[[X:.*]] = stablehlo.convert %[[XU]] : (tensor<ui32>) -> tensor<i32>
  // CHECK: %[[FOUR:.*]] = stablehlo.constant dense<4> : tensor<i32>
  // CHECK: %[[ROW:.*]] = stablehlo.multiply %[[X]], %[[FOUR]] : tensor<i32>
  // CHECK: %[[FOURU:.*]] = stablehlo.constant dense<4> : tensor<ui32>
  // CHECK: %[[Q:.*]] = stablehlo.divide %[[ID]], %[[FOURU]] : tensor<ui32>
  // CHECK: %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<ui32>
  // CHECK: %[[YU:.*]] = stablehlo.remainder %[[Q]], %[[TWO]] : tensor<ui32>
  // CHECK: %[[Y:.*]] = stablehlo.convert %[[YU]] : (tensor<ui32>) -> tensor<i32>
  // CHECK: %[[COLUMN:.*]] = stablehlo.multiply %[[Y]], %[[FOUR]] : tensor<i32>
  // CHECK: stablehlo.dynamic_slice %[[ARG]], %[[ROW]], %[[COLUMN]], sizes = [4, 4]
  %0 = sdy.all_slice [{"x"}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  // The same slice of another value: coordinates are not computed again.
  // CHECK-NOT: partition_id
  %1 = stablehlo.sine %a : tensor<8x8xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %[[ROW]], %[[COLUMN]], sizes = [4, 4]
  %2 = sdy.all_slice [{"x"}, {"y"}] %1 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %3 = stablehlo.add %0, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// Neighbouring axes are one digit of the partition id; others are put together.
// CHECK-LABEL: func @coordinates
func.func @coordinates(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
  // CHECK: %[[ID:.*]] = stablehlo.partition_id
  // CHECK: %[[XY:.*]] = stablehlo.divide %[[ID]], %{{.*}} : tensor<ui32>
  // CHECK-NEXT: stablehlo.convert %[[XY]]
  // CHECK: %[[Y:.*]] = stablehlo.remainder
  // CHECK: %[[X:.*]] = stablehlo.divide
  // CHECK: %[[HIGH:.*]] = stablehlo.multiply %[[Y]]
  // CHECK: stablehlo.add %[[HIGH]], %[[X]] : tensor<ui32>
  %0 = sdy.all_slice [{"x", "y"}] %a out_sharding=<@mesh, [{"x", "y"}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"y", "x"}] %a out_sharding=<@mesh, [{"y", "x"}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @reductions
func.func @reductions(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>},
                      %b: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=min{"x"}>}) {
  // CHECK: "stablehlo.all_reduce"(%arg0)
  // CHECK-SAME: axes = [#stablehlo.axis_ref<name = "x">]
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
  // CHECK: (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK: "stablehlo.reduce_scatter"
  // CHECK-SAME: axes = [#stablehlo.axis_ref<name = "y">]
  // CHECK-SAME: scatter_dimension = 1 : i64
  // CHECK: (tensor<8x8xf32>) -> tensor<8x4xf32>
  %1 = sdy.reduce_scatter [{}, {"y"}] %0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  // CHECK: "stablehlo.all_reduce"(%arg1)
  // CHECK: stablehlo.and %{{.*}}, %{{.*}} : tensor<i1>
  %2 = sdy.all_reduce min {"x"} %b out_sharding=<@mesh, [{}]> : tensor<8xi1>
  return
}

// CHECK-LABEL: func @allToAll
func.func @allToAll(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: "stablehlo.all_to_all"(%arg0)
  // CHECK-SAME: concat_dimension = 0 : i64
  // CHECK-SAME: split_count = 2 : i64, split_dimension = 1 : i64
  // CHECK-SAME: (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// Two moves at once are one exchange of four parts.
// CHECK-LABEL: func @allToAllJoint
func.func @allToAllJoint(%a: tensor<8x16x4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"w"}, {}, {}]>}) {
  // CHECK: stablehlo.reshape %arg0 : (tensor<4x4x4x12xf32>) -> tensor<4x4x2x2x4x3xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [2, 4, 0, 1, 3, 5] : {{.*}} -> tensor<2x4x4x4x2x3xf32>
  // CHECK: stablehlo.reshape %{{.*}} -> tensor<8x4x4x2x3xf32>
  // CHECK: "stablehlo.all_to_all"
  // CHECK-SAME: axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "w">]
  // CHECK-SAME: split_count = 8
  // CHECK: stablehlo.reshape %{{.*}} -> tensor<2x4x4x4x2x3xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1, 3, 4, 5]
  // CHECK: stablehlo.reshape %{{.*}} -> tensor<8x16x2x3xf32>
  %0 = sdy.all_to_all [{"x"}: 0->2, {"w"}: 1->3] %a out_sharding=<@mesh, [{}, {}, {"x"}, {"w"}]> : tensor<8x16x4x12xf32>
  return
}

// CHECK-LABEL: func @permute
func.func @permute(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "w"}]>}) -> (tensor<16xf32>) {
  %g = sdy.all_gather [{"w"}] %a out_sharding=<@mesh, [{"x", "y"}]> : tensor<16xf32>
  // CHECK: "stablehlo.collective_permute"
  // CHECK-SAME: source_target_pairs = dense<{{\[}}[0, 0], [1, 1], [2, 2], [3, 3], [8, 4], [9, 5], [10, 6], [11, 7], [4, 8],
  %0 = sdy.collective_permute %g out_sharding=<@mesh, [{"y", "x"}]> : tensor<16xf32>
  %1 = sdy.all_gather [{"y", "x"}] %0 out_sharding=<@mesh, [{}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// CHECK-LABEL: func @unreduced
func.func @unreduced(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: %[[FIRST:.*]] = stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK: stablehlo.select %[[FIRST]], %arg0, %{{.*}} : tensor<i1>, tensor<4xf32>
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{"x"}], unreduced={"y"}> : tensor<8xf32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}}, %arg0, %{{.*}} : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
  %1 = sdy.sharded_to_unreduced [{"x"}] %a out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return
}
