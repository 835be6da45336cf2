module @jit_rnn_linear attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, %arg1: tensor<8x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}) -> (tensor<8x6x8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, tensor<8x6x8xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, tensor<8x6x8xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, tensor<8x6x8xf32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}) {
    %0 = stablehlo.slice %arg0 [0:8, 0:5:2, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x3x8xf32>
    %1 = stablehlo.slice %arg1 [0:8, 0:5:2, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x3x8xf32>
    %2 = stablehlo.slice %arg0 [0:8, 1:6:2, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x3x8xf32>
    %3 = stablehlo.slice %arg1 [0:8, 1:6:2, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x3x8xf32>
    %4 = stablehlo.multiply %0, %2 : tensor<8x3x8xf32>
    %5 = stablehlo.multiply %2, %1 : tensor<8x3x8xf32>
    %6 = stablehlo.add %5, %3 : tensor<8x3x8xf32>
    %7 = stablehlo.slice %4 [0:8, 0:2:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %8 = stablehlo.slice %6 [0:8, 0:2:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %9 = stablehlo.slice %4 [0:8, 1:3:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %10 = stablehlo.slice %6 [0:8, 1:3:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %11 = stablehlo.multiply %7, %9 : tensor<8x1x8xf32>
    %12 = stablehlo.multiply %9, %8 : tensor<8x1x8xf32>
    %13 = stablehlo.add %12, %10 : tensor<8x1x8xf32>
    %14 = stablehlo.slice %4 [0:8, 2:3:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %15 = stablehlo.slice %6 [0:8, 2:3:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %16 = stablehlo.multiply %11, %14 : tensor<8x1x8xf32>
    %17 = stablehlo.multiply %14, %13 : tensor<8x1x8xf32>
    %18 = stablehlo.add %17, %15 : tensor<8x1x8xf32>
    %19 = stablehlo.slice %4 [0:8, 0:1, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %20 = stablehlo.concatenate %19, %16, dim = 1 : (tensor<8x1x8xf32>, tensor<8x1x8xf32>) -> tensor<8x2x8xf32>
    %21 = stablehlo.slice %6 [0:8, 0:1, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x1x8xf32>
    %22 = stablehlo.concatenate %21, %18, dim = 1 : (tensor<8x1x8xf32>, tensor<8x1x8xf32>) -> tensor<8x2x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.pad %20, %cst, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<8x2x8xf32>, tensor<f32>) -> tensor<8x3x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.pad %11, %cst_0, low = [0, 1, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<8x1x8xf32>, tensor<f32>) -> tensor<8x3x8xf32>
    %25 = stablehlo.add %23, %24 : tensor<8x3x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.pad %22, %cst_1, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<8x2x8xf32>, tensor<f32>) -> tensor<8x3x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.pad %13, %cst_2, low = [0, 1, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<8x1x8xf32>, tensor<f32>) -> tensor<8x3x8xf32>
    %28 = stablehlo.add %26, %27 : tensor<8x3x8xf32>
    %29 = stablehlo.slice %25 [0:8, 0:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x2x8xf32>
    %30 = stablehlo.slice %28 [0:8, 0:2, 0:8] : (tensor<8x3x8xf32>) -> tensor<8x2x8xf32>
    %31 = stablehlo.slice %arg0 [0:8, 2:6:2, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x2x8xf32>
    %32 = stablehlo.slice %arg1 [0:8, 2:6:2, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x2x8xf32>
    %33 = stablehlo.multiply %29, %31 : tensor<8x2x8xf32>
    %34 = stablehlo.multiply %31, %30 : tensor<8x2x8xf32>
    %35 = stablehlo.add %34, %32 : tensor<8x2x8xf32>
    %36 = stablehlo.slice %arg0 [0:8, 0:1, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x1x8xf32>
    %37 = stablehlo.concatenate %36, %33, dim = 1 : (tensor<8x1x8xf32>, tensor<8x2x8xf32>) -> tensor<8x3x8xf32>
    %38 = stablehlo.slice %arg1 [0:8, 0:1, 0:8] : (tensor<8x6x8xf32>) -> tensor<8x1x8xf32>
    %39 = stablehlo.concatenate %38, %35, dim = 1 : (tensor<8x1x8xf32>, tensor<8x2x8xf32>) -> tensor<8x3x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.pad %37, %cst_3, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<8x3x8xf32>, tensor<f32>) -> tensor<8x6x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.pad %25, %cst_4, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<8x3x8xf32>, tensor<f32>) -> tensor<8x6x8xf32>
    %42 = stablehlo.add %40, %41 : tensor<8x6x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.pad %39, %cst_5, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<8x3x8xf32>, tensor<f32>) -> tensor<8x6x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.pad %28, %cst_6, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<8x3x8xf32>, tensor<f32>) -> tensor<8x6x8xf32>
    %45 = stablehlo.add %43, %44 : tensor<8x6x8xf32>
    %46 = sdy.sharding_constraint %45 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x6x8xf32>
    %47 = call @cummax(%arg1) : (tensor<8x6x8xf32>) -> tensor<8x6x8xf32>
    %48 = call @cumsum(%arg1) : (tensor<8x6x8xf32>) -> tensor<8x6x8xf32>
    %49 = call @cumprod(%arg0) : (tensor<8x6x8xf32>) -> tensor<8x6x8xf32>
    return %46, %48, %49, %47 : tensor<8x6x8xf32>, tensor<8x6x8xf32>, tensor<8x6x8xf32>, tensor<8x6x8xf32>
  }
  func.func private @cummax(%arg0: tensor<8x6x8xf32>) -> tensor<8x6x8xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 5], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 6, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6x8xf32>
    return %1 : tensor<8x6x8xf32>
  }
  func.func private @cumsum(%arg0: tensor<8x6x8xf32>) -> tensor<8x6x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<8x6x8xf32>) -> tensor<8x6x8xf32>
    return %0 : tensor<8x6x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<8x6x8xf32>) -> tensor<8x6x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [5, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 6, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6x8xf32>
    return %1 : tensor<8x6x8xf32>
  }
  func.func private @cumprod(%arg0: tensor<8x6x8xf32>) -> tensor<8x6x8xf32> {
    %0 = call @cumprod_1(%arg0) : (tensor<8x6x8xf32>) -> tensor<8x6x8xf32>
    return %0 : tensor<8x6x8xf32>
  }
  func.func private @cumprod_1(%arg0: tensor<8x6x8xf32>) -> tensor<8x6x8xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [5, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 6, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6x8xf32>
    return %0 : tensor<8x6x8xf32>
  }
}
