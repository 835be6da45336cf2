// RUN: shardwise-opt %s -sdy-propagate-sharding-from-func-to-call | FileCheck %s

// Results of a call without shardings get those of the function's results.

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]]:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>}
  %0:2 = call @f(%a) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // A call that has shardings keeps them.
  // CHECK-NEXT: %[[B:.*]]:2 = call @f(%[[A]]#0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>}
  %1:2 = call @f(%0#0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // The function has none: the shardings of arguments do not count.
  // CHECK-NEXT: call @g(%[[B]]#0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @g(%1#0) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, tensor<8xf32>) {
  return %a, %a : tensor<8xf32>, tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
