module @jit_decoding_over_cut_heads attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x256x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}, %arg1: tensor<8x256x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}, %arg2: tensor<8x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg3: tensor<8x16x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg4: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<8x128xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<8x256x8x16xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0, 2, 3] : (tensor<8x8x16xf32>) -> tensor<8x1x8x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg4, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<256> : tensor<i32>
    %2 = stablehlo.add %arg4, %c_0 : tensor<i32>
    %3 = stablehlo.select %1, %2, %arg4 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_update_slice %arg0, %0, %c_1, %3, %c_2, %c_3 : (tensor<8x256x8x16xf32>, tensor<8x1x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x256x8x16xf32>
    %5 = stablehlo.dot_general %arg2, %4, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x256x8x16xf32>) -> tensor<8x8x256xf32>
    %6 = stablehlo.iota dim = 0 : tensor<256xi32>
    %7 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<i32>) -> tensor<256xi32>
    %8 = stablehlo.compare LE, %6, %7, SIGNED : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %9 = call @_where(%8, %5, %cst) : (tensor<256xi1>, tensor<8x8x256xf32>, tensor<f32>) -> tensor<8x8x256xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.maximum across dimensions = [2] : (tensor<8x8x256xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %12 = stablehlo.maximum %11, %10 : tensor<8x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x256xf32>
    %15 = stablehlo.subtract %9, %14 : tensor<8x8x256xf32>
    %16 = stablehlo.exponential %15 : tensor<8x8x256xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<8x8x256xf32>, tensor<f32>) -> tensor<8x8xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x256xf32>
    %20 = stablehlo.divide %16, %19 : tensor<8x8x256xf32>
    %21 = stablehlo.dot_general %20, %arg1, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x256xf32>, tensor<8x256x8x16xf32>) -> tensor<8x8x16xf32>
    %22 = stablehlo.dot_general %21, %arg3, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x16x128xf32>) -> tensor<8x128xf32>
    return %22, %4 : tensor<8x128xf32>, tensor<8x256x8x16xf32>
  }
  func.func private @_where(%arg0: tensor<256xi1>, %arg1: tensor<8x8x256xf32>, %arg2: tensor<f32>) -> tensor<8x8x256xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<256xi1>) -> tensor<8x8x256xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x8x256xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x8x256xi1>, tensor<8x8x256xf32>
    return %3 : tensor<8x8x256xf32>
  }
}
