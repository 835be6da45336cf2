// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations go, and with them the meshes; what else is on functions and ops stays.

// RUN: shardwise-opt %s -sdy-drop-sharding-and-mesh -split-input-file -verify-diagnostics | FileCheck %s
// RUN: shardwise-opt %s -sdy-drop-sharding-and-mesh -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=NONE

// NONE-NOT: sdy.mesh
// NONE-NOT: sdy.sharding =

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @maximal = <[], device_ids=[0]>

// CHECK-LABEL: func.func @annotations
// CHECK-SAME: %arg0: tensor<8x8xf32> {jax.name = "a"}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32> {jax.result_info = "r"})
func.func @annotations(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, jax.name = "a"}, %b: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>, jax.result_info = "r"}) {
  // CHECK-NEXT: stablehlo.negate %arg0 {note = 1 : i32} : tensor<8x8xf32>
  %0 = stablehlo.negate %a {note = 1 : i32, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  // CHECK-NEXT: call @inner(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @inner(%0) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["z"=2]>, [{"z"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: stablehlo.custom_call @log(%1) {has_side_effect = true} : (tensor<8x8xf32>) -> ()
  stablehlo.custom_call @log(%1) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>} : (tensor<8x8xf32>) -> ()
  // CHECK-NEXT: stablehlo.constant dense<true> : tensor<i1>
  %t = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} dense<true> : tensor<i1>
  // CHECK-NEXT: stablehlo.while(%iterArg = %1) : tensor<8x8xf32>
  // CHECK-NEXT: cond
  %2 = stablehlo.while(%i = %1) : tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
  cond {
    stablehlo.return %t : tensor<i1>
  } do {
    // CHECK: stablehlo.tanh %iterArg : tensor<8x8xf32>
    %n = stablehlo.tanh %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<8x8xf32>
    stablehlo.return %n : tensor<8x8xf32>
  }
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func private @inner(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32>
func.func private @inner(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  return %a : tensor<8x8xf32>
}

// -----

// What is no annotation stays: rules, ops of the dialect without a mesh symbol.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @others
func.func @others(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK-NEXT: sdy.constant dense<1.000000e+00> : tensor<8xf32>
  %c = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  // CHECK-NEXT: stablehlo.add %arg0, %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}, custom>} : tensor<8xf32>
  %0 = stablehlo.add %a, %c {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}, custom>} : tensor<8xf32>
  // CHECK-NEXT: sdy.sharding_constraint %1 <mesh<["z"=2]>, [{"z"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["z"=2]>, [{"z"}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.sharding_group %2 group_id=0 : tensor<8xf32>
  sdy.sharding_group %1 group_id=0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Groups of devices are part of the value, so they keep their mesh.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @groups
func.func @groups(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @own(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error@+1 {{has a sharding of its own on @mesh, which sdy-drop-sharding-and-mesh removes; turn it into StableHLO first, for example by sdy-reshard-to-collectives and sdy-convert-global-to-local}}
  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<8xf32>
  // expected-error@+1 {{'sdy.manual_computation' op has a sharding of its own on @mesh}}
  %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
