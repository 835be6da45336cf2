// RUN: shardwise-opt %s -sdy-insert-explicit-reshards | FileCheck %s
// Axes that start or stop being unreduced, and values on maximal meshes.

sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
sdy.mesh @one = <[], device_ids=[3]>

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
