module @jit_sequence_parallel_transformer_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg1: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<64x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg4: tensor<64x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg5: tensor<64x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg6: tensor<8x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg7: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg8: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg9: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg10: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg11: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg12: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg13: tensor<64x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg14: tensor<64x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg15: tensor<64x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg16: tensor<8x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg17: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg18: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg19: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg20: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<64xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64x8x8xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<64x8x8xf32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<64x8x8xf32> {jax.result_info = "result[4]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<8x8x64xf32> {jax.result_info = "result[5]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<64xf32> {jax.result_info = "result[6]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "result[7]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64x256xf32> {jax.result_info = "result[8]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<256x64xf32> {jax.result_info = "result[9]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<64xf32> {jax.result_info = "result[10]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "result[11]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64x8x8xf32> {jax.result_info = "result[12]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<64x8x8xf32> {jax.result_info = "result[13]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<64x8x8xf32> {jax.result_info = "result[14]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<8x8x64xf32> {jax.result_info = "result[15]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<64xf32> {jax.result_info = "result[16]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "result[17]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64x256xf32> {jax.result_info = "result[18]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<256x64xf32> {jax.result_info = "result[19]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x32x64xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<8x32x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_2 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x32x1xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %12 = stablehlo.subtract %arg0, %11 : tensor<8x32x64xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %14 = stablehlo.add %10, %13 : tensor<8x32x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<8x32x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<8x32x64xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<8x32x64xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %23 = stablehlo.add %20, %22 : tensor<8x32x64xf32>
    %24 = stablehlo.dot_general %arg3, %23, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<64x8x8xf32>, tensor<8x32x64xf32>) -> tensor<8x8x8x32xf32>
    %25 = stablehlo.transpose %24, dims = [2, 0, 3, 1] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %26 = stablehlo.dot_general %arg4, %23, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<64x8x8xf32>, tensor<8x32x64xf32>) -> tensor<8x8x8x32xf32>
    %27 = stablehlo.transpose %26, dims = [2, 0, 3, 1] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %28 = stablehlo.dot_general %arg5, %23, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<64x8x8xf32>, tensor<8x32x64xf32>) -> tensor<8x8x8x32xf32>
    %29 = stablehlo.transpose %28, dims = [2, 0, 3, 1] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %30 = stablehlo.dot_general %25, %27, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x32xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x8x32x32xf32>
    %32 = stablehlo.divide %30, %31 : tensor<8x8x32x32xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_5) applies stablehlo.maximum across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %34 = stablehlo.reshape %33 : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %36 = stablehlo.compare EQ, %32, %35, FLOAT : (tensor<8x8x32x32xf32>, tensor<8x8x32x32xf32>) -> tensor<8x8x32x32xi1>
    %37 = stablehlo.convert %36 : (tensor<8x8x32x32xi1>) -> tensor<8x8x32x32xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %40 = stablehlo.maximum %39, %33 : tensor<8x8x32xf32>
    %41 = stablehlo.compare EQ, %33, %40, FLOAT : (tensor<8x8x32xf32>, tensor<8x8x32xf32>) -> tensor<8x8x32xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %44 = stablehlo.select %41, %42, %43 : tensor<8x8x32xi1>, tensor<8x8x32xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %46 = stablehlo.compare EQ, %45, %40, FLOAT : (tensor<8x8x32xf32>, tensor<8x8x32xf32>) -> tensor<8x8x32xi1>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %49 = stablehlo.select %46, %47, %48 : tensor<8x8x32xi1>, tensor<8x8x32xf32>
    %50 = stablehlo.divide %44, %49 : tensor<8x8x32xf32>
    %51 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %53 = stablehlo.subtract %32, %52 : tensor<8x8x32x32xf32>
    %54 = stablehlo.exponential %53 : tensor<8x8x32x32xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_13) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %58 = stablehlo.divide %54, %57 : tensor<8x8x32x32xf32>
    %59 = stablehlo.multiply %56, %56 : tensor<8x8x32x1xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x8x32x1xf32>
    %61 = stablehlo.divide %60, %59 : tensor<8x8x32x1xf32>
    %62 = stablehlo.dot_general %58, %29, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x32xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x8xf32>
    %63 = stablehlo.dot_general %62, %arg6, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x64xf32>) -> tensor<8x32x64xf32>
    %64 = sdy.sharding_constraint %63 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %65 = stablehlo.add %arg0, %64 : tensor<8x32x64xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_16 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %69 = stablehlo.divide %67, %68 : tensor<8x32x1xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %71 = stablehlo.subtract %65, %70 : tensor<8x32x64xf32>
    %72 = stablehlo.multiply %71, %71 : tensor<8x32x64xf32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x32x64xf32>
    %74 = stablehlo.multiply %73, %71 : tensor<8x32x64xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%72 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_19 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %78 = stablehlo.divide %76, %77 : tensor<8x32x1xf32>
    %79 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %80 = stablehlo.subtract %65, %79 : tensor<8x32x64xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %82 = stablehlo.add %78, %81 : tensor<8x32x1xf32>
    %83 = stablehlo.rsqrt %82 : tensor<8x32x1xf32>
    %84 = stablehlo.divide %83, %82 : tensor<8x32x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %86 = stablehlo.multiply %85, %84 : tensor<8x32x1xf32>
    %87 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %88 = stablehlo.multiply %80, %87 : tensor<8x32x64xf32>
    %89 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %91 = stablehlo.multiply %88, %90 : tensor<8x32x64xf32>
    %92 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %94 = stablehlo.add %91, %93 : tensor<8x32x64xf32>
    %95 = stablehlo.dot_general %94, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
    %96 = stablehlo.multiply %95, %95 : tensor<8x32x256xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<8x32x256xf32>
    %98 = stablehlo.multiply %95, %95 : tensor<8x32x256xf32>
    %cst_22 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<8x32x256xf32>
    %cst_23 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %102 = stablehlo.multiply %101, %97 : tensor<8x32x256xf32>
    %103 = stablehlo.add %95, %102 : tensor<8x32x256xf32>
    %cst_24 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %105 = stablehlo.multiply %104, %103 : tensor<8x32x256xf32>
    %106 = stablehlo.tanh %105 : tensor<8x32x256xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %108 = stablehlo.subtract %107, %106 : tensor<8x32x256xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %110 = stablehlo.add %109, %106 : tensor<8x32x256xf32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %112 = stablehlo.multiply %111, %110 : tensor<8x32x256xf32>
    %113 = stablehlo.multiply %95, %112 : tensor<8x32x256xf32>
    %114 = stablehlo.dot_general %113, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<256x64xf32>) -> tensor<8x32x64xf32>
    %115 = sdy.sharding_constraint %114 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %116 = stablehlo.add %65, %115 : tensor<8x32x64xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_29 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %120 = stablehlo.divide %118, %119 : tensor<8x32x1xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %122 = stablehlo.subtract %116, %121 : tensor<8x32x64xf32>
    %123 = stablehlo.multiply %122, %122 : tensor<8x32x64xf32>
    %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x32x64xf32>
    %125 = stablehlo.multiply %124, %122 : tensor<8x32x64xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.reduce(%123 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_32 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %129 = stablehlo.divide %127, %128 : tensor<8x32x1xf32>
    %130 = stablehlo.broadcast_in_dim %120, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %131 = stablehlo.subtract %116, %130 : tensor<8x32x64xf32>
    %cst_33 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %133 = stablehlo.add %129, %132 : tensor<8x32x1xf32>
    %134 = stablehlo.rsqrt %133 : tensor<8x32x1xf32>
    %135 = stablehlo.divide %134, %133 : tensor<8x32x1xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %137 = stablehlo.multiply %136, %135 : tensor<8x32x1xf32>
    %138 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %139 = stablehlo.multiply %131, %138 : tensor<8x32x64xf32>
    %140 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %142 = stablehlo.multiply %139, %141 : tensor<8x32x64xf32>
    %143 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %145 = stablehlo.add %142, %144 : tensor<8x32x64xf32>
    %146 = stablehlo.dot_general %arg13, %145, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<64x8x8xf32>, tensor<8x32x64xf32>) -> tensor<8x8x8x32xf32>
    %147 = stablehlo.transpose %146, dims = [2, 0, 3, 1] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %148 = stablehlo.dot_general %arg14, %145, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<64x8x8xf32>, tensor<8x32x64xf32>) -> tensor<8x8x8x32xf32>
    %149 = stablehlo.transpose %148, dims = [2, 0, 3, 1] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %150 = stablehlo.dot_general %arg15, %145, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<64x8x8xf32>, tensor<8x32x64xf32>) -> tensor<8x8x8x32xf32>
    %151 = stablehlo.transpose %150, dims = [2, 0, 3, 1] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %152 = stablehlo.dot_general %147, %149, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x32xf32>
    %cst_35 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x8x32x32xf32>
    %154 = stablehlo.divide %152, %153 : tensor<8x8x32x32xf32>
    %cst_36 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_36) applies stablehlo.maximum across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %156 = stablehlo.reshape %155 : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %158 = stablehlo.compare EQ, %154, %157, FLOAT : (tensor<8x8x32x32xf32>, tensor<8x8x32x32xf32>) -> tensor<8x8x32x32xi1>
    %159 = stablehlo.convert %158 : (tensor<8x8x32x32xi1>) -> tensor<8x8x32x32xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %160 = stablehlo.reduce(%159 init: %cst_37) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %162 = stablehlo.maximum %161, %155 : tensor<8x8x32xf32>
    %163 = stablehlo.compare EQ, %155, %162, FLOAT : (tensor<8x8x32xf32>, tensor<8x8x32xf32>) -> tensor<8x8x32xi1>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %166 = stablehlo.select %163, %164, %165 : tensor<8x8x32xi1>, tensor<8x8x32xf32>
    %cst_41 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %168 = stablehlo.compare EQ, %167, %162, FLOAT : (tensor<8x8x32xf32>, tensor<8x8x32xf32>) -> tensor<8x8x32xi1>
    %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %171 = stablehlo.select %168, %169, %170 : tensor<8x8x32xi1>, tensor<8x8x32xf32>
    %172 = stablehlo.divide %166, %171 : tensor<8x8x32xf32>
    %173 = stablehlo.broadcast_in_dim %162, dims = [0, 1, 2] : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %174 = stablehlo.broadcast_in_dim %173, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %175 = stablehlo.subtract %154, %174 : tensor<8x8x32x32xf32>
    %176 = stablehlo.exponential %175 : tensor<8x8x32x32xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %177 = stablehlo.reduce(%176 init: %cst_44) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2] : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %180 = stablehlo.divide %176, %179 : tensor<8x8x32x32xf32>
    %181 = stablehlo.multiply %178, %178 : tensor<8x8x32x1xf32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x8x32x1xf32>
    %183 = stablehlo.divide %182, %181 : tensor<8x8x32x1xf32>
    %184 = stablehlo.dot_general %180, %151, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x32xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x8xf32>
    %185 = stablehlo.dot_general %184, %arg16, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x64xf32>) -> tensor<8x32x64xf32>
    %186 = sdy.sharding_constraint %185 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %187 = stablehlo.add %116, %186 : tensor<8x32x64xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%187 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_47 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %191 = stablehlo.divide %189, %190 : tensor<8x32x1xf32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %193 = stablehlo.subtract %187, %192 : tensor<8x32x64xf32>
    %194 = stablehlo.multiply %193, %193 : tensor<8x32x64xf32>
    %cst_48 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x32x64xf32>
    %196 = stablehlo.multiply %195, %193 : tensor<8x32x64xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = stablehlo.reduce(%194 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_50 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %200 = stablehlo.divide %198, %199 : tensor<8x32x1xf32>
    %201 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %202 = stablehlo.subtract %187, %201 : tensor<8x32x64xf32>
    %cst_51 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %204 = stablehlo.add %200, %203 : tensor<8x32x1xf32>
    %205 = stablehlo.rsqrt %204 : tensor<8x32x1xf32>
    %206 = stablehlo.divide %205, %204 : tensor<8x32x1xf32>
    %cst_52 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %208 = stablehlo.multiply %207, %206 : tensor<8x32x1xf32>
    %209 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %210 = stablehlo.multiply %202, %209 : tensor<8x32x64xf32>
    %211 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %213 = stablehlo.multiply %210, %212 : tensor<8x32x64xf32>
    %214 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %216 = stablehlo.add %213, %215 : tensor<8x32x64xf32>
    %217 = stablehlo.dot_general %216, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
    %218 = stablehlo.multiply %217, %217 : tensor<8x32x256xf32>
    %219 = stablehlo.multiply %218, %217 : tensor<8x32x256xf32>
    %220 = stablehlo.multiply %217, %217 : tensor<8x32x256xf32>
    %cst_53 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %222 = stablehlo.multiply %221, %220 : tensor<8x32x256xf32>
    %cst_54 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %224 = stablehlo.multiply %223, %219 : tensor<8x32x256xf32>
    %225 = stablehlo.add %217, %224 : tensor<8x32x256xf32>
    %cst_55 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %227 = stablehlo.multiply %226, %225 : tensor<8x32x256xf32>
    %228 = stablehlo.tanh %227 : tensor<8x32x256xf32>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %230 = stablehlo.subtract %229, %228 : tensor<8x32x256xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %232 = stablehlo.add %231, %228 : tensor<8x32x256xf32>
    %cst_58 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %234 = stablehlo.multiply %233, %232 : tensor<8x32x256xf32>
    %235 = stablehlo.multiply %217, %234 : tensor<8x32x256xf32>
    %236 = stablehlo.dot_general %235, %arg20, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<256x64xf32>) -> tensor<8x32x64xf32>
    %237 = sdy.sharding_constraint %236 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %238 = stablehlo.add %187, %237 : tensor<8x32x64xf32>
    %239 = stablehlo.multiply %238, %238 : tensor<8x32x64xf32>
    %cst_59 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8x32x64xf32>
    %241 = stablehlo.multiply %240, %238 : tensor<8x32x64xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.reduce(%239 init: %cst_60) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<f32>
    %cst_61 = stablehlo.constant dense<1.638400e+04> : tensor<f32>
    %243 = stablehlo.divide %242, %cst_61 : tensor<f32>
    %cst_62 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_63 = stablehlo.constant dense<1.638400e+04> : tensor<f32>
    %244 = stablehlo.divide %cst_62, %cst_63 : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [] : (tensor<f32>) -> tensor<8x32x64xf32>
    %246 = stablehlo.multiply %245, %241 : tensor<8x32x64xf32>
    %247 = sdy.sharding_constraint %246 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %248 = stablehlo.dot_general %247, %235, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x32x256xf32>) -> tensor<64x256xf32>
    %249 = stablehlo.transpose %248, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %250 = stablehlo.dot_general %247, %arg20, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<256x64xf32>) -> tensor<8x32x256xf32>
    %251 = stablehlo.multiply %217, %250 : tensor<8x32x256xf32>
    %252 = stablehlo.multiply %250, %234 : tensor<8x32x256xf32>
    %cst_64 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %253 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %254 = stablehlo.multiply %253, %251 : tensor<8x32x256xf32>
    %255 = stablehlo.multiply %254, %230 : tensor<8x32x256xf32>
    %256 = stablehlo.multiply %255, %228 : tensor<8x32x256xf32>
    %257 = stablehlo.add %255, %256 : tensor<8x32x256xf32>
    %cst_65 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %259 = stablehlo.multiply %258, %257 : tensor<8x32x256xf32>
    %260 = stablehlo.add %252, %259 : tensor<8x32x256xf32>
    %cst_66 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %262 = stablehlo.multiply %261, %259 : tensor<8x32x256xf32>
    %263 = stablehlo.multiply %262, %222 : tensor<8x32x256xf32>
    %264 = stablehlo.add %260, %263 : tensor<8x32x256xf32>
    %265 = stablehlo.dot_general %264, %216, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %266 = stablehlo.transpose %265, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %267 = stablehlo.dot_general %264, %arg19, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<64x256xf32>) -> tensor<8x32x64xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.reduce(%267 init: %cst_67) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %269 = stablehlo.reshape %268 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %270 = stablehlo.reduce(%269 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %271 = stablehlo.multiply %210, %267 : tensor<8x32x64xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %272 = stablehlo.reduce(%271 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %273 = stablehlo.reshape %272 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %274 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %275 = stablehlo.multiply %267, %274 : tensor<8x32x64xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %276 = stablehlo.reduce(%273 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %277 = stablehlo.multiply %202, %275 : tensor<8x32x64xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %278 = stablehlo.reduce(%277 init: %cst_71) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %279 = stablehlo.reshape %278 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %280 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %281 = stablehlo.multiply %275, %280 : tensor<8x32x64xf32>
    %282 = stablehlo.multiply %279, %208 : tensor<8x32x1xf32>
    %283 = stablehlo.negate %281 : tensor<8x32x64xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %284 = stablehlo.reduce(%283 init: %cst_72) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %285 = stablehlo.reshape %284 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %286 = stablehlo.add %246, %281 : tensor<8x32x64xf32>
    %cst_73 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %287 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %288 = stablehlo.divide %282, %287 : tensor<8x32x1xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %289 = stablehlo.reduce(%288 init: %cst_74) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %290 = stablehlo.broadcast_in_dim %289, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %291 = stablehlo.multiply %290, %196 : tensor<8x32x64xf32>
    %292 = stablehlo.negate %291 : tensor<8x32x64xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %293 = stablehlo.reduce(%292 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %294 = stablehlo.reshape %293 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %295 = stablehlo.add %286, %291 : tensor<8x32x64xf32>
    %296 = stablehlo.add %285, %294 : tensor<8x32x1xf32>
    %cst_76 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %298 = stablehlo.divide %296, %297 : tensor<8x32x1xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_77) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %300 = stablehlo.broadcast_in_dim %299, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %301 = stablehlo.add %295, %300 : tensor<8x32x64xf32>
    %302 = sdy.sharding_constraint %301 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %303 = stablehlo.dot_general %302, %184, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x8x32x8xf32>) -> tensor<64x8x8xf32>
    %304 = stablehlo.transpose %303, dims = [1, 2, 0] : (tensor<64x8x8xf32>) -> tensor<8x8x64xf32>
    %305 = stablehlo.dot_general %302, %arg16, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x8x64xf32>) -> tensor<8x32x8x8xf32>
    %306 = stablehlo.transpose %305, dims = [0, 2, 1, 3] : (tensor<8x32x8x8xf32>) -> tensor<8x8x32x8xf32>
    %307 = stablehlo.dot_general %306, %180, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x32x32xf32>) -> tensor<8x8x8x32xf32>
    %308 = stablehlo.transpose %307, dims = [0, 1, 3, 2] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %309 = stablehlo.dot_general %306, %151, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x32xf32>
    %310 = stablehlo.broadcast_in_dim %183, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %311 = stablehlo.multiply %309, %310 : tensor<8x8x32x32xf32>
    %312 = stablehlo.multiply %311, %176 : tensor<8x8x32x32xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %313 = stablehlo.reduce(%312 init: %cst_78) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %314 = stablehlo.reshape %313 : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %315 = stablehlo.negate %314 : tensor<8x8x32x1xf32>
    %316 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %317 = stablehlo.divide %309, %316 : tensor<8x8x32x32xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.reduce(%315 init: %cst_79) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x1xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %319 = stablehlo.broadcast_in_dim %318, dims = [0, 1, 2] : (tensor<8x8x32xf32>) -> tensor<8x8x32x32xf32>
    %320 = stablehlo.add %317, %319 : tensor<8x8x32x32xf32>
    %321 = stablehlo.multiply %320, %176 : tensor<8x8x32x32xf32>
    %cst_80 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8x8x32x32xf32>
    %323 = stablehlo.divide %321, %322 : tensor<8x8x32x32xf32>
    %324 = stablehlo.dot_general %323, %147, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x32xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x8xf32>
    %325 = stablehlo.dot_general %323, %149, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x32xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x8xf32>
    %326 = stablehlo.transpose %308, dims = [1, 3, 0, 2] : (tensor<8x8x32x8xf32>) -> tensor<8x8x8x32xf32>
    %327 = stablehlo.dot_general %326, %arg15, contracting_dims = [0, 1] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<64x8x8xf32>) -> tensor<8x32x64xf32>
    %328 = stablehlo.dot_general %326, %145, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<8x32x64xf32>) -> tensor<8x8x64xf32>
    %329 = stablehlo.transpose %328, dims = [2, 0, 1] : (tensor<8x8x64xf32>) -> tensor<64x8x8xf32>
    %330 = stablehlo.transpose %324, dims = [1, 3, 0, 2] : (tensor<8x8x32x8xf32>) -> tensor<8x8x8x32xf32>
    %331 = stablehlo.dot_general %330, %arg14, contracting_dims = [0, 1] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<64x8x8xf32>) -> tensor<8x32x64xf32>
    %332 = stablehlo.add %327, %331 : tensor<8x32x64xf32>
    %333 = stablehlo.dot_general %330, %145, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<8x32x64xf32>) -> tensor<8x8x64xf32>
    %334 = stablehlo.transpose %333, dims = [2, 0, 1] : (tensor<8x8x64xf32>) -> tensor<64x8x8xf32>
    %335 = stablehlo.transpose %325, dims = [1, 3, 0, 2] : (tensor<8x8x32x8xf32>) -> tensor<8x8x8x32xf32>
    %336 = stablehlo.dot_general %335, %arg13, contracting_dims = [0, 1] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<64x8x8xf32>) -> tensor<8x32x64xf32>
    %337 = stablehlo.add %332, %336 : tensor<8x32x64xf32>
    %338 = stablehlo.dot_general %335, %145, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<8x32x64xf32>) -> tensor<8x8x64xf32>
    %339 = stablehlo.transpose %338, dims = [2, 0, 1] : (tensor<8x8x64xf32>) -> tensor<64x8x8xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%337 init: %cst_81) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %341 = stablehlo.reshape %340 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %342 = stablehlo.reduce(%341 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %343 = stablehlo.multiply %139, %337 : tensor<8x32x64xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %344 = stablehlo.reduce(%343 init: %cst_83) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %345 = stablehlo.reshape %344 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %346 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %347 = stablehlo.multiply %337, %346 : tensor<8x32x64xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %348 = stablehlo.reduce(%345 init: %cst_84) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %349 = stablehlo.multiply %131, %347 : tensor<8x32x64xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%349 init: %cst_85) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %351 = stablehlo.reshape %350 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %352 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %353 = stablehlo.multiply %347, %352 : tensor<8x32x64xf32>
    %354 = stablehlo.multiply %351, %137 : tensor<8x32x1xf32>
    %355 = stablehlo.negate %353 : tensor<8x32x64xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %356 = stablehlo.reduce(%355 init: %cst_86) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %357 = stablehlo.reshape %356 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %358 = stablehlo.add %301, %353 : tensor<8x32x64xf32>
    %cst_87 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %360 = stablehlo.divide %354, %359 : tensor<8x32x1xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.reduce(%360 init: %cst_88) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %362 = stablehlo.broadcast_in_dim %361, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %363 = stablehlo.multiply %362, %125 : tensor<8x32x64xf32>
    %364 = stablehlo.negate %363 : tensor<8x32x64xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %365 = stablehlo.reduce(%364 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %366 = stablehlo.reshape %365 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %367 = stablehlo.add %358, %363 : tensor<8x32x64xf32>
    %368 = stablehlo.add %357, %366 : tensor<8x32x1xf32>
    %cst_90 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %370 = stablehlo.divide %368, %369 : tensor<8x32x1xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.reduce(%370 init: %cst_91) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %372 = stablehlo.broadcast_in_dim %371, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %373 = stablehlo.add %367, %372 : tensor<8x32x64xf32>
    %374 = sdy.sharding_constraint %373 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %375 = stablehlo.dot_general %374, %113, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x32x256xf32>) -> tensor<64x256xf32>
    %376 = stablehlo.transpose %375, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %377 = stablehlo.dot_general %374, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<256x64xf32>) -> tensor<8x32x256xf32>
    %378 = stablehlo.multiply %95, %377 : tensor<8x32x256xf32>
    %379 = stablehlo.multiply %377, %112 : tensor<8x32x256xf32>
    %cst_92 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %381 = stablehlo.multiply %380, %378 : tensor<8x32x256xf32>
    %382 = stablehlo.multiply %381, %108 : tensor<8x32x256xf32>
    %383 = stablehlo.multiply %382, %106 : tensor<8x32x256xf32>
    %384 = stablehlo.add %382, %383 : tensor<8x32x256xf32>
    %cst_93 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %385 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %386 = stablehlo.multiply %385, %384 : tensor<8x32x256xf32>
    %387 = stablehlo.add %379, %386 : tensor<8x32x256xf32>
    %cst_94 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %388 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %389 = stablehlo.multiply %388, %386 : tensor<8x32x256xf32>
    %390 = stablehlo.multiply %389, %100 : tensor<8x32x256xf32>
    %391 = stablehlo.add %387, %390 : tensor<8x32x256xf32>
    %392 = stablehlo.dot_general %391, %94, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %393 = stablehlo.transpose %392, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %394 = stablehlo.dot_general %391, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<64x256xf32>) -> tensor<8x32x64xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %395 = stablehlo.reduce(%394 init: %cst_95) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %396 = stablehlo.reshape %395 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %397 = stablehlo.reduce(%396 init: %cst_96) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %398 = stablehlo.multiply %88, %394 : tensor<8x32x64xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %399 = stablehlo.reduce(%398 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %400 = stablehlo.reshape %399 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %401 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %402 = stablehlo.multiply %394, %401 : tensor<8x32x64xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %403 = stablehlo.reduce(%400 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %404 = stablehlo.multiply %80, %402 : tensor<8x32x64xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %405 = stablehlo.reduce(%404 init: %cst_99) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %406 = stablehlo.reshape %405 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %407 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %408 = stablehlo.multiply %402, %407 : tensor<8x32x64xf32>
    %409 = stablehlo.multiply %406, %86 : tensor<8x32x1xf32>
    %410 = stablehlo.negate %408 : tensor<8x32x64xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %411 = stablehlo.reduce(%410 init: %cst_100) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %412 = stablehlo.reshape %411 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %413 = stablehlo.add %373, %408 : tensor<8x32x64xf32>
    %cst_101 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %414 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %415 = stablehlo.divide %409, %414 : tensor<8x32x1xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.reduce(%415 init: %cst_102) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %417 = stablehlo.broadcast_in_dim %416, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %418 = stablehlo.multiply %417, %74 : tensor<8x32x64xf32>
    %419 = stablehlo.negate %418 : tensor<8x32x64xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %420 = stablehlo.reduce(%419 init: %cst_103) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %421 = stablehlo.reshape %420 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %422 = stablehlo.add %413, %418 : tensor<8x32x64xf32>
    %423 = stablehlo.add %412, %421 : tensor<8x32x1xf32>
    %cst_104 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %425 = stablehlo.divide %423, %424 : tensor<8x32x1xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %426 = stablehlo.reduce(%425 init: %cst_105) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %427 = stablehlo.broadcast_in_dim %426, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %428 = stablehlo.add %422, %427 : tensor<8x32x64xf32>
    %429 = sdy.sharding_constraint %428 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x32x64xf32>
    %430 = stablehlo.dot_general %429, %62, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x8x32x8xf32>) -> tensor<64x8x8xf32>
    %431 = stablehlo.transpose %430, dims = [1, 2, 0] : (tensor<64x8x8xf32>) -> tensor<8x8x64xf32>
    %432 = stablehlo.dot_general %429, %arg6, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x8x64xf32>) -> tensor<8x32x8x8xf32>
    %433 = stablehlo.transpose %432, dims = [0, 2, 1, 3] : (tensor<8x32x8x8xf32>) -> tensor<8x8x32x8xf32>
    %434 = stablehlo.dot_general %433, %58, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x32x32xf32>) -> tensor<8x8x8x32xf32>
    %435 = stablehlo.transpose %434, dims = [0, 1, 3, 2] : (tensor<8x8x8x32xf32>) -> tensor<8x8x32x8xf32>
    %436 = stablehlo.dot_general %433, %29, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x8xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x32xf32>
    %437 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %438 = stablehlo.multiply %436, %437 : tensor<8x8x32x32xf32>
    %439 = stablehlo.multiply %438, %54 : tensor<8x8x32x32xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %440 = stablehlo.reduce(%439 init: %cst_106) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x32xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %441 = stablehlo.reshape %440 : (tensor<8x8x32xf32>) -> tensor<8x8x32x1xf32>
    %442 = stablehlo.negate %441 : tensor<8x8x32x1xf32>
    %443 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<8x8x32x1xf32>) -> tensor<8x8x32x32xf32>
    %444 = stablehlo.divide %436, %443 : tensor<8x8x32x32xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %445 = stablehlo.reduce(%442 init: %cst_107) applies stablehlo.add across dimensions = [3] : (tensor<8x8x32x1xf32>, tensor<f32>) -> tensor<8x8x32xf32>
    %446 = stablehlo.broadcast_in_dim %445, dims = [0, 1, 2] : (tensor<8x8x32xf32>) -> tensor<8x8x32x32xf32>
    %447 = stablehlo.add %444, %446 : tensor<8x8x32x32xf32>
    %448 = stablehlo.multiply %447, %54 : tensor<8x8x32x32xf32>
    %cst_108 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %449 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<8x8x32x32xf32>
    %450 = stablehlo.divide %448, %449 : tensor<8x8x32x32xf32>
    %451 = stablehlo.dot_general %450, %25, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x32xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x8xf32>
    %452 = stablehlo.dot_general %450, %27, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32x32xf32>, tensor<8x8x32x8xf32>) -> tensor<8x8x32x8xf32>
    %453 = stablehlo.transpose %435, dims = [1, 3, 0, 2] : (tensor<8x8x32x8xf32>) -> tensor<8x8x8x32xf32>
    %454 = stablehlo.dot_general %453, %arg5, contracting_dims = [0, 1] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<64x8x8xf32>) -> tensor<8x32x64xf32>
    %455 = stablehlo.dot_general %453, %23, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<8x32x64xf32>) -> tensor<8x8x64xf32>
    %456 = stablehlo.transpose %455, dims = [2, 0, 1] : (tensor<8x8x64xf32>) -> tensor<64x8x8xf32>
    %457 = stablehlo.transpose %451, dims = [1, 3, 0, 2] : (tensor<8x8x32x8xf32>) -> tensor<8x8x8x32xf32>
    %458 = stablehlo.dot_general %457, %arg4, contracting_dims = [0, 1] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<64x8x8xf32>) -> tensor<8x32x64xf32>
    %459 = stablehlo.add %454, %458 : tensor<8x32x64xf32>
    %460 = stablehlo.dot_general %457, %23, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<8x32x64xf32>) -> tensor<8x8x64xf32>
    %461 = stablehlo.transpose %460, dims = [2, 0, 1] : (tensor<8x8x64xf32>) -> tensor<64x8x8xf32>
    %462 = stablehlo.transpose %452, dims = [1, 3, 0, 2] : (tensor<8x8x32x8xf32>) -> tensor<8x8x8x32xf32>
    %463 = stablehlo.dot_general %462, %arg3, contracting_dims = [0, 1] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<64x8x8xf32>) -> tensor<8x32x64xf32>
    %464 = stablehlo.add %459, %463 : tensor<8x32x64xf32>
    %465 = stablehlo.dot_general %462, %23, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x32xf32>, tensor<8x32x64xf32>) -> tensor<8x8x64xf32>
    %466 = stablehlo.transpose %465, dims = [2, 0, 1] : (tensor<8x8x64xf32>) -> tensor<64x8x8xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %467 = stablehlo.reduce(%464 init: %cst_109) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %468 = stablehlo.reshape %467 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %469 = stablehlo.reduce(%468 init: %cst_110) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %470 = stablehlo.multiply %17, %464 : tensor<8x32x64xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %471 = stablehlo.reduce(%470 init: %cst_111) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %472 = stablehlo.reshape %471 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %473 = stablehlo.reduce(%472 init: %cst_112) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    return %473, %469, %466, %461, %456, %431, %403, %397, %393, %376, %348, %342, %339, %334, %329, %304, %276, %270, %266, %249 : tensor<64xf32>, tensor<64xf32>, tensor<64x8x8xf32>, tensor<64x8x8xf32>, tensor<64x8x8xf32>, tensor<8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x8x8xf32>, tensor<64x8x8xf32>, tensor<64x8x8xf32>, tensor<8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256x64xf32>
  }
}
