module @jit_padding_of_rows attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<72x32xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<64x32xf32>, tensor<i32>) -> tensor<72x32xf32>
    return %0 : tensor<72x32xf32>
  }
  func.func private @_pad(%arg0: tensor<64x32xf32>, %arg1: tensor<i32>) -> tensor<72x32xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [4, 0], high = [4, 0], interior = [0, 0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<72x32xf32>
    return %1 : tensor<72x32xf32>
  }
}
