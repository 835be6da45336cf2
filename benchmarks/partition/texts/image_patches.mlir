module @jit_image_patches attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x16x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}) -> (tensor<8x16x48xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<8x16x16x3xf32>) -> tensor<8x4x4x4x4x3xf32>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2, 4, 5] : (tensor<8x4x4x4x4x3xf32>) -> tensor<8x4x4x4x4x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x4x4x4x4x3xf32>) -> tensor<8x16x48xf32>
    return %2 : tensor<8x16x48xf32>
  }
}
