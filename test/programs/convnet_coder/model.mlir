module @jit_convnet_coder attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<3x3x1x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg1: tensor<3x3x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg2: tensor<3x3x3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg3: tensor<2x2x6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg4: tensor<8x10x10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}) -> (tensor<8x10x10x3xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}, tensor<3x3x1x6xf32> {jax.result_info = "result[1]['deep']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<3x3x6x6xf32> {jax.result_info = "result[1]['dilated']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<3x3x3x6xf32> {jax.result_info = "result[1]['strided']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<2x2x6x3xf32> {jax.result_info = "result[1]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<f32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.convolution(%arg4, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x10x10x3xf32>, tensor<3x3x3x6xf32>) -> tensor<8x5x5x6xf32>
    %1:5 = call @elu(%0) : (tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xi1>)
    %2 = sdy.sharding_constraint %1#0 <@mesh, [{"data"}, {}, {}, {}]> : tensor<8x5x5x6xf32>
    %3 = stablehlo.convolution(%2, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<3x3x6x6xf32>) -> tensor<8x5x5x6xf32>
    %4:3 = call @softplus(%3) : (tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>)
    %5 = stablehlo.convolution(%4#0, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<3x3x1x6xf32>) -> tensor<8x5x5x6xf32>
    %6 = stablehlo.convolution(%5, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<2x2x6x3xf32>) -> tensor<8x10x10x3xf32>
    %7 = stablehlo.subtract %6, %arg4 : tensor<8x10x10x3xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<8x10x10x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x10x10x3xf32>
    %10 = stablehlo.multiply %9, %7 : tensor<8x10x10x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<8x10x10x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<2.400000e+03> : tensor<f32>
    %12 = stablehlo.divide %11, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<2.400000e+03> : tensor<f32>
    %13 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<8x10x10x3xf32>
    %15 = stablehlo.multiply %14, %10 : tensor<8x10x10x3xf32>
    %16 = stablehlo.convolution(%5, %15) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<8x10x10x3xf32>) -> tensor<2x2x6x3xf32>
    %17 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<2x2x6x3xf32>
    %18 = stablehlo.convolution(%15, %17) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x10x10x3xf32>, tensor<2x2x6x3xf32>) -> tensor<8x5x5x6xf32>
    %19 = stablehlo.convolution(%4#0, %18) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 6 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<3x3x1x6xf32>
    %20 = stablehlo.reshape %arg0 : (tensor<3x3x1x6xf32>) -> tensor<3x3x1x6x1xf32>
    %21 = stablehlo.transpose %20, dims = [0, 1, 3, 2, 4] : (tensor<3x3x1x6x1xf32>) -> tensor<3x3x6x1x1xf32>
    %22 = stablehlo.reshape %21 : (tensor<3x3x6x1x1xf32>) -> tensor<3x3x6x1xf32>
    %23 = stablehlo.reverse %22, dims = [0, 1] : tensor<3x3x6x1xf32>
    %24 = stablehlo.convolution(%18, %23) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<3x3x6x1xf32>) -> tensor<8x5x5x6xf32>
    %25 = call @softplus_1(%4#1, %4#2, %24) : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    %26 = stablehlo.convolution(%2, %25) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [2, 2], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<3x3x6x6xf32>
    %27 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x3x6x6xf32>
    %28 = stablehlo.convolution(%25, %27) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<3x3x6x6xf32>) -> tensor<8x5x5x6xf32>
    %29 = sdy.sharding_constraint %28 <@mesh, [{"data"}, {}, {}, {}]> : tensor<8x5x5x6xf32>
    %30 = call @elu_2(%1#1, %1#2, %1#3, %1#4, %29) : (tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    %31 = stablehlo.convolution(%arg4, %30) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x10x10x3xf32>, tensor<8x5x5x6xf32>) -> tensor<3x3x3x6xf32>
    %32 = stablehlo.convolution(%arg4, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x10x10x3xf32>, tensor<3x3x3x6xf32>) -> tensor<8x5x5x6xf32>
    %33 = call @elu_5(%32) : (tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    %34 = sdy.sharding_constraint %33 <@mesh, [{"data"}, {}, {}, {}]> : tensor<8x5x5x6xf32>
    %35 = stablehlo.convolution(%34, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<3x3x6x6xf32>) -> tensor<8x5x5x6xf32>
    %36 = call @softplus_8(%35) : (tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    %37 = stablehlo.convolution(%36, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<3x3x1x6xf32>) -> tensor<8x5x5x6xf32>
    %38 = stablehlo.convolution(%37, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x5x5x6xf32>, tensor<2x2x6x3xf32>) -> tensor<8x10x10x3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x3x1x6xf32>
    %40 = stablehlo.multiply %39, %19 : tensor<3x3x1x6xf32>
    %41 = stablehlo.subtract %arg0, %40 : tensor<3x3x1x6xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x3x6x6xf32>
    %43 = stablehlo.multiply %42, %26 : tensor<3x3x6x6xf32>
    %44 = stablehlo.subtract %arg1, %43 : tensor<3x3x6x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x3x3x6xf32>
    %46 = stablehlo.multiply %45, %31 : tensor<3x3x3x6xf32>
    %47 = stablehlo.subtract %arg2, %46 : tensor<3x3x3x6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x2x6x3xf32>
    %49 = stablehlo.multiply %48, %16 : tensor<2x2x6x3xf32>
    %50 = stablehlo.subtract %arg3, %49 : tensor<2x2x6x3xf32>
    return %38, %41, %44, %47, %50, %12 : tensor<8x10x10x3xf32>, tensor<3x3x1x6xf32>, tensor<3x3x6x6xf32>, tensor<3x3x3x6xf32>, tensor<2x2x6x3xf32>, tensor<f32>
  }
  func.func private @elu(%arg0: tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xi1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4:2 = call @_where(%3, %cst_1, %arg0) : (tensor<8x5x5x6xi1>, tensor<f32>, tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>)
    %5 = stablehlo.exponential_minus_one %4#0 : tensor<8x5x5x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %7 = stablehlo.add %5, %6 : tensor<8x5x5x6xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %9 = stablehlo.multiply %8, %5 : tensor<8x5x5x6xf32>
    %10 = call @_where_0(%1, %arg0, %9) : (tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    return %10, %3, %4#1, %7, %1 : tensor<8x5x5x6xf32>, tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xi1>
  }
  func.func private @_where(%arg0: tensor<8x5x5x6xi1>, %arg1: tensor<f32>, %arg2: tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    return %2, %3 : tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>
  }
  func.func private @_where_0(%arg0: tensor<8x5x5x6xi1>, %arg1: tensor<8x5x5x6xf32>, %arg2: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    return %0 : tensor<8x5x5x6xf32>
  }
  func.func private @softplus(%arg0: tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x5x5x6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<8x5x5x6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<8x5x5x6xf32>
    %7 = stablehlo.abs %3 : tensor<8x5x5x6xf32>
    %8 = stablehlo.negate %7 : tensor<8x5x5x6xf32>
    %9 = stablehlo.exponential %8 : tensor<8x5x5x6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<8x5x5x6xf32>
    %11 = stablehlo.add %1, %10 : tensor<8x5x5x6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<8x5x5x6xf32>
    %22 = stablehlo.exponential %21 : tensor<8x5x5x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %23 = stablehlo.compare EQ, %cst_4, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.select %23, %cst_7, %cst_6 : tensor<i1>, tensor<f32>
    %cst_8 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %26 = stablehlo.compare EQ, %12, %25, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %28 = stablehlo.select %26, %27, %12 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    %29 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<8x5x5x6xf32>
    %31 = stablehlo.exponential %30 : tensor<8x5x5x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<8x5x5x6xf32>
    return %12, %22, %33 : tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>
  }
  func.func private @softplus_1(%arg0: tensor<8x5x5x6xf32>, %arg1: tensor<8x5x5x6xf32>, %arg2: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %0 = stablehlo.multiply %arg2, %arg0 : tensor<8x5x5x6xf32>
    return %0 : tensor<8x5x5x6xf32>
  }
  func.func private @elu_2(%arg0: tensor<8x5x5x6xi1>, %arg1: tensor<8x5x5x6xf32>, %arg2: tensor<8x5x5x6xf32>, %arg3: tensor<8x5x5x6xi1>, %arg4: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %0:2 = call @_where_3(%arg3, %arg4) : (tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %2 = stablehlo.multiply %1, %0#1 : tensor<8x5x5x6xf32>
    %3 = stablehlo.multiply %2, %arg2 : tensor<8x5x5x6xf32>
    %4 = call @_where_4(%arg0, %arg1, %3) : (tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    %5 = stablehlo.add %0#0, %4 : tensor<8x5x5x6xf32>
    return %5 : tensor<8x5x5x6xf32>
  }
  func.func private @_where_3(%arg0: tensor<8x5x5x6xi1>, %arg1: tensor<8x5x5x6xf32>) -> (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %1 = stablehlo.select %arg0, %0, %arg1 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    %2 = stablehlo.select %arg0, %arg1, %0 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    return %2, %1 : tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>
  }
  func.func private @_where_4(%arg0: tensor<8x5x5x6xi1>, %arg1: tensor<8x5x5x6xf32>, %arg2: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    return %1 : tensor<8x5x5x6xf32>
  }
  func.func private @elu_5(%arg0: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where_6(%3, %cst_1, %arg0) : (tensor<8x5x5x6xi1>, tensor<f32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<8x5x5x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<8x5x5x6xf32>
    %8 = call @_where_7(%1, %arg0, %7) : (tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32>
    return %8 : tensor<8x5x5x6xf32>
  }
  func.func private @_where_6(%arg0: tensor<8x5x5x6xi1>, %arg1: tensor<f32>, %arg2: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    return %2 : tensor<8x5x5x6xf32>
  }
  func.func private @_where_7(%arg0: tensor<8x5x5x6xi1>, %arg1: tensor<8x5x5x6xf32>, %arg2: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    return %0 : tensor<8x5x5x6xf32>
  }
  func.func private @softplus_8(%arg0: tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x5x5x6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<8x5x5x6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<8x5x5x6xf32>, tensor<8x5x5x6xf32>) -> tensor<8x5x5x6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x5x5x6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<8x5x5x6xf32>
    %7 = stablehlo.abs %3 : tensor<8x5x5x6xf32>
    %8 = stablehlo.negate %7 : tensor<8x5x5x6xf32>
    %9 = stablehlo.exponential %8 : tensor<8x5x5x6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<8x5x5x6xf32>
    %11 = stablehlo.add %1, %10 : tensor<8x5x5x6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<8x5x5x6xi1>, tensor<8x5x5x6xf32>
    return %12 : tensor<8x5x5x6xf32>
  }
}
