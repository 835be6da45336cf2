module @jit_convnet_batch_norm attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<3x3x3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg3: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg4: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg5: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg7: tensor<8x10x10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}, %arg8: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<5xf32> {jax.result_info = "result[0]['bias']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<6x5xf32> {jax.result_info = "result[0]['dense']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<3x3x3x6xf32> {jax.result_info = "result[0]['kernel']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<6xf32> {jax.result_info = "result[0]['offset']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<6xf32> {jax.result_info = "result[0]['scale']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<6xf32> {jax.result_info = "result[1]['mean']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<6xf32> {jax.result_info = "result[1]['variance']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<f32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.convolution(%arg7, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x10x10x3xf32>, tensor<3x3x3x6xf32>) -> tensor<8x10x10x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:5 = call @_var(%0, %c) : (tensor<8x10x10x6xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<8x10x10x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>)
    %cst_1 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.multiply %5, %arg5 : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.multiply %7, %3 : tensor<6xf32>
    %9 = stablehlo.add %6, %8 : tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.multiply %10, %arg6 : tensor<6xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.multiply %12, %4#0 : tensor<6xf32>
    %14 = stablehlo.add %11, %13 : tensor<6xf32>
    %15 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<8x10x10x6xf32>
    %17 = stablehlo.subtract %0, %16 : tensor<8x10x10x6xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.add %4#0, %18 : tensor<6xf32>
    %20 = stablehlo.rsqrt %19 : tensor<6xf32>
    %21 = stablehlo.divide %20, %19 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<6xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<8x10x10x6xf32>
    %26 = stablehlo.multiply %17, %25 : tensor<8x10x10x6xf32>
    %27 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<8x10x10x6xf32>
    %29 = stablehlo.multiply %26, %28 : tensor<8x10x10x6xf32>
    %30 = stablehlo.broadcast_in_dim %arg3, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<8x10x10x6xf32>
    %32 = stablehlo.add %29, %31 : tensor<8x10x10x6xf32>
    %33 = call @relu(%32) : (tensor<8x10x10x6xf32>) -> tensor<8x10x10x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x10x10x6xf32>
    %35 = stablehlo.compare GT, %32, %34, FLOAT : (tensor<8x10x10x6xf32>, tensor<8x10x10x6xf32>) -> tensor<8x10x10x6xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x10x10x6xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<f32>
    %38 = "stablehlo.reduce_window"(%33, %37) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %126 = stablehlo.maximum %arg9, %arg10 : tensor<f32>
      stablehlo.return %126 : tensor<f32>
    }) : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<8x5x5x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<f32>
    %40 = "stablehlo.reduce_window"(%38, %39) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %126 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %126 : tensor<f32>
    }) : (tensor<8x5x5x6xf32>, tensor<f32>) -> tensor<8x2x2x6xf32>
    %cst_11 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x2x2x6xf32>
    %42 = stablehlo.divide %40, %41 : tensor<8x2x2x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_12) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x2x2x6xf32>, tensor<f32>) -> tensor<8x6xf32>
    %cst_13 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %45 = stablehlo.divide %43, %44 : tensor<8x6xf32>
    %46 = sdy.sharding_constraint %45 <@mesh, [{"data"}, {}]> : tensor<8x6xf32>
    %47 = stablehlo.dot_general %46, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
    %48 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<8x5xf32>
    %50 = stablehlo.add %47, %49 : tensor<8x5xf32>
    %51 = call @_one_hot(%arg8) : (tensor<8xi32>) -> tensor<8x5xf32>
    %52:3 = call @log_softmax(%50) : (tensor<8x5xf32>) -> (tensor<8x5xf32>, tensor<8x5xf32>, tensor<8x1xf32>)
    %53 = stablehlo.multiply %51, %52#0 : tensor<8x5xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_16 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %56 = stablehlo.divide %55, %cst_16 : tensor<f32>
    %57 = stablehlo.negate %56 : tensor<f32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %58 = stablehlo.negate %cst_17 : tensor<f32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %59 = stablehlo.divide %58, %cst_18 : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<8xf32>) -> tensor<8x5xf32>
    %62 = stablehlo.multiply %51, %61 : tensor<8x5xf32>
    %63 = call @log_softmax_0(%52#1, %52#2, %62) : (tensor<8x5xf32>, tensor<8x1xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<8x5xf32>, tensor<f32>) -> tensor<5xf32>
    %65 = stablehlo.reshape %64 : (tensor<5xf32>) -> tensor<1x5xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_20) applies stablehlo.add across dimensions = [0] : (tensor<1x5xf32>, tensor<f32>) -> tensor<5xf32>
    %67 = stablehlo.dot_general %63, %46, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x5xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %68 = stablehlo.transpose %67, dims = [1, 0] : (tensor<5x6xf32>) -> tensor<6x5xf32>
    %69 = stablehlo.dot_general %63, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x5xf32>, tensor<6x5xf32>) -> tensor<8x6xf32>
    %70 = sdy.sharding_constraint %69 <@mesh, [{"data"}, {}]> : tensor<8x6xf32>
    %cst_21 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %72 = stablehlo.divide %70, %71 : tensor<8x6xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 3] : (tensor<8x6xf32>) -> tensor<8x2x2x6xf32>
    %cst_22 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x2x2x6xf32>
    %75 = stablehlo.divide %73, %74 : tensor<8x2x2x6xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.pad %75, %cst_23, low = [0, 1, 1, 0], high = [0, 2, 2, 0], interior = [0, 1, 1, 0] : (tensor<8x2x2x6xf32>, tensor<f32>) -> tensor<8x6x6x6xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<f32>
    %78 = "stablehlo.reduce_window"(%76, %77) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %126 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %126 : tensor<f32>
    }) : (tensor<8x6x6x6xf32>, tensor<f32>) -> tensor<8x5x5x6xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %79 = stablehlo.pad %33, %cst_25, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<8x11x11x6xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = "stablehlo.select_and_scatter"(%79, %78, %cst_26) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %126 = stablehlo.compare GE, %arg9, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %126 : tensor<i1>
    }, {
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %126 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %126 : tensor<f32>
    }) : (tensor<8x11x11x6xf32>, tensor<8x5x5x6xf32>, tensor<f32>) -> tensor<8x11x11x6xf32>
    %81 = stablehlo.slice %80 [0:8, 0:10, 0:10, 0:6] : (tensor<8x11x11x6xf32>) -> tensor<8x10x10x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x10x10x6xf32>
    %83 = stablehlo.select %35, %81, %82 : tensor<8x10x10x6xi1>, tensor<8x10x10x6xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_28) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %85 = stablehlo.reshape %84 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_29) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %87 = stablehlo.multiply %26, %83 : tensor<8x10x10x6xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_30) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %89 = stablehlo.reshape %88 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %90 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<8x10x10x6xf32>
    %91 = stablehlo.multiply %83, %90 : tensor<8x10x10x6xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%89 init: %cst_31) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %93 = stablehlo.multiply %17, %91 : tensor<8x10x10x6xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_32) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %95 = stablehlo.reshape %94 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %96 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<8x10x10x6xf32>
    %97 = stablehlo.multiply %91, %96 : tensor<8x10x10x6xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%95 init: %cst_33) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %99 = stablehlo.multiply %98, %23 : tensor<6xf32>
    %100 = stablehlo.negate %97 : tensor<8x10x10x6xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_34) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %102 = stablehlo.reshape %101 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_35) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %104 = call @_var_1(%4#1, %4#2, %4#3, %4#4, %99) : (tensor<8x10x10x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<8x10x10x6xf32>
    %105 = stablehlo.add %97, %104 : tensor<8x10x10x6xf32>
    %cst_36 = stablehlo.constant dense<8.000000e+02> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %107 = stablehlo.divide %103, %106 : tensor<6xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [3] : (tensor<6xf32>) -> tensor<8x10x10x6xf32>
    %109 = stablehlo.add %105, %108 : tensor<8x10x10x6xf32>
    %110 = stablehlo.convolution(%arg7, %109) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x10x10x3xf32>, tensor<8x10x10x6xf32>) -> tensor<3x3x3x6xf32>
    %cst_37 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %112 = stablehlo.multiply %111, %66 : tensor<5xf32>
    %113 = stablehlo.subtract %arg0, %112 : tensor<5xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %115 = stablehlo.multiply %114, %68 : tensor<6x5xf32>
    %116 = stablehlo.subtract %arg1, %115 : tensor<6x5xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3x3x3x6xf32>
    %118 = stablehlo.multiply %117, %110 : tensor<3x3x3x6xf32>
    %119 = stablehlo.subtract %arg2, %118 : tensor<3x3x3x6xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %121 = stablehlo.multiply %120, %86 : tensor<6xf32>
    %122 = stablehlo.subtract %arg3, %121 : tensor<6xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %124 = stablehlo.multiply %123, %92 : tensor<6xf32>
    %125 = stablehlo.subtract %arg4, %124 : tensor<6xf32>
    return %113, %116, %119, %122, %125, %9, %14, %57 : tensor<5xf32>, tensor<6x5xf32>, tensor<3x3x3x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<8x10x10x6xf32>, %arg1: tensor<i32>) -> (tensor<6xf32>, tensor<8x10x10x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<8x10x10x6xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x10x10x6xf32>
    %6 = chlo.square %5 : tensor<8x10x10x6xf32> -> tensor<8x10x10x6xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x10x10x6xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<8x10x10x6xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<8.000000e+02> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.divide %11, %12 : tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15:2 = call @_where(%14, %13, %cst_5) : (tensor<i1>, tensor<6xf32>, tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>)
    return %15#0, %8, %10, %14, %15#1 : tensor<6xf32>, tensor<8x10x10x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<6xf32>, %arg2: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    return %2, %3 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @relu(%arg0: tensor<8x10x10x6xf32>) -> tensor<8x10x10x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x10x10x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x10x10x6xf32>
    return %1 : tensor<8x10x10x6xf32>
  }
  func.func private @_one_hot(%arg0: tensor<8xi32>) -> tensor<8x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x5xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x5xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x5xi32>) -> tensor<8x5xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x5xi32>, tensor<8x5xi32>) -> tensor<8x5xi1>
    %5 = stablehlo.convert %4 : (tensor<8x5xi1>) -> tensor<8x5xf32>
    return %5 : tensor<8x5xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x5xf32>) -> (tensor<8x5xf32>, tensor<8x5xf32>, tensor<8x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x5xf32>
    %6 = stablehlo.exponential %5 : tensor<8x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.log %8 : tensor<8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x5xf32>
    return %11, %6, %8 : tensor<8x5xf32>, tensor<8x5xf32>, tensor<8x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<8x5xf32>, %arg1: tensor<8x1xf32>, %arg2: tensor<8x5xf32>) -> tensor<8x5xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xf32>) -> tensor<8x5xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x5xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x5xf32>
    return %7 : tensor<8x5xf32>
  }
  func.func private @_var_1(%arg0: tensor<8x10x10x6xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<6xf32>, %arg4: tensor<6xf32>) -> tensor<8x10x10x6xf32> {
    %0 = call @_where_2(%arg2, %arg3, %arg4) : (tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.divide %0, %1 : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<6xf32>) -> tensor<8x10x10x6xf32>
    %4 = stablehlo.multiply %3, %arg0 : tensor<8x10x10x6xf32>
    %5 = stablehlo.negate %4 : tensor<8x10x10x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x10x10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.reshape %6 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x6xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x1x1x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<6xf32>) -> tensor<8x10x10x6xf32>
    %12 = stablehlo.add %4, %11 : tensor<8x10x10x6xf32>
    return %12 : tensor<8x10x10x6xf32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<i1>, tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}
