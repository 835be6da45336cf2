// RUN: shardwise-opt %s -sdy-merge-reductions | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Three addends, one reduction.
// CHECK-LABEL: func @three
func.func @three(%p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                 %q: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.add %1, %3 : tensor<8x8xf32>
  %5 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = sdy.reshard %5 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %7 = stablehlo.subtract %4, %6 : tensor<8x8xf32>
  // CHECK: %[[A:.*]] = stablehlo.dot_general
  // CHECK: %[[B:.*]] = stablehlo.dot_general
  // CHECK: %[[AB:.*]] = stablehlo.add %[[A]], %[[B]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>}
  // CHECK: %[[C:.*]] = stablehlo.dot_general
  // CHECK: %[[ABC:.*]] = stablehlo.subtract %[[AB]], %[[C]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>}
  // CHECK-NEXT: %[[SUM:.*]] = sdy.reshard %[[ABC]] <@mesh, [{}, {}]>
  // CHECK-NEXT: return %[[SUM]]
  return %7 : tensor<8x8xf32>
}

// A partial value that something else uses, and maxima, stay.
// CHECK-LABEL: func @kept
// CHECK-COUNT-4: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @kept(%p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                %q: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.add %1, %3 : tensor<8x8xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %5 = stablehlo.reduce(%p init: %lowest) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = sdy.reshard %5 <@mesh, [{}]> : tensor<8xf32>
  %7 = stablehlo.reduce(%p init: %lowest) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = sdy.reshard %7 <@mesh, [{}]> : tensor<8xf32>
  %9 = stablehlo.add %6, %8 : tensor<8xf32>
  return %4, %1, %9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}
