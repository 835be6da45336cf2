// RUN: shardwise-opt %s -sdy-insert-explicit-reshards | FileCheck %s
// Axes that start or stop being unreduced, and values on maximal meshes.

sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @same = <["a"=4, "b"=2, "c"=2]>
sdy.mesh @reversed = <["a"=4, "b"=2, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>

// CHECK-LABEL: func @operand
func.func @operand(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b", "c"}>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}>
  // CHECK-NEXT: %[[Y:.*]] = stablehlo.negate %[[X]]
  // CHECK-NEXT: %[[Z:.*]] = sdy.all_reduce {"b"} %[[Y]] out_sharding=<@mesh, [{"a"}, {}]>
  // CHECK-NEXT: return %[[Z]]
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}], unreduced={"b"}>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The end of a dimension that becomes unreduced stays where it is until it does.
// CHECK-LABEL: func @becomes_unreduced
func.func @becomes_unreduced(%x: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2, "c"}, {"b"}]>})
    -> (tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}], unreduced={"a":(2)2, "b"}>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{"c"}, {"b"}]>
  // CHECK-NEXT: %[[Y:.*]] = sdy.replicated_to_unreduced {"a":(2)2} %[[X]] out_sharding=<@mesh, [{"c"}, {"b"}], unreduced={"a":(2)2}>
  // CHECK-NEXT: %[[Z:.*]] = sdy.sharded_to_unreduced [{}, {"b"}] %[[Y]] out_sharding=<@mesh, [{"c"}, {}], unreduced={"a":(2)2, "b"}>
  // CHECK-NEXT: return %[[Z]]
  return %x : tensor<32x32xf32>
}

// A sum that is to stay unreduced along one axis is combined along the others.
// CHECK-LABEL: func @partly_unreduced
func.func @partly_unreduced(%x: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a", "c"}]>},
                            %y: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>})
    -> (tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"a"}>}) {
  // CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot
  // CHECK-NEXT: sdy.all_reduce {"c"} %[[DOT]] out_sharding=<@mesh, [{"b"}, {}], unreduced={"a"}>
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}], unreduced={"a"}>]>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// CHECK-LABEL: func @maximal
func.func @maximal(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %[[WHOLE]] <@one, []>
  // CHECK-NEXT: %[[Y:.*]] = sdy.reshard %arg1 <@one, []>
  // CHECK-NEXT: %[[CALL:.*]] = stablehlo.custom_call @f(%[[X]], %[[Y]])
  // CHECK-NEXT: %[[BACK:.*]] = sdy.reshard %[[CALL]] <@mesh, [{}, {}]>
  // CHECK-NEXT: return %[[BACK]]
  %0 = stablehlo.custom_call @f(%x, %y) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Tensors agree on the concatenated dimension, but it is whole where shardings are not identical.
// CHECK-LABEL: func @concatenate_unreduced
func.func @concatenate_unreduced(%x: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
  // CHECK-COUNT-2: sdy.reshard %arg0 <@mesh, [{}, {"a"}]>
  // CHECK: stablehlo.concatenate
  // CHECK-SAME: <@mesh, [{}, {"a"}], unreduced={"b"}>
  // CHECK: sdy.reshard {{.*}} <@mesh, [{"a"}, {}], unreduced={"b"}>
  %0 = stablehlo.concatenate %x, %x, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}], unreduced={"b"}>]>} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// A reshard that adds unreduced axes is taken apart like a use that asks for them.
// CHECK-LABEL: func @explicit_from_dimension
func.func @explicit_from_dimension(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.sharded_to_unreduced [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
  // CHECK-NEXT: return %[[X]]
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"a"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @explicit_from_replicated
func.func @explicit_from_replicated(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}], replicated={"a"}>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}], unreduced={"a"}>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.replicated_to_unreduced {"a"} %arg0 out_sharding=<@mesh, [{"c"}, {}], replicated={"b"}, unreduced={"a"}>
  // CHECK-NEXT: return %[[X]]
  %0 = sdy.reshard %x <@mesh, [{"c"}, {}], replicated={"b"}, unreduced={"a"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// What has to move does so first; "a" waits in its dimension.
// CHECK-LABEL: func @explicit_three_steps
func.func @explicit_three_steps(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}], unreduced={"a", "b"}>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{"a"}, {"c"}]>
  // CHECK-NEXT: %[[Y:.*]] = sdy.replicated_to_unreduced {"b"} %[[X]] out_sharding=<@mesh, [{"a"}, {"c"}], unreduced={"b"}>
  // CHECK-NEXT: %[[Z:.*]] = sdy.sharded_to_unreduced [{"a"}, {}] %[[Y]] out_sharding=<@mesh, [{}, {"c"}], unreduced={"a", "b"}>
  // CHECK-NEXT: return %[[Z]]
  %0 = sdy.reshard %x <@mesh, [{}, {"c"}], unreduced={"a", "b"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Parts of axes: one in each of two dimensions, and one that is replicated.
// CHECK-LABEL: func @explicit_sub_axes
func.func @explicit_sub_axes(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {"a":(2)2}]>},
                             %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>},
        tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"a":(1)2}, {"a":(2)2}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
  // CHECK-NEXT: %[[Y:.*]] = sdy.replicated_to_unreduced {"a":(1)2} %arg1 out_sharding=<@mesh, [{"a":(2)2}, {}], unreduced={"a":(1)2}>
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"a":(2)2}, {}] %[[Y]] out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"a"}> : tensor<16x8xf32>
  %1 = sdy.reshard %y <@mesh, [{}, {}], unreduced={"a"}> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// A sum over other axes is taken first; one over the same axes goes on.
// CHECK-LABEL: func @explicit_of_partial
func.func @explicit_of_partial(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>},
        tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "b"}>}) {
  // CHECK-NEXT: %[[X:.*]] = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]>
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"a"}, {}] %[[X]] out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"a", "b"}>
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"a"}> : tensor<16x8xf32>
  %1 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"a", "b"}> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// What is open stays open where nothing moves: replicated_to_unreduced must not say otherwise.
// CHECK-LABEL: func @explicit_open
func.func @explicit_open(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}, {?}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[X:.*]] = sdy.replicated_to_unreduced {"a"} %arg0 out_sharding=<@mesh, [{"c", ?}, {?}], unreduced={"a"}>
  // CHECK-NEXT: %[[Y:.*]] = sdy.all_reduce {"a"} %[[X]]
  // CHECK-NEXT: return %[[Y]], %arg0
  %0 = sdy.reshard %x <@mesh, [{"c"}, {}], unreduced={"a"}> : tensor<16x8xf32>
  return %0, %x : tensor<16x8xf32>, tensor<16x8xf32>
}

// Nothing is known of a value without sharding.
// CHECK-LABEL: func @explicit_of_unknown
func.func @explicit_of_unknown(%x: tensor<16x8xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{}, {}], unreduced={"a"}>
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"a"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Two names of one mesh; another order of devices, in which every shard moves.
// CHECK-LABEL: func @explicit_meshes
func.func @explicit_meshes(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@same, [{"a"}, {}]>},
                           %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"a"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>},
        tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
  // CHECK-NEXT: %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{"a"}, {}]>
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"a"}, {}] %[[Y]] out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"a"}> : tensor<16x8xf32>
  %1 = sdy.reshard %y <@mesh, [{}, {}], unreduced={"a"}> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// Axes that the target reserves are reserved by the last ops only.
// CHECK-LABEL: func @explicit_reserved
func.func @explicit_reserved(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"c"}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"a"} %[[X]] out_sharding=<@mesh, [{}, {"c"}], replicated={"b"}, unreduced={"a"}>
  // CHECK-NEXT: %[[Y:.*]] = sdy.reshard %arg0 <@mesh, [{"c"}, {"b"}]>
  // CHECK-NEXT: sdy.sharded_to_unreduced [{}, {"b"}] %[[Y]] out_sharding=<@mesh, [{"c"}, {}], replicated={"a"}, unreduced={"b"}>
  %0 = sdy.reshard %x <@mesh, [{}, {"c"}], replicated={"b"}, unreduced={"a"}> : tensor<16x8xf32>
  %1 = sdy.reshard %x <@mesh, [{"c"}, {}], replicated={"a"}, unreduced={"b"}> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}
