// RUN: shardwise-opt %s -sdy-remove-propagation-debug-info | FileCheck %s

// What debugging attached goes, on functions, ops and owners of edges; all else stays.

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<8xf32> {jax.arg_info = "a", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {jax.result_info = "r"}) {
func.func @main(%a: tensor<8xf32> {jax.arg_info = "a", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, sdy.sharding_origins = {x = "self"}})
    -> (tensor<8xf32> {jax.result_info = "r", sdy.sharding_origins = {x = "input: 0"},
                      sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>}) {
  // CHECK-NEXT: stablehlo.negate %arg0 {mine = 3 : i64} : tensor<8xf32>
  %0 = stablehlo.negate %a {mine = 3, sdy.sharding_origin_name = "op_0", sdy.sharding_origins = [{x = "self"}],
      sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  // CHECK-NEXT: stablehlo.optimization_barrier %{{[0-9]+}} : tensor<8xf32>
  %1 = stablehlo.optimization_barrier {sdy.block_arg_propagation_edges = [],
      sdy.block_arg_sharding_origins = [], sdy.result_propagation_edges = [],
      sdy.result_sharding_origins = [{x = "op_0"}]} %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
