module @jit_context_parallel_attention attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<2x64x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %arg1: tensor<2x64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg2: tensor<2x64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<2x64x8x16xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x64x16xf32>, tensor<2x64x8x16xf32>) -> tensor<2x64x64x8xf32>
    %1 = stablehlo.transpose %0, dims = [0, 3, 2, 1] : (tensor<2x64x64x8xf32>) -> tensor<2x8x64x64xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x64x64xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x8x64x64xf32>
    %4 = stablehlo.iota dim = 0 : tensor<64xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xi32>) -> tensor<1x64xi32>
    %6 = stablehlo.iota dim = 0 : tensor<64xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x64xi32>) -> tensor<64x64xi32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<64x1xi32>) -> tensor<64x64xi32>
    %10 = stablehlo.compare GT, %8, %9, SIGNED : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %11 = call @_where(%10, %cst_0, %3) : (tensor<64x64xi1>, tensor<f32>, tensor<2x8x64x64xf32>) -> tensor<2x8x64x64xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x64x64xf32>, tensor<f32>) -> tensor<2x8x64xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x8x64xf32>
    %14 = stablehlo.maximum %13, %12 : tensor<2x8x64xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x8x64xf32>) -> tensor<2x8x64x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<2x8x64x1xf32>) -> tensor<2x8x64x64xf32>
    %17 = stablehlo.subtract %11, %16 : tensor<2x8x64x64xf32>
    %18 = stablehlo.exponential %17 : tensor<2x8x64x64xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x8x64x64xf32>, tensor<f32>) -> tensor<2x8x64xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x8x64xf32>) -> tensor<2x8x64x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<2x8x64x1xf32>) -> tensor<2x8x64x64xf32>
    %22 = stablehlo.divide %18, %21 : tensor<2x8x64x64xf32>
    %23 = stablehlo.dot_general %arg2, %22, batching_dims = [0] x [0], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x64x16xf32>, tensor<2x8x64x64xf32>) -> tensor<2x16x8x64xf32>
    %24 = stablehlo.transpose %23, dims = [0, 3, 2, 1] : (tensor<2x16x8x64xf32>) -> tensor<2x64x8x16xf32>
    return %24 : tensor<2x64x8x16xf32>
  }
  func.func private @_where(%arg0: tensor<64x64xi1>, %arg1: tensor<f32>, %arg2: tensor<2x8x64x64xf32>) -> tensor<2x8x64x64xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<64x64xi1>) -> tensor<2x8x64x64xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x8x64x64xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<2x8x64x64xi1>, tensor<2x8x64x64xf32>
    return %3 : tensor<2x8x64x64xf32>
  }
}
