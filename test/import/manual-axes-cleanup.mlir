// RUN: shardwise-opt %s -split-input-file -sdy-manual-axes-cleanup -verify-diagnostics | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{"a"}], replicated={"b"}>] out_shardings=[<@mesh, [{"b", "a"}]>] manual_axes={"a", "b"}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b", "a"}]>] manual_axes={"b", "a"} (%y: tensor<4xf32>) {
    %1 = stablehlo.slice %y [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @unknownMesh() {
  // expected-error @+1 {{has manual_axes but neither inputs nor outputs}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = stablehlo.custom_call @effect() {has_side_effect = true} : () -> tensor<f32>
    sdy.return
  } : () -> ()
  return
}
