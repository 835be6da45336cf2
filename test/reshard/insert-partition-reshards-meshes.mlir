// RUN: shardwise-opt %s -shardwise-insert-partition-reshards | FileCheck %s

sdy.mesh @unused = <["q"=7]>
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @d0 = <[], device_ids=[0]>
sdy.mesh @d2 = <[], device_ids=[2]>

// An op works on the order that most of its tensors are on.
// CHECK-LABEL: func @order_of_most
func.func @order_of_most(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}, {}]>},
                         %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]>
  // CHECK-NEXT: stablehlo.add %[[A]], %arg1 {{.*}}<@mesh, [{"x"}, {}]>
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// The result goes back to where it is wanted. What is whole is in every order.
// CHECK-LABEL: func @result_in_other_order
func.func @result_in_other_order(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}, {}]>},
                                 %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}, {}]>},
                                 %c: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.clamp %arg2, %arg0, %arg2 {{.*}}<@order, [{"x"}, {}]>
  // CHECK-NEXT: %[[MESH:.*]] = sdy.reshard %[[SUM]] <@mesh, [{"x"}, {}]>
  // CHECK-NEXT: return %[[MESH]]
  %0 = stablehlo.clamp %c, %a, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Operands of an op on a device are whole or there; what it gives is made whole for others only.
// CHECK-LABEL: func @on_device
func.func @on_device(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
  // CHECK-NEXT: %[[THERE:.*]] = stablehlo.negate %[[WHOLE]] {{.*}}<@d0, []>
  // CHECK-NEXT: %[[STILL:.*]] = stablehlo.sine %[[THERE]] {{.*}}<@d0, []>
  // CHECK-NEXT: %[[ALL:.*]] = sdy.reshard %[[STILL]] <@mesh, [{}, {}]>
  // CHECK-NEXT: %[[ELSEWHERE:.*]] = stablehlo.cosine %[[ALL]] {{.*}}<@d2, []>
  // CHECK-NEXT: %[[BACK:.*]] = sdy.reshard %[[ELSEWHERE]] <@mesh, [{"x"}, {}]>
  // CHECK-NEXT: return %[[BACK]]
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : tensor<8x4xf32>
  %1 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : tensor<8x4xf32>
  %2 = stablehlo.cosine %1 {sdy.sharding = #sdy.sharding_per_value<[<@d2, []>]>} : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Constants are made where they are used, and a device has what all have.
// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@d2, []>}) {
  // CHECK-NEXT: %[[CUT:.*]] = stablehlo.constant {{.*}}<@mesh, [{"x"}, {}]>
  // CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[CUT]]
  // CHECK-NEXT: %[[WHOLE:.*]] = stablehlo.constant dense<2.0
  // CHECK-NEXT: return %[[NEG]], %[[WHOLE]]
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} dense<1.0> : tensor<8x4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
  %2 = stablehlo.constant dense<2.0> : tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// An op without results says where it runs, as a callback does that prints.
// CHECK-LABEL: func @no_result
func.func @no_result(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}, {}]>}) {
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
  // CHECK-NEXT: stablehlo.custom_call @print(%[[WHOLE]])
  stablehlo.custom_call @print(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : (tensor<8x4xf32>) -> ()
  return
}

// A body is where its op is: nothing is cut there, and what it reads comes there before it.
// CHECK-LABEL: func @body
func.func @body(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@d0, []>}) {
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
  // CHECK-NEXT: "stablehlo.case"(%arg1)
  // CHECK-NEXT: %[[INNER:.*]] = stablehlo.negate %[[WHOLE]] : tensor
  // CHECK-NEXT: stablehlo.return %[[INNER]]
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
    %2 = sdy.reshard %1 <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
    stablehlo.return %2 : tensor<8x4xf32>
  }, {
    stablehlo.return %a : tensor<8x4xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : (tensor<i32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
