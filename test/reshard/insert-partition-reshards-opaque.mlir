// RUN: shardwise-opt %s -split-input-file -shardwise-insert-partition-reshards -verify-diagnostics | FileCheck %s
//
// Calls of targets that nobody knows.

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: func @replicated
func.func @replicated(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x4xf32>) {
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
  // CHECK: custom_call @tpu_custom_call(%[[WHOLE]])
  // expected-warning @below {{custom call target 'tpu_custom_call' has no sharding rule: every device computes all of it; attach one as sdy.sharding_rule, or call it in an sdy.manual_computation (jax.shard_map)}}
  %0 = stablehlo.custom_call @tpu_custom_call(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // Said once for each target.
  %1 = stablehlo.custom_call @tpu_custom_call(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// By the rule that is attached: rows are cut, columns are not.
// CHECK-LABEL: func @by_rule
func.func @by_rule(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NEXT: custom_call @own(%arg0)
  // CHECK-NEXT: return
  %0 = stablehlo.custom_call @own(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4, k=4}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: func @in_a_manual_computation
func.func @in_a_manual_computation(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NOT: sdy.reshard
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x4xf32>) {
    %1 = stablehlo.custom_call @tpu_custom_call(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %1 : tensor<2x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

func.func @ragged(%a: tensor<8x3xf32>, %l: tensor<4xi32>) -> tensor<8x3xf32> {
  // expected-error @below {{custom call target 'ragged_all_to_all' is between devices, of which a global program knows nothing; write it in an sdy.manual_computation (jax.shard_map)}}
  %0 = stablehlo.custom_call @ragged_all_to_all(%a, %a, %l, %l, %l, %l) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}} : (tensor<8x3xf32>, tensor<8x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
