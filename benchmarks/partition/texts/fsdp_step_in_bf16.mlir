module @jit_fsdp_step_in_bf16 attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<128x512xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<512x128xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.convert %arg0 : (tensor<64x128xf32>) -> tensor<64x128xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<128x512xf32>) -> tensor<128x512xbf16>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x128xbf16>, tensor<128x512xbf16>) -> tensor<64x512xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<64x512xbf16>
    %4 = stablehlo.maximum %2, %3 : tensor<64x512xbf16>
    %5 = stablehlo.compare EQ, %2, %4, FLOAT : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<64x512xbf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<64x512xbf16>
    %8 = stablehlo.select %5, %6, %7 : tensor<64x512xi1>, tensor<64x512xbf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<64x512xbf16>
    %10 = stablehlo.compare EQ, %9, %4, FLOAT : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xi1>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<64x512xbf16>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<64x512xbf16>
    %13 = stablehlo.select %10, %11, %12 : tensor<64x512xi1>, tensor<64x512xbf16>
    %14 = stablehlo.divide %8, %13 : tensor<64x512xbf16>
    %15 = stablehlo.convert %arg2 : (tensor<512x128xf32>) -> tensor<512x128xbf16>
    %16 = stablehlo.dot_general %4, %15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x512xbf16>, tensor<512x128xbf16>) -> tensor<64x128xbf16>
    %17 = stablehlo.convert %16 : (tensor<64x128xbf16>) -> tensor<64x128xf32>
    %18 = stablehlo.multiply %17, %17 : tensor<64x128xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<64x128xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%18 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<8.192000e+03> : tensor<f32>
    %22 = stablehlo.divide %21, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<8.192000e+03> : tensor<f32>
    %23 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %25 = stablehlo.multiply %24, %20 : tensor<64x128xf32>
    %26 = stablehlo.convert %25 : (tensor<64x128xf32>) -> tensor<64x128xbf16>
    %27 = stablehlo.dot_general %26, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x128xbf16>, tensor<64x512xbf16>) -> tensor<128x512xbf16>
    %28 = stablehlo.transpose %27, dims = [1, 0] : (tensor<128x512xbf16>) -> tensor<512x128xbf16>
    %29 = stablehlo.dot_general %26, %15, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x128xbf16>, tensor<512x128xbf16>) -> tensor<64x512xbf16>
    %30 = stablehlo.convert %28 : (tensor<512x128xbf16>) -> tensor<512x128xf32>
    %31 = stablehlo.multiply %29, %14 : tensor<64x512xbf16>
    %32 = stablehlo.dot_general %31, %0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x512xbf16>, tensor<64x128xbf16>) -> tensor<512x128xbf16>
    %33 = stablehlo.transpose %32, dims = [1, 0] : (tensor<512x128xbf16>) -> tensor<128x512xbf16>
    %34 = stablehlo.convert %33 : (tensor<128x512xbf16>) -> tensor<128x512xf32>
    return %34, %30 : tensor<128x512xf32>, tensor<512x128xf32>
  }
}
