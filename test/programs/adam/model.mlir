module @jit_adam attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg1: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg2: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}, %arg3: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg4: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg5: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg6: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg7: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<12x16xf32> {jax.result_info = "result[0]['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<16x12xf32> {jax.result_info = "result[0]['w2']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<i32> {jax.result_info = "result[1]['count']", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<12x16xf32> {jax.result_info = "result[1]['first']['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<16x12xf32> {jax.result_info = "result[1]['first']['w2']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<12x16xf32> {jax.result_info = "result[1]['second']['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<16x12xf32> {jax.result_info = "result[1]['second']['w2']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<f32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<f32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.dot_general %arg7, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<12x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.tanh %0 : tensor<8x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<8x16xf32>
    %4 = sdy.sharding_constraint %1 <@mesh, [{"data"}, {"model"}]> : tensor<8x16xf32>
    %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
    %6 = stablehlo.subtract %5, %arg7 : tensor<8x12xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8x12xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %9 = stablehlo.multiply %8, %6 : tensor<8x12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %11 = stablehlo.divide %10, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %12 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %14 = stablehlo.multiply %13, %9 : tensor<8x12xf32>
    %15 = stablehlo.dot_general %14, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<8x16xf32>) -> tensor<12x16xf32>
    %16 = stablehlo.transpose %15, dims = [1, 0] : (tensor<12x16xf32>) -> tensor<16x12xf32>
    %17 = stablehlo.dot_general %14, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<16x12xf32>) -> tensor<8x16xf32>
    %18 = sdy.sharding_constraint %17 <@mesh, [{"data"}, {"model"}]> : tensor<8x16xf32>
    %19 = stablehlo.multiply %18, %3 : tensor<8x16xf32>
    %20 = stablehlo.multiply %19, %1 : tensor<8x16xf32>
    %21 = stablehlo.add %19, %20 : tensor<8x16xf32>
    %22 = stablehlo.dot_general %21, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<8x12xf32>) -> tensor<16x12xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<16x12xf32>) -> tensor<12x16xf32>
    %24 = stablehlo.multiply %23, %23 : tensor<12x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.add %cst_6, %25 : tensor<f32>
    %27 = stablehlo.multiply %16, %16 : tensor<16x12xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x12xf32>, tensor<f32>) -> tensor<f32>
    %29 = stablehlo.add %26, %28 : tensor<f32>
    %30 = stablehlo.sqrt %29 : tensor<f32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %31 = stablehlo.divide %cst_8, %30 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.minimum %cst_9, %31 : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %34 = stablehlo.multiply %23, %33 : tensor<12x16xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %35 = stablehlo.divide %cst_10, %30 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.minimum %cst_11, %35 : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %38 = stablehlo.multiply %16, %37 : tensor<16x12xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %39 = stablehlo.add %arg2, %c : tensor<i32>
    %cst_12 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %41 = stablehlo.multiply %40, %arg3 : tensor<12x16xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %43 = stablehlo.multiply %42, %34 : tensor<12x16xf32>
    %44 = stablehlo.add %41, %43 : tensor<12x16xf32>
    %cst_14 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %46 = stablehlo.multiply %45, %arg4 : tensor<16x12xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %48 = stablehlo.multiply %47, %38 : tensor<16x12xf32>
    %49 = stablehlo.add %46, %48 : tensor<16x12xf32>
    %cst_16 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %51 = stablehlo.multiply %50, %arg5 : tensor<12x16xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %53 = stablehlo.multiply %52, %34 : tensor<12x16xf32>
    %54 = stablehlo.multiply %53, %34 : tensor<12x16xf32>
    %55 = stablehlo.add %51, %54 : tensor<12x16xf32>
    %cst_18 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %57 = stablehlo.multiply %56, %arg6 : tensor<16x12xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %59 = stablehlo.multiply %58, %38 : tensor<16x12xf32>
    %60 = stablehlo.multiply %59, %38 : tensor<16x12xf32>
    %61 = stablehlo.add %57, %60 : tensor<16x12xf32>
    %62 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %cst_20 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %63 = stablehlo.divide %62, %cst_20 : tensor<f32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %64 = stablehlo.minimum %cst_21, %63 : tensor<f32>
    %cst_22 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %65 = stablehlo.multiply %cst_22, %64 : tensor<f32>
    %66 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %67 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %68 = stablehlo.power %cst_23, %67 : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.subtract %cst_24, %68 : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %71 = stablehlo.divide %44, %70 : tensor<12x16xf32>
    %72 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %cst_25 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %73 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %74 = stablehlo.power %cst_25, %73 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %75 = stablehlo.subtract %cst_26, %74 : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %77 = stablehlo.divide %55, %76 : tensor<12x16xf32>
    %78 = stablehlo.sqrt %77 : tensor<12x16xf32>
    %cst_27 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %80 = stablehlo.add %78, %79 : tensor<12x16xf32>
    %81 = stablehlo.divide %71, %80 : tensor<12x16xf32>
    %cst_28 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %83 = stablehlo.multiply %82, %arg0 : tensor<12x16xf32>
    %84 = stablehlo.add %81, %83 : tensor<12x16xf32>
    %85 = stablehlo.broadcast_in_dim %65, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %86 = stablehlo.multiply %85, %84 : tensor<12x16xf32>
    %87 = stablehlo.subtract %arg0, %86 : tensor<12x16xf32>
    %88 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %89 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %90 = stablehlo.power %cst_29, %89 : tensor<f32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %91 = stablehlo.subtract %cst_30, %90 : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %93 = stablehlo.divide %49, %92 : tensor<16x12xf32>
    %94 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %cst_31 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %95 = stablehlo.convert %39 : (tensor<i32>) -> tensor<f32>
    %96 = stablehlo.power %cst_31, %95 : tensor<f32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %97 = stablehlo.subtract %cst_32, %96 : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %99 = stablehlo.divide %61, %98 : tensor<16x12xf32>
    %100 = stablehlo.sqrt %99 : tensor<16x12xf32>
    %cst_33 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %102 = stablehlo.add %100, %101 : tensor<16x12xf32>
    %103 = stablehlo.divide %93, %102 : tensor<16x12xf32>
    %cst_34 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %105 = stablehlo.multiply %104, %arg1 : tensor<16x12xf32>
    %106 = stablehlo.add %103, %105 : tensor<16x12xf32>
    %107 = stablehlo.broadcast_in_dim %65, dims = [] : (tensor<f32>) -> tensor<16x12xf32>
    %108 = stablehlo.multiply %107, %106 : tensor<16x12xf32>
    %109 = stablehlo.subtract %arg1, %108 : tensor<16x12xf32>
    return %87, %109, %39, %44, %49, %55, %61, %11, %30 : tensor<12x16xf32>, tensor<16x12xf32>, tensor<i32>, tensor<12x16xf32>, tensor<16x12xf32>, tensor<12x16xf32>, tensor<16x12xf32>, tensor<f32>, tensor<f32>
  }
}
