module @jit_sequence_parallel_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg1: tensor<128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg4: tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<8x64x128xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, tensor<128xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<128xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<128x512xf32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<512x128xf32> {jax.result_info = "result[4]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<8x64xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x64x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x128xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x64x128xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<8x64x128xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x64x128xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<8x64x128xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<8x64xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_3 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<8x64x1xf32>
    %13 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x128xf32>
    %14 = stablehlo.subtract %arg0, %13 : tensor<8x64x128xf32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %16 = stablehlo.add %12, %15 : tensor<8x64x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<8x64x1xf32>
    %18 = stablehlo.divide %17, %16 : tensor<8x64x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<8x64x1xf32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x128xf32>
    %22 = stablehlo.multiply %14, %21 : tensor<8x64x128xf32>
    %23 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x64x128xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<8x64x128xf32>
    %26 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x64x128xf32>
    %28 = stablehlo.add %25, %27 : tensor<8x64x128xf32>
    %29 = stablehlo.dot_general %28, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x128xf32>, tensor<128x512xf32>) -> tensor<8x64x512xf32>
    %30 = stablehlo.multiply %29, %29 : tensor<8x64x512xf32>
    %31 = stablehlo.multiply %30, %29 : tensor<8x64x512xf32>
    %32 = stablehlo.multiply %29, %29 : tensor<8x64x512xf32>
    %cst_6 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<8x64x512xf32>
    %cst_7 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %36 = stablehlo.multiply %35, %31 : tensor<8x64x512xf32>
    %37 = stablehlo.add %29, %36 : tensor<8x64x512xf32>
    %cst_8 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %39 = stablehlo.multiply %38, %37 : tensor<8x64x512xf32>
    %40 = stablehlo.tanh %39 : tensor<8x64x512xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %42 = stablehlo.subtract %41, %40 : tensor<8x64x512xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %44 = stablehlo.add %43, %40 : tensor<8x64x512xf32>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %46 = stablehlo.multiply %45, %44 : tensor<8x64x512xf32>
    %47 = stablehlo.multiply %29, %46 : tensor<8x64x512xf32>
    %48 = sdy.sharding_constraint %47 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x64x512xf32>
    %49 = stablehlo.dot_general %48, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x512xf32>, tensor<512x128xf32>) -> tensor<8x64x128xf32>
    %50 = sdy.sharding_constraint %49 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x64x128xf32>
    %51 = stablehlo.add %arg0, %50 : tensor<8x64x128xf32>
    %52 = stablehlo.multiply %51, %51 : tensor<8x64x128xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x64x128xf32>
    %54 = stablehlo.multiply %53, %51 : tensor<8x64x128xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%52 init: %cst_13) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x64x128xf32>
    %57 = stablehlo.multiply %56, %54 : tensor<8x64x128xf32>
    %58 = sdy.sharding_constraint %57 <@mesh, [{"data"}, {"model"}, {}]> : tensor<8x64x128xf32>
    %59 = stablehlo.dot_general %58, %48, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x64x128xf32>, tensor<8x64x512xf32>) -> tensor<128x512xf32>
    %60 = stablehlo.transpose %59, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
    %61 = stablehlo.dot_general %58, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x64x128xf32>, tensor<512x128xf32>) -> tensor<8x64x512xf32>
    %62 = sdy.sharding_constraint %61 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x64x512xf32>
    %63 = stablehlo.multiply %29, %62 : tensor<8x64x512xf32>
    %64 = stablehlo.multiply %62, %46 : tensor<8x64x512xf32>
    %cst_15 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %66 = stablehlo.multiply %65, %63 : tensor<8x64x512xf32>
    %67 = stablehlo.multiply %66, %42 : tensor<8x64x512xf32>
    %68 = stablehlo.multiply %67, %40 : tensor<8x64x512xf32>
    %69 = stablehlo.add %67, %68 : tensor<8x64x512xf32>
    %cst_16 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %71 = stablehlo.multiply %70, %69 : tensor<8x64x512xf32>
    %72 = stablehlo.add %64, %71 : tensor<8x64x512xf32>
    %cst_17 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x64x512xf32>
    %74 = stablehlo.multiply %73, %71 : tensor<8x64x512xf32>
    %75 = stablehlo.multiply %74, %34 : tensor<8x64x512xf32>
    %76 = stablehlo.add %72, %75 : tensor<8x64x512xf32>
    %77 = stablehlo.dot_general %76, %28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x64x512xf32>, tensor<8x64x128xf32>) -> tensor<512x128xf32>
    %78 = stablehlo.transpose %77, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
    %79 = stablehlo.dot_general %76, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x64x512xf32>, tensor<128x512xf32>) -> tensor<8x64x128xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_18) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<128xf32>
    %81 = stablehlo.reshape %80 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_19) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %83 = stablehlo.multiply %22, %79 : tensor<8x64x128xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<128xf32>
    %85 = stablehlo.reshape %84 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %86 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x64x128xf32>
    %87 = stablehlo.multiply %79, %86 : tensor<8x64x128xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%85 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %89 = stablehlo.multiply %14, %87 : tensor<8x64x128xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<8x64xf32>
    %91 = stablehlo.reshape %90 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %92 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x128xf32>
    %93 = stablehlo.multiply %87, %92 : tensor<8x64x128xf32>
    %94 = stablehlo.multiply %91, %20 : tensor<8x64x1xf32>
    %95 = stablehlo.negate %93 : tensor<8x64x128xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<8x64xf32>
    %97 = stablehlo.reshape %96 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %98 = stablehlo.add %57, %93 : tensor<8x64x128xf32>
    %cst_24 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %100 = stablehlo.divide %94, %99 : tensor<8x64x1xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<8x64x1xf32>, tensor<f32>) -> tensor<8x64xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x128xf32>
    %103 = stablehlo.multiply %102, %8 : tensor<8x64x128xf32>
    %104 = stablehlo.negate %103 : tensor<8x64x128xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<8x64x128xf32>, tensor<f32>) -> tensor<8x64xf32>
    %106 = stablehlo.reshape %105 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %107 = stablehlo.add %98, %103 : tensor<8x64x128xf32>
    %108 = stablehlo.add %97, %106 : tensor<8x64x1xf32>
    %cst_27 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %110 = stablehlo.divide %108, %109 : tensor<8x64x1xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<8x64x1xf32>, tensor<f32>) -> tensor<8x64xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x128xf32>
    %113 = stablehlo.add %107, %112 : tensor<8x64x128xf32>
    return %113, %88, %82, %78, %60 : tensor<8x64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512x128xf32>
  }
}
