// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warning for each kind of op that shardings do not pass through, at the first one.

// RUN: shardwise-opt %s -split-input-file -sdy-populate-op-sharding-rules -verify-diagnostics
// RUN: shardwise-opt %s -split-input-file -sdy-basic-propagate -verify-diagnostics
// RUN: shardwise-opt %s -split-input-file -sdy-propagation-pipeline -verify-diagnostics

func.func @main(%a: tensor<8x2xui32>, %b: tensor<8x2xui32>) -> tensor<8x2xui64> {
  // expected-warning@+1 {{shardings do not pass through custom call target 'unknown_custom_op', which has no sharding rule; attach one as sdy.sharding_rule, or call it in an sdy.manual_computation (jax.shard_map): else every device computes all of it}}
  %0 = stablehlo.custom_call @unknown_custom_op(%a, %b) : (tensor<8x2xui32>, tensor<8x2xui32>) -> tensor<8x2xui64>
  %1 = stablehlo.custom_call @unknown_custom_op(%b, %a) : (tensor<8x2xui32>, tensor<8x2xui32>) -> tensor<8x2xui64>
  // expected-warning@+1 {{custom call target 'another'}}
  %2 = stablehlo.custom_call @another(%0, %1) : (tensor<8x2xui64>, tensor<8x2xui64>) -> tensor<8x2xui64>
  return %2 : tensor<8x2xui64>
}
// The pipeline begins with the last function of several that nothing calls: only one has calls here.
func.func @other(%a: tensor<8x2xui64>) -> tensor<8x2xui64> {
  return %a : tensor<8x2xui64>
}

// -----

// A target that is known, whose shapes do not fit.
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-warning@+1 {{custom call target 'Qr'}}
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>)
  return %0#0 : tensor<4x4xf32>
}

// -----

// An op that has no rule, and one whose name is not that of its target.
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-warning@+1 {{shardings do not pass through 'stablehlo.map', which has no sharding rule}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>):
    %1 = stablehlo.negate %p : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-warning@+1 {{custom call target 'stablehlo.map'}}
  %2 = stablehlo.custom_call @stablehlo.map(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Rules of the user's own, targets that are known to have none, and calls that pass nothing on.
func.func @main(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @mine(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4}, custom>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.custom_call @tpu_custom_call(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @source() : () -> tensor<4xf32>
  stablehlo.custom_call @sink(%a) {has_side_effect = true} : (tensor<4x4xf32>) -> ()
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

// Once for all functions, of which one calls the other.
func.func @main(%a: tensor<8x2xui64>) -> tensor<8x2xui64> {
  // expected-warning@+1 {{custom call target 'another'}}
  %0 = stablehlo.custom_call @another(%a) : (tensor<8x2xui64>) -> tensor<8x2xui64>
  %1 = call @inner(%0) : (tensor<8x2xui64>) -> tensor<8x2xui64>
  return %1 : tensor<8x2xui64>
}
func.func private @inner(%a: tensor<8x2xui64>) -> tensor<8x2xui64> {
  %0 = stablehlo.custom_call @another(%a) : (tensor<8x2xui64>) -> tensor<8x2xui64>
  return %0 : tensor<8x2xui64>
}

// -----

// What is written per device is called on what the device has; along a free axis nobody knows how.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x2xf32>) {
    %2 = stablehlo.custom_call @mine(%b) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    sdy.return %2 : tensor<2x2xf32>
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x4xf32>) {
    // expected-warning@+1 {{custom call target 'mine'}}
    %2 = stablehlo.custom_call @mine(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %2 : tensor<2x4xf32>
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
