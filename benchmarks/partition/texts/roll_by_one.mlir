module @jit_roll_by_one attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x32xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = call @_roll_static(%arg0) : (tensor<64x32xf32>) -> tensor<64x32xf32>
    return %0 : tensor<64x32xf32>
  }
  func.func private @_roll_static(%arg0: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %0 = stablehlo.slice %arg0 [63:64, 0:32] : (tensor<64x32xf32>) -> tensor<1x32xf32>
    %1 = stablehlo.slice %arg0 [0:63, 0:32] : (tensor<64x32xf32>) -> tensor<63x32xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x32xf32>, tensor<63x32xf32>) -> tensor<64x32xf32>
    return %2 : tensor<64x32xf32>
  }
}
