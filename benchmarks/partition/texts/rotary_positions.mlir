module @jit_rotary_positions attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}) -> (tensor<8x64x32xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}) {
    %0 = stablehlo.slice %arg0 [0:8, 0:64, 0:16] : (tensor<8x64x32xf32>) -> tensor<8x64x16xf32>
    %1 = stablehlo.slice %arg0 [0:8, 0:64, 16:32] : (tensor<8x64x32xf32>) -> tensor<8x64x16xf32>
    %2 = stablehlo.iota dim = 0 : tensor<64xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<64xi32>) -> tensor<1x64x1xi32>
    %4 = stablehlo.convert %3 : (tensor<1x64x1xi32>) -> tensor<1x64x1xf32>
    %cst = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x64x1xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<1x64x1xf32>
    %7 = stablehlo.cosine %6 : tensor<1x64x1xf32>
    %8 = stablehlo.convert %7 : tensor<1x64x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x64x1xf32>) -> tensor<8x64x16xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<8x64x16xf32>
    %11 = stablehlo.sine %6 : tensor<1x64x1xf32>
    %12 = stablehlo.convert %11 : tensor<1x64x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x64x1xf32>) -> tensor<8x64x16xf32>
    %14 = stablehlo.multiply %1, %13 : tensor<8x64x16xf32>
    %15 = stablehlo.subtract %10, %14 : tensor<8x64x16xf32>
    %16 = stablehlo.sine %6 : tensor<1x64x1xf32>
    %17 = stablehlo.convert %16 : tensor<1x64x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x64x1xf32>) -> tensor<8x64x16xf32>
    %19 = stablehlo.multiply %0, %18 : tensor<8x64x16xf32>
    %20 = stablehlo.cosine %6 : tensor<1x64x1xf32>
    %21 = stablehlo.convert %20 : tensor<1x64x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x64x1xf32>) -> tensor<8x64x16xf32>
    %23 = stablehlo.multiply %1, %22 : tensor<8x64x16xf32>
    %24 = stablehlo.add %19, %23 : tensor<8x64x16xf32>
    %25 = stablehlo.concatenate %15, %24, dim = 2 : (tensor<8x64x16xf32>, tensor<8x64x16xf32>) -> tensor<8x64x32xf32>
    return %25 : tensor<8x64x32xf32>
  }
}
