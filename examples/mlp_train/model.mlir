module @jit_mlp_train attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg3: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg4: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg5: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<64xf32> {jax.result_info = "result[0]['b1']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, tensor<16xf32> {jax.result_info = "result[0]['b2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32x64xf32> {jax.result_info = "result[0]['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x16xf32> {jax.result_info = "result[0]['w2']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x64xf32>) -> tensor<16x64xf32>
    %3 = stablehlo.add %0, %2 : tensor<16x64xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<16x64xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<16x64xf32>
    %6 = stablehlo.multiply %3, %3 : tensor<16x64xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<16x64xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<16x64xf32>
    %11 = stablehlo.add %3, %10 : tensor<16x64xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<16x64xf32>
    %14 = stablehlo.tanh %13 : tensor<16x64xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<16x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %18 = stablehlo.add %17, %14 : tensor<16x64xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<16x64xf32>
    %21 = stablehlo.multiply %3, %20 : tensor<16x64xf32>
    %22 = sdy.sharding_constraint %21 <@mesh, [{"data"}, {"model"}]> : tensor<16x64xf32>
    %23 = stablehlo.dot_general %22, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<16x16xf32>
    %24 = sdy.sharding_constraint %23 <@mesh, [{"data"}, {}]> : tensor<16x16xf32>
    %25 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<16x16xf32>
    %27 = stablehlo.add %24, %26 : tensor<16x16xf32>
    %28 = stablehlo.subtract %27, %arg5 : tensor<16x16xf32>
    %29 = stablehlo.multiply %28, %28 : tensor<16x16xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %31 = stablehlo.multiply %30, %28 : tensor<16x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %33 = stablehlo.divide %32, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %34 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %36 = stablehlo.multiply %35, %31 : tensor<16x16xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%36 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %38 = stablehlo.reshape %37 : (tensor<16xf32>) -> tensor<1x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %40 = sdy.sharding_constraint %36 <@mesh, [{"data"}, {}]> : tensor<16x16xf32>
    %41 = stablehlo.dot_general %40, %22, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
    %43 = stablehlo.dot_general %40, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<64x16xf32>) -> tensor<16x64xf32>
    %44 = sdy.sharding_constraint %43 <@mesh, [{"data"}, {"model"}]> : tensor<16x64xf32>
    %45 = stablehlo.multiply %3, %44 : tensor<16x64xf32>
    %46 = stablehlo.multiply %44, %20 : tensor<16x64xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %48 = stablehlo.multiply %47, %45 : tensor<16x64xf32>
    %49 = stablehlo.multiply %48, %16 : tensor<16x64xf32>
    %50 = stablehlo.multiply %49, %14 : tensor<16x64xf32>
    %51 = stablehlo.add %49, %50 : tensor<16x64xf32>
    %cst_13 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<16x64xf32>
    %54 = stablehlo.add %46, %53 : tensor<16x64xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %56 = stablehlo.multiply %55, %53 : tensor<16x64xf32>
    %57 = stablehlo.multiply %56, %8 : tensor<16x64xf32>
    %58 = stablehlo.add %54, %57 : tensor<16x64xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %60 = stablehlo.reshape %59 : (tensor<64xf32>) -> tensor<1x64xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%60 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %62 = stablehlo.dot_general %58, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x64xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
    %63 = stablehlo.transpose %62, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %65 = stablehlo.multiply %64, %61 : tensor<64xf32>
    %66 = stablehlo.subtract %arg0, %65 : tensor<64xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %68 = stablehlo.multiply %67, %39 : tensor<16xf32>
    %69 = stablehlo.subtract %arg1, %68 : tensor<16xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %71 = stablehlo.multiply %70, %63 : tensor<32x64xf32>
    %72 = stablehlo.subtract %arg2, %71 : tensor<32x64xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %74 = stablehlo.multiply %73, %42 : tensor<64x16xf32>
    %75 = stablehlo.subtract %arg3, %74 : tensor<64x16xf32>
    return %66, %69, %72, %75, %33 : tensor<64xf32>, tensor<16xf32>, tensor<32x64xf32>, tensor<64x16xf32>, tensor<f32>
  }
}
