// RUN: shardwise-opt %s -sdy-sharding-constraint-to-reshard | FileCheck %s
// RUN: shardwise-opt %s "-pass-pipeline=builtin.module(func.func(sdy-sharding-constraint-to-reshard))" | FileCheck %s

// A constraint becomes the reshard to its sharding, also where the sharding of its input is the same; attributes
// that the dialect does not know stay.

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[SAME:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK-NEXT: %[[OTHER:.*]] = sdy.reshard %[[SAME]] <@mesh, [{"y", ?}p1], replicated={"x"}> {mine = 1 : i64} : tensor<8xf32>
  // CHECK-NEXT: %[[KEPT:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
  // CHECK-NEXT: return %[[OTHER]], %[[KEPT]]
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y", ?}p1], replicated={"x"}> {mine = 1} : tensor<8xf32>
  %2 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
