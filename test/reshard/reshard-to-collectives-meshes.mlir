// RUN: shardwise-opt %s -sdy-reshard-to-collectives -split-input-file | FileCheck %s

// Meshes are judged reshard by reshard: these have nothing to do with each other.
sdy.mesh @unused = <["q"=3]>
sdy.mesh @mesh = <["x"=4, "y"=2]>
sdy.mesh @reversed = <["x"=4, "y"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @other_axes = <["z"=8]>

// CHECK-LABEL: func @each_on_its_mesh
func.func @each_on_its_mesh(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                            %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@other_axes, [{"z"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]>
  // CHECK-NEXT: sdy.all_to_all [{"z"}: 0->1] %arg1 out_sharding=<@other_axes, [{}, {"z"}]>
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %b <@other_axes, [{}, {"z"}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// The same axes in another order of devices are a permute, before or behind what else is to do.
// CHECK-LABEL: func @order
func.func @order(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK-NEXT: sdy.collective_permute %arg0 out_sharding=<@reversed, [{"x"}, {}]>
  %0 = sdy.reshard %a <@reversed, [{"x"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @order_and_axes
func.func @order_and_axes(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK-NEXT: %[[ORDER:.*]] = sdy.collective_permute %arg0 out_sharding=<@reversed, [{"y", "x":(1)2}, {}]>
  // CHECK-NEXT: sdy.all_gather [{"x":(1)2}, {}] %[[ORDER]] out_sharding=<@reversed, [{"y"}, {}]>
  %0 = sdy.reshard %a <@reversed, [{"y"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @order_and_sum
func.func @order_and_sum(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  // CHECK-NEXT: sdy.collective_permute %[[SUM]] out_sharding=<@reversed, [{"x"}, {}]>
  %0 = sdy.reshard %a <@reversed, [{"x"}, {}]> : tensor<16x8xf32>
  // Partial values cross as they are.
  // CHECK-NEXT: sdy.collective_permute %arg0 out_sharding=<@reversed, [{"x"}, {}], unreduced={"y"}>
  %1 = sdy.reshard %a <@reversed, [{"x"}, {}], unreduced={"y"}> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// What every device has is in every order: nothing is sent to cut it, nor behind a gather.
// CHECK-LABEL: func @whole
func.func @whole(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                 %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]>
  %0 = sdy.reshard %a <@reversed, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %b <@reversed, [{}, {}]> : tensor<16x8xf32>
  // CHECK-NEXT: %[[ORDER:.*]] = sdy.collective_permute %arg1 out_sharding=<@reversed, [{}, {}]>
  // CHECK-NEXT: %[[SLICE:.*]] = sdy.all_slice [{"x"}, {}] %[[ORDER]] out_sharding=<@reversed, [{"x"}, {}]>
  %2 = sdy.reshard %b <@reversed, [{"x"}, {}]> : tensor<16x8xf32>
  // CHECK-NEXT: return %[[WHOLE]], %arg1, %[[SLICE]]
  return %0, %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// No collective leads to other axes, unless it makes the value whole.
// CHECK-LABEL: func @axes
func.func @axes(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: sdy.reshard %arg0 <@other_axes, [{"z"}, {}]>
  // CHECK-NEXT: sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]>
  %0 = sdy.reshard %a <@other_axes, [{"z"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %a <@other_axes, [{}, {}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @same = <["x"=2]>
sdy.mesh @device = <[], device_ids=[0]>
sdy.mesh @other_device = <[], device_ids=[1]>

// A device has what all have.
// CHECK-LABEL: func @to_device
func.func @to_device(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                     %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]>
  // CHECK-NEXT: return %[[WHOLE]], %arg1
  %0 = sdy.reshard %a <@device, []> : tensor<16x8xf32>
  %1 = sdy.reshard %b <@device, []> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// No collective of the dialect begins on one device.
// CHECK-LABEL: func @from_device
func.func @from_device(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@device, []>}) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[SHARDED:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]>
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
  // CHECK-NEXT: %[[OTHER:.*]] = sdy.reshard %arg0 <@other_device, []>
  // CHECK-NEXT: return %[[SHARDED]], %[[WHOLE]], %[[OTHER]], %arg0
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<16x8xf32>
  %2 = sdy.reshard %a <@other_device, []> : tensor<16x8xf32>
  %3 = sdy.reshard %a <@device, []> : tensor<16x8xf32>
  return %0, %1, %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// Two names of one mesh are one mesh.
// CHECK-LABEL: func @names
func.func @names(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[MOVED:.*]] = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}]>
  // CHECK-NEXT: return %arg0, %[[MOVED]]
  %0 = sdy.reshard %a <@same, [{"x"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %a <@same, [{}, {"x"}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}
