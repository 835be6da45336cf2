// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -shardwise-insert-partition-reshards | FileCheck %s
// Results that are declared partial.

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A linear op of partial sums gives a partial sum.
// CHECK-LABEL: func @linear
func.func @linear(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], unreduced={"x"}>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], unreduced={"x"}>}) {
  // CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{}, {"y"}], unreduced={"x"}>
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %arg0, %[[B]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}], unreduced={"x"}>]>}
  // CHECK-NEXT: return %[[SUM]]
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}], unreduced={"x"}>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// One that is not linear takes whole values; neither does an addition of a whole and a partial one.
// CHECK-LABEL: func @notLinear
func.func @notLinear(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: %[[SINE:.*]] = stablehlo.sine %[[A]] {{.*}}<@mesh, [{}]>
  // CHECK-NEXT: %[[RESULT:.*]] = sdy.reshard %[[SINE]] <@mesh, [{}], unreduced={"x"}>
  %0 = stablehlo.sine %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[A]], %arg1 {{.*}}<@mesh, [{}]>
  // CHECK-NEXT: %[[SECOND:.*]] = sdy.reshard %[[SUM]] <@mesh, [{}], unreduced={"x"}>
  // CHECK-NEXT: return %[[RESULT]], %[[SECOND]]
  %1 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @wrongFunction(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{result 0 is declared unreduced by max along "x", but what the devices compute there combines by sum}}
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
