module @jit_uneven_tokens attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<17x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg3: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg4: tensor<4x17x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg5: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<8x10xf32> {jax.result_info = "result[0]['classes']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x8xf32> {jax.result_info = "result[0]['down']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<17x8xf32> {jax.result_info = "result[0]['places']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [1, 2] : (tensor<17x8xf32>) -> tensor<1x17x8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x17x8xf32>) -> tensor<4x17x8xf32>
    %2 = stablehlo.add %arg4, %1 : tensor<4x17x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %6 = stablehlo.divide %4, %5 : tensor<4x17x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x8xf32>
    %8 = stablehlo.subtract %2, %7 : tensor<4x17x8xf32>
    %9 = stablehlo.multiply %8, %8 : tensor<4x17x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<4x17x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %15 = stablehlo.add %13, %14 : tensor<4x17x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<4x17x1xf32>
    %17 = stablehlo.divide %16, %15 : tensor<4x17x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<4x17x1xf32>
    %20 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x8xf32>
    %21 = stablehlo.multiply %8, %20 : tensor<4x17x8xf32>
    %22 = stablehlo.dot_general %21, %2, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x17x8xf32>, tensor<4x17x8xf32>) -> tensor<4x17x17xf32>
    %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x17x17xf32>
    %24 = stablehlo.divide %22, %23 : tensor<4x17x17xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_6) applies stablehlo.maximum across dimensions = [2] : (tensor<4x17x17xf32>, tensor<f32>) -> tensor<4x17xf32>
    %26 = stablehlo.reshape %25 : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x17xf32>
    %28 = stablehlo.compare EQ, %24, %27, FLOAT : (tensor<4x17x17xf32>, tensor<4x17x17xf32>) -> tensor<4x17x17xi1>
    %29 = stablehlo.convert %28 : (tensor<4x17x17xi1>) -> tensor<4x17x17xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<4x17x17xf32>, tensor<f32>) -> tensor<4x17xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x17xf32>
    %32 = stablehlo.maximum %31, %25 : tensor<4x17xf32>
    %33 = stablehlo.compare EQ, %25, %32, FLOAT : (tensor<4x17xf32>, tensor<4x17xf32>) -> tensor<4x17xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x17xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x17xf32>
    %36 = stablehlo.select %33, %34, %35 : tensor<4x17xi1>, tensor<4x17xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x17xf32>
    %38 = stablehlo.compare EQ, %37, %32, FLOAT : (tensor<4x17xf32>, tensor<4x17xf32>) -> tensor<4x17xi1>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x17xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x17xf32>
    %41 = stablehlo.select %38, %39, %40 : tensor<4x17xi1>, tensor<4x17xf32>
    %42 = stablehlo.divide %36, %41 : tensor<4x17xf32>
    %43 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x17xf32>
    %45 = stablehlo.subtract %24, %44 : tensor<4x17x17xf32>
    %46 = stablehlo.exponential %45 : tensor<4x17x17xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<4x17x17xf32>, tensor<f32>) -> tensor<4x17xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x17xf32>
    %50 = stablehlo.divide %46, %49 : tensor<4x17x17xf32>
    %51 = stablehlo.multiply %48, %48 : tensor<4x17x1xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %53 = stablehlo.divide %52, %51 : tensor<4x17x1xf32>
    %54 = stablehlo.dot_general %50, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x17xf32>, tensor<4x17x8xf32>) -> tensor<4x17x8xf32>
    %55 = stablehlo.add %2, %54 : tensor<4x17x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %cst_17 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %59 = stablehlo.divide %57, %58 : tensor<4x17x1xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x8xf32>
    %61 = stablehlo.subtract %55, %60 : tensor<4x17x8xf32>
    %62 = stablehlo.multiply %61, %61 : tensor<4x17x8xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%62 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %cst_19 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %66 = stablehlo.divide %64, %65 : tensor<4x17x1xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %68 = stablehlo.add %66, %67 : tensor<4x17x1xf32>
    %69 = stablehlo.rsqrt %68 : tensor<4x17x1xf32>
    %70 = stablehlo.divide %69, %68 : tensor<4x17x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %72 = stablehlo.multiply %71, %70 : tensor<4x17x1xf32>
    %73 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x8xf32>
    %74 = stablehlo.multiply %61, %73 : tensor<4x17x8xf32>
    %75 = stablehlo.dot_general %74, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x17x8xf32>, tensor<8x16xf32>) -> tensor<4x17x16xf32>
    %76 = stablehlo.multiply %75, %75 : tensor<4x17x16xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<4x17x16xf32>
    %78 = stablehlo.multiply %75, %75 : tensor<4x17x16xf32>
    %cst_22 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %80 = stablehlo.multiply %79, %78 : tensor<4x17x16xf32>
    %cst_23 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %82 = stablehlo.multiply %81, %77 : tensor<4x17x16xf32>
    %83 = stablehlo.add %75, %82 : tensor<4x17x16xf32>
    %cst_24 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %85 = stablehlo.multiply %84, %83 : tensor<4x17x16xf32>
    %86 = stablehlo.tanh %85 : tensor<4x17x16xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %88 = stablehlo.subtract %87, %86 : tensor<4x17x16xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %90 = stablehlo.add %89, %86 : tensor<4x17x16xf32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<4x17x16xf32>
    %93 = stablehlo.multiply %75, %92 : tensor<4x17x16xf32>
    %94 = stablehlo.dot_general %93, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x17x16xf32>, tensor<16x8xf32>) -> tensor<4x17x8xf32>
    %95 = stablehlo.add %55, %94 : tensor<4x17x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_28) applies stablehlo.add across dimensions = [1] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_29 = stablehlo.constant dense<1.700000e+01> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %98 = stablehlo.divide %96, %97 : tensor<4x8xf32>
    %99 = stablehlo.dot_general %98, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x10xf32>) -> tensor<4x10xf32>
    %100:3 = call @log_softmax(%99) : (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>)
    %101 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %102:2 = call @take_along_axis(%100#0, %101) : (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>)
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102#0 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_31 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %104 = stablehlo.divide %103, %cst_31 : tensor<f32>
    %105 = stablehlo.negate %104 : tensor<f32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %106 = stablehlo.negate %cst_32 : tensor<f32>
    %cst_33 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %107 = stablehlo.divide %106, %cst_33 : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %109 = call @take_along_axis_0(%102#1, %108) : (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    %110 = call @log_softmax_1(%100#1, %100#2, %109) : (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %111 = stablehlo.dot_general %110, %98, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf32>, tensor<4x8xf32>) -> tensor<10x8xf32>
    %112 = stablehlo.transpose %111, dims = [1, 0] : (tensor<10x8xf32>) -> tensor<8x10xf32>
    %113 = stablehlo.dot_general %110, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf32>, tensor<8x10xf32>) -> tensor<4x8xf32>
    %cst_34 = stablehlo.constant dense<1.700000e+01> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %115 = stablehlo.divide %113, %114 : tensor<4x8xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 2] : (tensor<4x8xf32>) -> tensor<4x17x8xf32>
    %117 = stablehlo.dot_general %116, %93, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x8xf32>, tensor<4x17x16xf32>) -> tensor<8x16xf32>
    %118 = stablehlo.transpose %117, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %119 = stablehlo.dot_general %116, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x8xf32>, tensor<16x8xf32>) -> tensor<4x17x16xf32>
    %120 = stablehlo.multiply %75, %119 : tensor<4x17x16xf32>
    %121 = stablehlo.multiply %119, %92 : tensor<4x17x16xf32>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %123 = stablehlo.multiply %122, %120 : tensor<4x17x16xf32>
    %124 = stablehlo.multiply %123, %88 : tensor<4x17x16xf32>
    %125 = stablehlo.multiply %124, %86 : tensor<4x17x16xf32>
    %126 = stablehlo.add %124, %125 : tensor<4x17x16xf32>
    %cst_36 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %128 = stablehlo.multiply %127, %126 : tensor<4x17x16xf32>
    %129 = stablehlo.add %121, %128 : tensor<4x17x16xf32>
    %cst_37 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4x17x16xf32>
    %131 = stablehlo.multiply %130, %128 : tensor<4x17x16xf32>
    %132 = stablehlo.multiply %131, %80 : tensor<4x17x16xf32>
    %133 = stablehlo.add %129, %132 : tensor<4x17x16xf32>
    %134 = stablehlo.dot_general %133, %74, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x16xf32>, tensor<4x17x8xf32>) -> tensor<16x8xf32>
    %135 = stablehlo.transpose %134, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %136 = stablehlo.dot_general %133, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x16xf32>, tensor<8x16xf32>) -> tensor<4x17x8xf32>
    %137 = stablehlo.multiply %61, %136 : tensor<4x17x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %139 = stablehlo.reshape %138 : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %140 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x8xf32>
    %141 = stablehlo.multiply %136, %140 : tensor<4x17x8xf32>
    %142 = stablehlo.multiply %139, %72 : tensor<4x17x1xf32>
    %cst_39 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %144 = stablehlo.divide %142, %143 : tensor<4x17x1xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%144 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x8xf32>
    %147 = stablehlo.multiply %61, %146 : tensor<4x17x8xf32>
    %148 = stablehlo.add %141, %147 : tensor<4x17x8xf32>
    %149 = stablehlo.multiply %146, %61 : tensor<4x17x8xf32>
    %150 = stablehlo.add %148, %149 : tensor<4x17x8xf32>
    %151 = stablehlo.negate %150 : tensor<4x17x8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %153 = stablehlo.reshape %152 : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %154 = stablehlo.add %116, %150 : tensor<4x17x8xf32>
    %cst_42 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %156 = stablehlo.divide %153, %155 : tensor<4x17x1xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%156 init: %cst_43) applies stablehlo.add across dimensions = [2] : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x8xf32>
    %159 = stablehlo.add %154, %158 : tensor<4x17x8xf32>
    %160 = stablehlo.dot_general %159, %50, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x8xf32>, tensor<4x17x17xf32>) -> tensor<4x8x17xf32>
    %161 = stablehlo.transpose %160, dims = [0, 2, 1] : (tensor<4x8x17xf32>) -> tensor<4x17x8xf32>
    %162 = stablehlo.add %159, %161 : tensor<4x17x8xf32>
    %163 = stablehlo.dot_general %159, %2, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x17x8xf32>, tensor<4x17x8xf32>) -> tensor<4x17x17xf32>
    %164 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x17xf32>
    %165 = stablehlo.multiply %163, %164 : tensor<4x17x17xf32>
    %166 = stablehlo.multiply %165, %46 : tensor<4x17x17xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.reduce(%166 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<4x17x17xf32>, tensor<f32>) -> tensor<4x17xf32>
    %168 = stablehlo.reshape %167 : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %169 = stablehlo.negate %168 : tensor<4x17x1xf32>
    %170 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x17xf32>
    %171 = stablehlo.divide %163, %170 : tensor<4x17x17xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%169 init: %cst_45) applies stablehlo.add across dimensions = [2] : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %173 = stablehlo.broadcast_in_dim %172, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x17xf32>
    %174 = stablehlo.add %171, %173 : tensor<4x17x17xf32>
    %175 = stablehlo.multiply %174, %46 : tensor<4x17x17xf32>
    %cst_46 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x17x17xf32>
    %177 = stablehlo.divide %175, %176 : tensor<4x17x17xf32>
    %178 = stablehlo.dot_general %177, %21, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x17xf32>, tensor<4x17x8xf32>) -> tensor<4x17x8xf32>
    %179 = stablehlo.add %162, %178 : tensor<4x17x8xf32>
    %180 = stablehlo.dot_general %177, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x17x17xf32>, tensor<4x17x8xf32>) -> tensor<4x17x8xf32>
    %181 = stablehlo.multiply %8, %180 : tensor<4x17x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %183 = stablehlo.reshape %182 : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %184 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<4x17x1xf32>) -> tensor<4x17x8xf32>
    %185 = stablehlo.multiply %180, %184 : tensor<4x17x8xf32>
    %186 = stablehlo.multiply %183, %19 : tensor<4x17x1xf32>
    %cst_48 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %188 = stablehlo.divide %186, %187 : tensor<4x17x1xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.reduce(%188 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x8xf32>
    %191 = stablehlo.multiply %8, %190 : tensor<4x17x8xf32>
    %192 = stablehlo.add %185, %191 : tensor<4x17x8xf32>
    %193 = stablehlo.multiply %190, %8 : tensor<4x17x8xf32>
    %194 = stablehlo.add %192, %193 : tensor<4x17x8xf32>
    %195 = stablehlo.negate %194 : tensor<4x17x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%195 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<4x17xf32>
    %197 = stablehlo.reshape %196 : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %198 = stablehlo.add %179, %194 : tensor<4x17x8xf32>
    %cst_51 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4x17x1xf32>
    %200 = stablehlo.divide %197, %199 : tensor<4x17x1xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%200 init: %cst_52) applies stablehlo.add across dimensions = [2] : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1] : (tensor<4x17xf32>) -> tensor<4x17x8xf32>
    %203 = stablehlo.add %198, %202 : tensor<4x17x8xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.reduce(%203 init: %cst_53) applies stablehlo.add across dimensions = [0] : (tensor<4x17x8xf32>, tensor<f32>) -> tensor<17x8xf32>
    %205 = stablehlo.reshape %204 : (tensor<17x8xf32>) -> tensor<1x17x8xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %206 = stablehlo.reduce(%205 init: %cst_54) applies stablehlo.add across dimensions = [0] : (tensor<1x17x8xf32>, tensor<f32>) -> tensor<17x8xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %208 = stablehlo.multiply %207, %112 : tensor<8x10xf32>
    %209 = stablehlo.subtract %arg0, %208 : tensor<8x10xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %211 = stablehlo.multiply %210, %118 : tensor<16x8xf32>
    %212 = stablehlo.subtract %arg1, %211 : tensor<16x8xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<17x8xf32>
    %214 = stablehlo.multiply %213, %206 : tensor<17x8xf32>
    %215 = stablehlo.subtract %arg2, %214 : tensor<17x8xf32>
    %cst_58 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %217 = stablehlo.multiply %216, %135 : tensor<8x16xf32>
    %218 = stablehlo.subtract %arg3, %217 : tensor<8x16xf32>
    return %209, %212, %215, %218, %105 : tensor<8x10xf32>, tensor<16x8xf32>, tensor<17x8xf32>, tensor<8x16xf32>, tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x10xf32>
    %6 = stablehlo.exponential %5 : tensor<4x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %9 = stablehlo.log %8 : tensor<4x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<4x10xf32>
    return %11, %6, %8 : tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x10xf32>, %arg1: tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4x1xi1>, tensor<4x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<4x1x1xi1>, tensor<i1>) -> tensor<4x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x10xf32>, tensor<4x1x1xi32>) -> tensor<4x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4x1xi1>, tensor<4x1xf32>
    return %15, %5 : tensor<4x1xf32>, tensor<4x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<4x1x1xi32>, %arg1: tensor<4x1xf32>) -> tensor<4x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x10xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    return %1 : tensor<4x10xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<4x10xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<4x10xf32>) -> tensor<4x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<4x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<4x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<4x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<4x10xf32>
    return %7 : tensor<4x10xf32>
  }
}
