module @jit_difference_to_the_row_before attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x32xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %arg0 [0:63, 0:32] : (tensor<64x32xf32>) -> tensor<63x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = call @_pad(%0, %c) : (tensor<63x32xf32>, tensor<i32>) -> tensor<64x32xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<64x32xf32>
    return %2 : tensor<64x32xf32>
  }
  func.func private @_pad(%arg0: tensor<63x32xf32>, %arg1: tensor<i32>) -> tensor<64x32xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<63x32xf32>, tensor<f32>) -> tensor<64x32xf32>
    return %1 : tensor<64x32xf32>
  }
}
