// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -sdy-add-func-data-flow-edges | FileCheck %s

// Arguments of called functions and results of calls get an edge with their sharding, and all uses read the edge.

sdy.mesh @mesh = <["x"=2]>
// Arguments of the main function come from nowhere.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CALL:.*]]:2 = call @f(%arg0, %arg0)
  // CHECK-DAG: %[[FIRST:.*]] = sdy.func_data_flow_edge %[[CALL]]#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
  // CHECK-DAG: %[[SECOND:.*]] = sdy.func_data_flow_edge %[[CALL]]#1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : tensor<8xf32>
  // CHECK: %[[NEGATED:.*]] = stablehlo.negate %[[FIRST]]
  // CHECK-NEXT: return %[[NEGATED]], %[[SECOND]]
  %0:2 = call @f(%a, %a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = stablehlo.negate %0#0 : tensor<8xf32>
  return %1, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func private @f
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-DAG: %[[A:.*]] = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  // CHECK-DAG: %[[B:.*]] = sdy.func_data_flow_edge %arg1 : tensor<8xf32>
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// Only tensors of a known shape can be sharded.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: return
func.func @main() {
  return
}
// CHECK-LABEL: func.func private @f
func.func private @f(%a: tensor<?xf32>, %b: !stablehlo.token) {
  // CHECK-NEXT: return
  return
}

// -----

// expected-error @+1 {{module has 2 functions and none is called @main}}
module {
  func.func @f() {
    return
  }
  func.func @g() {
    return
  }
}
