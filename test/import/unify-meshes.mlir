// RUN: shardwise-opt %s -split-input-file -shardwise-unify-meshes | FileCheck %s

// The finest mesh is taken; the axes of the other are lists of its axes, also in manual computations
// and collectives. Open dimensions, priorities and reserved axes stay what they are, as do single
// devices.
// CHECK: sdy.mesh @grid = <["data"=4, "model"=2]>{{$}}
// CHECK-NEXT: sdy.mesh @experts = <["expert"=8]> {shardwise.axes = #sdy.sharding<@grid, [{"data", "model"}]>}
// CHECK-LABEL: func.func @finest
// CHECK-SAME: %arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data", ?}, {"model"}p1]>}
// CHECK-SAME: %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"data", "model"}p2]>}
// CHECK-SAME: %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data":(2)2}, {?}], replicated={"data":(1)2}>}
// CHECK-SAME: -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@one, []>})
sdy.mesh @grid = <["data"=4, "model"=2]>
sdy.mesh @experts = <["expert"=8]>
sdy.mesh @one = <[], device_ids=[3]>
func.func @finest(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data", ?}, {"model"}p1]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@experts, [{}, {"expert"}p2]>}, %c: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@experts, [{"expert":(2)2}, {?}], replicated={"expert":(1)2}>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  %0 = stablehlo.add %a, %b : tensor<16x8xf32>
  // CHECK: sdy.manual_computation(%0) in_shardings=[<@grid, [{"data", "model"}, {}]>] out_shardings=[<@grid, [{"data", "model"}, {}]>] manual_axes={"data", "model"} (%arg3: tensor<2x8xf32>)
  %1 = sdy.manual_computation(%0) in_shardings=[<@experts, [{"expert"}, {}]>] out_shardings=[<@experts, [{"expert"}, {}]>] manual_axes={"expert"} (%x: tensor<2x8xf32>) {
    sdy.return %x : tensor<2x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %2 = stablehlo.add %1, %c : tensor<16x8xf32>
  // CHECK: sdy.all_gather [{}, {"data":(2)2, "model"}] %arg1 out_sharding=<@grid, [{}, {"data":(1)2}]>
  %3 = sdy.all_gather [{}, {"expert":(2)4}] %b out_sharding=<@experts, [{}, {"expert":(1)2}]> : tensor<16x8xf32>
  // CHECK: sdy.all_to_all [{"data", "model"}: 1->0] %arg1 out_sharding=<@grid, [{"data", "model"}, {}]>
  %4 = sdy.all_to_all [{"expert"}: 1->0] %b out_sharding=<@experts, [{"expert"}, {}]> : tensor<16x8xf32>
  %5 = stablehlo.add %2, %3 : tensor<16x8xf32>
  // CHECK: sdy.sharding_constraint {{.*}} <@grid, [{}, {}], unreduced={"data", "model"}>
  %6 = sdy.sharding_constraint %5 <@experts, [{}, {}], unreduced={"expert"}> : tensor<16x8xf32>
  return %6 : tensor<16x8xf32>
}

// -----

// Where no mesh has all axes, those of the first are cut. Axes of size 1 are none.
// CHECK: sdy.mesh @b = <["x"=2, "one"=1, "y"=4]> {shardwise.axes = #sdy.sharding<@a, [{"data":(1)2}, {}, {"data":(2)2, "model"}]>}
// CHECK-LABEL: func.func @partsOfAxes
// CHECK-SAME: <@a, [{"data":(1)2}, {"data":(2)2, "model"}]>
sdy.mesh @a = <["data"=4, "model"=2]>
sdy.mesh @b = <["x"=2, "one"=1, "y"=4]>
func.func @partsOfAxes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"data"}, {}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x", "one"}, {"y"}]>}) {
  return
}

// -----

// Manual axes are whole axes of the mesh that is taken: of the second here, of a new one below.
// CHECK-LABEL: func.func @manualAxes
// CHECK-SAME: <@b, [{"x", "y":(1)2}, {"y":(2)2}]>
sdy.mesh @a = <["data"=4, "model"=2]>
sdy.mesh @b = <["x"=2, "y"=4]>
func.func @manualAxes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"data"}, {"model"}]>}) -> tensor<8x8xf32> {
  // CHECK: manual_axes={"x"}
  %0 = sdy.manual_computation(%a) in_shardings=[<@b, [{"x"}, {}]>] out_shardings=[<@b, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// CHECK: sdy.mesh @common_mesh = <["data:(1)2"=2, "data:(2)2"=2, "model"=2]>
// CHECK-LABEL: func.func @partsThatAreManual
// CHECK-SAME: <@common_mesh, [{"data:(1)2", "data:(2)2"}, {"model"}]>
sdy.mesh @a = <["data"=4, "model"=2]>
sdy.mesh @b = <["x"=2, "y"=4]>
func.func @partsThatAreManual(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"data"}, {"model"}]>}) -> tensor<8x8xf32> {
  // CHECK: in_shardings=[<@common_mesh, [{"data:(1)2"}, {}]>]
  // CHECK-SAME: manual_axes={"data:(1)2"}
  %0 = sdy.manual_computation(%a) in_shardings=[<@b, [{"x"}, {}]>] out_shardings=[<@b, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: manual_axes={"data:(1)2", "data:(2)2"}
  %1 = sdy.manual_computation(%0) in_shardings=[<@a, [{"data"}, {}]>] out_shardings=[<@a, [{"data"}, {}]>] manual_axes={"data"} (%x: tensor<2x8xf32>) {
    sdy.return %x : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Another order of devices stays a mesh, with the common axes; so do meshes whose cuts do not divide
// each other.
// CHECK: sdy.mesh @common_mesh_reordered = <["a"=2, "b"=3], device_ids=[0, 2, 4, 1, 3, 5]>
// CHECK: sdy.mesh @common_mesh_reordered_0 = <["a"=2, "b"=3], device_ids=[5, 4, 3, 2, 1, 0]>
// CHECK-LABEL: func.func @otherOrders
// CHECK-SAME: %arg1: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@common_mesh_reordered, [{"b"}, {"a"}]>}
// CHECK-SAME: %arg2: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@common_mesh_reordered_0, [{"a", "b"}, {}]>}
// CHECK-SAME: %arg3: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@a, [{"b"}, {"a"}]>}
sdy.mesh @a = <["a"=2, "b"=3]>
sdy.mesh @c = <["c"=3, "d"=2]>
sdy.mesh @back = <["z"=6], device_ids=[5, 4, 3, 2, 1, 0]>
sdy.mesh @turned = <["v"=3, "w"=2], device_ids=[0, 3, 1, 4, 2, 5]>
func.func @otherOrders(%a: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@a, [{"a"}, {"b"}]>}, %b: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@c, [{"c"}, {"d"}]>}, %c: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@back, [{"z"}, {}]>}, %d: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@turned, [{"v"}, {"w"}]>}) {
  return
}

// -----

// The same axes in another order of devices, and other devices, are left to those who know.
// CHECK-LABEL: func.func @nothingToDo
// CHECK-SAME: <@order, [{"x"}]>
// CHECK-SAME: <@more, [{"y"}]>
sdy.mesh @m = <["x"=2]>
sdy.mesh @order = <["x"=2], device_ids=[1, 0]>
sdy.mesh @more = <["y"=4]>
func.func @nothingToDo(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}]>}, %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@more, [{"y"}]>}) {
  return
}
