module @jit_uneven_heads attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<32x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x24xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x24xf32>) -> tensor<16x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<16x24xf32>) -> tensor<16x6x4xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}, {}]> : tensor<16x6x4xf32>
    %3 = stablehlo.tanh %2 : tensor<16x6x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<16x6x4xf32>) -> tensor<16x24xf32>
    return %4 : tensor<16x24xf32>
  }
}
