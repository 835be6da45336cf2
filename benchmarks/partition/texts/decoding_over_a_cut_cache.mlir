module @jit_decoding_over_a_cut_cache attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg1: tensor<8x256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg2: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg3: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<8x64xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<8x256x64xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0, 2] : (tensor<8x64xf32>) -> tensor<8x1x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg3, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<256> : tensor<i32>
    %2 = stablehlo.add %arg3, %c_0 : tensor<i32>
    %3 = stablehlo.select %1, %2, %arg3 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_update_slice %arg0, %0, %c_1, %3, %c_2 : (tensor<8x256x64xf32>, tensor<8x1x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x256x64xf32>
    %5 = stablehlo.dot_general %arg2, %4, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x64xf32>, tensor<8x256x64xf32>) -> tensor<8x256xf32>
    %6 = stablehlo.iota dim = 0 : tensor<256xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<256xi32>) -> tensor<1x256xi32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<1x256xi32>
    %9 = stablehlo.compare LE, %7, %8, SIGNED : (tensor<1x256xi32>, tensor<1x256xi32>) -> tensor<1x256xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %10 = call @_where(%9, %5, %cst) : (tensor<1x256xi1>, tensor<8x256xf32>, tensor<f32>) -> tensor<8x256xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_3) applies stablehlo.maximum across dimensions = [1] : (tensor<8x256xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %13 = stablehlo.maximum %12, %11 : tensor<8xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x256xf32>
    %16 = stablehlo.subtract %10, %15 : tensor<8x256xf32>
    %17 = stablehlo.exponential %16 : tensor<8x256xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<8x256xf32>, tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x256xf32>
    %21 = stablehlo.divide %17, %20 : tensor<8x256xf32>
    %22 = stablehlo.dot_general %21, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x256xf32>, tensor<8x256x64xf32>) -> tensor<8x64xf32>
    return %22, %4 : tensor<8x64xf32>, tensor<8x256x64xf32>
  }
  func.func private @_where(%arg0: tensor<1x256xi1>, %arg1: tensor<8x256xf32>, %arg2: tensor<f32>) -> tensor<8x256xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x256xi1>) -> tensor<8x256xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x256xi1>, tensor<8x256xf32>
    return %3 : tensor<8x256xf32>
  }
}
