// RUN: shardwise-opt %s -sdy-insert-explicit-reshards | FileCheck %s
// RUN: shardwise-opt %s "-sdy-export-pipeline=enable-insert-explicit-collectives=true" | FileCheck %s --check-prefix=COLLECTIVES

sdy.mesh @unused = <["q"=3]>
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @order = <["x"=2], device_ids=[1, 0]>
sdy.mesh @device = <[], device_ids=[0]>

// Values come back on the mesh of the first operand that has one.
// CHECK-LABEL: func @main
// COLLECTIVES-LABEL: func @main
func.func @main(%a: tensor<f32>, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}, {}]>}) {
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@device, []>
  // CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %arg1 <@order, [{}, {}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.reshard %[[WHOLE]] <@device, []>
  // CHECK-NEXT: %[[CALL:.*]] = stablehlo.custom_call @f(%[[A]], %[[B]])
  // CHECK-NEXT: %[[BACK:.*]] = sdy.reshard %[[CALL]] <@order, [{}, {}]>
  // CHECK-NEXT: return %[[BACK]]
  // A device has what all have; what only it has, no collective of the dialect gives to others.
  // COLLECTIVES-NEXT: %[[WHOLE:.*]] = sdy.all_gather [{"x"}, {}] %arg1 out_sharding=<@order, [{}, {}]>
  // COLLECTIVES-NEXT: %[[CALL:.*]] = stablehlo.custom_call @f(%arg0, %[[WHOLE]])
  // COLLECTIVES-NEXT: %[[BACK:.*]] = sdy.reshard %[[CALL]] <@order, [{"x"}, {}]>
  // COLLECTIVES-NEXT: return %[[BACK]]
  %0 = stablehlo.custom_call @f(%a, %b) {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : (tensor<f32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Where no operand has one, on the first mesh in use.
// CHECK-LABEL: func private @from_nowhere
func.func private @from_nowhere() -> tensor<8xf32> {
  // CHECK-NEXT: %[[CALL:.*]] = stablehlo.custom_call @g()
  // CHECK-NEXT: sdy.reshard %[[CALL]] <@mesh, [{}]>
  %0 = stablehlo.custom_call @g() {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @uses(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}
