// RUN: shardwise-opt %s -split-input-file -sdy-lift-inlined-meshes | FileCheck %s

// CHECK: sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
// CHECK-NEXT: sdy.mesh @mesh_0 = <["x"=4]>
// CHECK-NEXT: sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"x"}]>}
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"x"}]>}) {
  // CHECK: [<@maximal_mesh_3, []>]
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[3]>, []>]>} : tensor<8xf32>
  return
}

// -----

// CHECK: sdy.mesh @first
// CHECK-NOT: sdy.mesh @second
// CHECK: #sdy.sharding<@first, [{"x"}]>
sdy.mesh @first = <["x"=2]>
sdy.mesh @second = <["x"=2]>
func.func @equalMeshesBecomeOne(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@second, [{"x"}]>}) {
  return
}
