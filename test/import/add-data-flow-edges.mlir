// RUN: shardwise-opt %s -sdy-add-data-flow-edges | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[B:.*]]:2 = stablehlo.optimization_barrier
  // CHECK-NEXT: %[[E0:.*]] = sdy.data_flow_edge %[[B]]#0 : tensor<8xf32>
  // CHECK-NEXT: %[[E1:.*]] = sdy.data_flow_edge %[[B]]#1 : tensor<8xf32>
  // CHECK: sdy.manual_computation(%[[E0]])
  // CHECK-SAME: (%[[ARG:.*]]: tensor<4xf32>)
  // CHECK-NEXT: %[[IN:.*]] = sdy.data_flow_edge %[[ARG]] sharding=<@mesh, [{"b"}]> : tensor<4xf32>
  // CHECK-NEXT: sdy.return %[[IN]]
  // CHECK: %[[OUT:.*]] = sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  // CHECK-NEXT: return %[[OUT]], %[[E1]]
  %0:2 = stablehlo.optimization_barrier %x, %x : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.manual_computation(%0#0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %0#1 : tensor<8xf32>, tensor<8xf32>
}
