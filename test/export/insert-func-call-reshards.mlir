// RUN: shardwise-opt %s -sdy-insert-func-call-reshards | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @one = <[], device_ids=[1]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // A call without shardings has whole results; a result without sharding in the function is open.
  // CHECK-NEXT: %[[A:.*]]:2 = call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>, <@mesh, [{?}, {?}]>]>}
  // CHECK-NEXT: %[[B:.*]] = sdy.reshard %[[A]]#0 <@mesh, [{}, {}]>
  %0:2 = call @two(%a) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  // CHECK-NEXT: %[[C:.*]]:2 = call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>, <@mesh, [{?}, {?}]>]>}
  // CHECK-NEXT: %[[D:.*]] = sdy.reshard %[[C]]#1 <@mesh, [{"y"}, {?}]>
  %1:2 = call @two(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>, <@mesh, [{"y"}, {?}]>]>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  // Equal but for open dimensions.
  // CHECK-NEXT: call @open(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>}
  %2 = call @open(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: call @none(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
  // CHECK-NEXT: %[[E:.*]] = sdy.reshard {{.*}} <@mesh, [{?}, {"x"}]>
  %3 = call @none(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // A result on one device stays there.
  // CHECK-NEXT: call @maximal(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}
  %4 = call @maximal(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: call @none(%arg0) :
  %5 = call @none(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: return %[[B]], %[[D]], %[[E]]
  return %0#0, %1#1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @two(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, tensor<8x8xf32>) {
  return %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @open(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
  return %a : tensor<8x8xf32>
}
func.func private @none(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
func.func private @maximal(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  return %a : tensor<8x8xf32>
}

// Results that differ in unreduced axes alone stay as the function returns them: there is no
// reduction between two calls that both want the partial value.
// CHECK-LABEL: func.func @partial
func.func @partial(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[A:.*]] = call @sum(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>}
  // CHECK-NEXT: %[[B:.*]] = call @sum(%[[A]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>}
  %0 = call @sum(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @sum(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: %[[C:.*]] = call @sum(%[[B]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>}
  %2 = call @sum(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // Another cut is a reshard as ever.
  // CHECK-NEXT: %[[D:.*]] = call @sum(%[[C]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>}
  // CHECK-NEXT: %[[E:.*]] = sdy.reshard %[[D]] <@mesh, [{"y"}, {}], unreduced={"x"}>
  %3 = call @sum(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: %[[F:.*]] = call @none(%[[E]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
  %4 = call @none(%3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: return %[[B]], %[[C]], %[[E]], %[[F]]
  return %1, %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @sum(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  return %a : tensor<8x8xf32>
}
