module @jit_convnet_train attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<16x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<3x3x3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg3: tensor<3x3x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg4: tensor<16x12x12x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}, %arg5: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<10xf32> {jax.result_info = "result[0]['bias']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16x10xf32> {jax.result_info = "result[0]['dense']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<3x3x3x8xf32> {jax.result_info = "result[0]['kernel1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<3x3x8x16xf32> {jax.result_info = "result[0]['kernel2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = call @_one_hot(%arg5) : (tensor<16xi32>) -> tensor<16x10xf32>
    %1 = stablehlo.convolution(%arg4, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<16x12x12x3xf32>, tensor<3x3x3x8xf32>) -> tensor<16x12x12x8xf32>
    %2 = call @relu(%1) : (tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x12x12x8xf32>
    %4 = stablehlo.compare GT, %1, %3, FLOAT : (tensor<16x12x12x8xf32>, tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x12x12x8xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %7 = "stablehlo.reduce_window"(%2, %6) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %66 = stablehlo.maximum %arg6, %arg7 : tensor<f32>
      stablehlo.return %66 : tensor<f32>
    }) : (tensor<16x12x12x8xf32>, tensor<f32>) -> tensor<16x6x6x8xf32>
    %8 = stablehlo.convolution(%7, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<16x6x6x8xf32>, tensor<3x3x8x16xf32>) -> tensor<16x6x6x16xf32>
    %9 = call @relu_0(%8) : (tensor<16x6x6x16xf32>) -> tensor<16x6x6x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x6x6x16xf32>
    %11 = stablehlo.compare GT, %8, %10, FLOAT : (tensor<16x6x6x16xf32>, tensor<16x6x6x16xf32>) -> tensor<16x6x6x16xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x6x6x16xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x6x6x16xf32>, tensor<f32>) -> tensor<16x16xf32>
    %cst_5 = stablehlo.constant dense<3.600000e+01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %15 = stablehlo.divide %13, %14 : tensor<16x16xf32>
    %16 = sdy.sharding_constraint %15 <@mesh, [{"data"}, {}]> : tensor<16x16xf32>
    %17 = stablehlo.dot_general %16, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %18 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<16x10xf32>
    %20 = stablehlo.add %17, %19 : tensor<16x10xf32>
    %21:3 = call @log_softmax(%20) : (tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>)
    %22 = stablehlo.multiply %0, %21#0 : tensor<16x10xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %25 = stablehlo.divide %24, %cst_8 : tensor<f32>
    %26 = stablehlo.negate %25 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.negate %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %28 = stablehlo.divide %27, %cst_10 : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<16xf32>) -> tensor<16x10xf32>
    %31 = stablehlo.multiply %0, %30 : tensor<16x10xf32>
    %32 = call @log_softmax_1(%21#1, %21#2, %31) : (tensor<16x10xf32>, tensor<16x1xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<16x10xf32>, tensor<f32>) -> tensor<10xf32>
    %34 = stablehlo.reshape %33 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %36 = stablehlo.dot_general %32, %16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x10xf32>, tensor<16x16xf32>) -> tensor<10x16xf32>
    %37 = stablehlo.transpose %36, dims = [1, 0] : (tensor<10x16xf32>) -> tensor<16x10xf32>
    %38 = stablehlo.dot_general %32, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x10xf32>, tensor<16x10xf32>) -> tensor<16x16xf32>
    %39 = sdy.sharding_constraint %38 <@mesh, [{"data"}, {}]> : tensor<16x16xf32>
    %cst_13 = stablehlo.constant dense<3.600000e+01> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %41 = stablehlo.divide %39, %40 : tensor<16x16xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 3] : (tensor<16x16xf32>) -> tensor<16x6x6x16xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x6x6x16xf32>
    %44 = stablehlo.select %11, %42, %43 : tensor<16x6x6x16xi1>, tensor<16x6x6x16xf32>
    %45 = stablehlo.convolution(%7, %44) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<16x6x6x8xf32>, tensor<16x6x6x16xf32>) -> tensor<3x3x8x16xf32>
    %46 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<3x3x8x16xf32>
    %47 = stablehlo.convolution(%44, %46) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<16x6x6x16xf32>, tensor<3x3x8x16xf32>) -> tensor<16x6x6x8xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %48 = stablehlo.pad %2, %cst_15, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<16x12x12x8xf32>, tensor<f32>) -> tensor<16x12x12x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = "stablehlo.select_and_scatter"(%48, %47, %cst_16) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %66 = stablehlo.compare GE, %arg6, %arg7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %66 : tensor<i1>
    }, {
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %66 = stablehlo.add %arg6, %arg7 : tensor<f32>
      stablehlo.return %66 : tensor<f32>
    }) : (tensor<16x12x12x8xf32>, tensor<16x6x6x8xf32>, tensor<f32>) -> tensor<16x12x12x8xf32>
    %50 = stablehlo.slice %49 [0:16, 0:12, 0:12, 0:8] : (tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16x12x12x8xf32>
    %52 = stablehlo.select %4, %50, %51 : tensor<16x12x12x8xi1>, tensor<16x12x12x8xf32>
    %53 = stablehlo.convolution(%arg4, %52) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<16x12x12x3xf32>, tensor<16x12x12x8xf32>) -> tensor<3x3x3x8xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %55 = stablehlo.multiply %54, %35 : tensor<10xf32>
    %56 = stablehlo.subtract %arg0, %55 : tensor<10xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %58 = stablehlo.multiply %57, %37 : tensor<16x10xf32>
    %59 = stablehlo.subtract %arg1, %58 : tensor<16x10xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3x3x3x8xf32>
    %61 = stablehlo.multiply %60, %53 : tensor<3x3x3x8xf32>
    %62 = stablehlo.subtract %arg2, %61 : tensor<3x3x3x8xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3x3x8x16xf32>
    %64 = stablehlo.multiply %63, %45 : tensor<3x3x8x16xf32>
    %65 = stablehlo.subtract %arg3, %64 : tensor<3x3x8x16xf32>
    return %56, %59, %62, %65, %26 : tensor<10xf32>, tensor<16x10xf32>, tensor<3x3x3x8xf32>, tensor<3x3x8x16xf32>, tensor<f32>
  }
  func.func private @_one_hot(%arg0: tensor<16xi32>) -> tensor<16x10xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x10xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x10xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x10xi32>) -> tensor<16x10xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<16x10xi32>, tensor<16x10xi32>) -> tensor<16x10xi1>
    %5 = stablehlo.convert %4 : (tensor<16x10xi1>) -> tensor<16x10xf32>
    return %5 : tensor<16x10xf32>
  }
  func.func private @relu(%arg0: tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x12x12x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x12x12x8xf32>
    return %1 : tensor<16x12x12x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<16x6x6x16xf32>) -> tensor<16x6x6x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x6x6x16xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x6x6x16xf32>
    return %1 : tensor<16x6x6x16xf32>
  }
  func.func private @log_softmax(%arg0: tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x10xf32>
    %6 = stablehlo.exponential %5 : tensor<16x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %9 = stablehlo.log %8 : tensor<16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<16x10xf32>
    return %11, %6, %8 : tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<16x10xf32>, %arg1: tensor<16x1xf32>, %arg2: tensor<16x10xf32>) -> tensor<16x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<16x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xf32>) -> tensor<16x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<16x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<16x10xf32>
    return %7 : tensor<16x10xf32>
  }
}
