// RUN: shardwise-opt %s -sdy-inline-meshes | FileCheck %s

// Every sharding holds its mesh, and no symbol is left, used or not.

// CHECK-NOT: sdy.mesh
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @maximal = <[], device_ids=[1]>
sdy.mesh @unused = <["z"=4]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[1]>, []>})
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal, []>}) {
  // CHECK-NEXT: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{?}]>]>}
  // CHECK-NEXT: sdy.sharding_constraint %{{.*}} <mesh<["x"=2]>, [{"x", ?}]>
  // CHECK-NEXT: sdy.manual_computation({{.*}}) in_shardings=[<mesh<["x"=2]>, [{"x"}]>] out_shardings=[<mesh<["x"=2]>, [{"x"}]>]
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
    sdy.return %p : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK-NOT: sdy.mesh
