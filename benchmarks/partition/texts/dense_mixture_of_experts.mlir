module @jit_dense_mixture_of_experts attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<8x64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg3: tensor<8x128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<8x32x64xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<64x8xf32>) -> tensor<8x32x8xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x32x8xf32>, tensor<f32>) -> tensor<8x32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<8x32xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x8xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<8x32x8xf32>
    %7 = stablehlo.exponential %6 : tensor<8x32x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x32x8xf32>, tensor<f32>) -> tensor<8x32xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x8xf32>
    %11 = stablehlo.divide %7, %10 : tensor<8x32x8xf32>
    %12 = call @argmax(%11) : (tensor<8x32x8xf32>) -> tensor<8x32xi32>
    %13 = call @_one_hot(%12) : (tensor<8x32xi32>) -> tensor<8x32x8xf32>
    %14 = call @cumsum(%13) : (tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<8x32x8xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x32x8xf32>
    %17 = stablehlo.subtract %15, %16 : tensor<8x32x8xf32>
    %18 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x32x8xf32>) -> tensor<8x32x8x1xf32>
    %19 = call @_one_hot_1(%17) : (tensor<8x32x8xf32>) -> tensor<8x32x8x8xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<8x32x8x1xf32>) -> tensor<8x32x8x8xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<8x32x8x8xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = stablehlo.reduce(%11 init: %cst_3) applies stablehlo.maximum across dimensions = [2] : (tensor<8x32x8xf32>, tensor<f32>) -> tensor<8x32xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<8x32x1x1xf32>) -> tensor<8x32x8x8xf32>
    %25 = stablehlo.multiply %21, %24 : tensor<8x32x8x8xf32>
    %26 = stablehlo.dot_general %arg0, %21, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x32x8x8xf32>) -> tensor<8x64x8x8xf32>
    %27 = stablehlo.transpose %26, dims = [2, 0, 3, 1] : (tensor<8x64x8x8xf32>) -> tensor<8x8x8x64xf32>
    %28 = sdy.sharding_constraint %27 <@mesh, [{"x"}, {}, {}, {}]> : tensor<8x8x8x64xf32>
    %29 = stablehlo.dot_general %28, %arg2, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x64xf32>, tensor<8x64x128xf32>) -> tensor<8x8x8x128xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x8x8x128xf32>
    %31 = stablehlo.maximum %29, %30 : tensor<8x8x8x128xf32>
    %32 = stablehlo.dot_general %31, %arg3, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8x128xf32>, tensor<8x128x64xf32>) -> tensor<8x8x8x64xf32>
    %33 = sdy.sharding_constraint %32 <@mesh, [{"x"}, {}, {}, {}]> : tensor<8x8x8x64xf32>
    %34 = stablehlo.dot_general %25, %33, batching_dims = [0] x [1], contracting_dims = [3, 2] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x8x8xf32>, tensor<8x8x8x64xf32>) -> tensor<8x32x64xf32>
    return %34 : tensor<8x32x64xf32>
  }
  func.func private @argmax(%arg0: tensor<8x32x8xf32>) -> tensor<8x32xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<8x32x8xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [2] : (tensor<8x32x8xf32>, tensor<8x32x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8x32xf32>, tensor<8x32xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<8x32xi32>
  }
  func.func private @_one_hot(%arg0: tensor<8x32xi32>) -> tensor<8x32x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x8xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<8x32x1xi32>) -> tensor<8x32x8xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x8xi32>) -> tensor<8x32x8xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x32x8xi32>, tensor<8x32x8xi32>) -> tensor<8x32x8xi1>
    %5 = stablehlo.convert %4 : (tensor<8x32x8xi1>) -> tensor<8x32x8xf32>
    return %5 : tensor<8x32x8xf32>
  }
  func.func private @cumsum(%arg0: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
    return %0 : tensor<8x32x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [31, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 32, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x32x8xf32>, tensor<f32>) -> tensor<8x32x8xf32>
    return %1 : tensor<8x32x8xf32>
  }
  func.func private @_one_hot_1(%arg0: tensor<8x32x8xf32>) -> tensor<8x32x8x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<8x32x8xf32>) -> tensor<8x32x8x1xf32>
    %1 = stablehlo.iota dim = 3 : tensor<1x1x1x8xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<8x32x8x1xf32>) -> tensor<8x32x8x8xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<8x32x8x8xf32>
    %4 = stablehlo.compare EQ, %2, %3, FLOAT : (tensor<8x32x8x8xf32>, tensor<8x32x8x8xf32>) -> tensor<8x32x8x8xi1>
    %5 = stablehlo.convert %4 : (tensor<8x32x8x8xi1>) -> tensor<8x32x8x8xf32>
    return %5 : tensor<8x32x8x8xf32>
  }
}
