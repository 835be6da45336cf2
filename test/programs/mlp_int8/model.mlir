module @jit_mlp_int8 attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<24x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg2: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<16x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %0 = stablehlo.abs %arg2 : tensor<16x24xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %2 = stablehlo.divide %1, %cst_0 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %4 = stablehlo.divide %arg2, %3 : tensor<16x24xf32>
    %5 = call @round(%4) : (tensor<16x24xf32>) -> tensor<16x24xf32>
    %c = stablehlo.constant dense<-127> : tensor<i32>
    %c_1 = stablehlo.constant dense<127> : tensor<i32>
    %6 = call @clip(%5, %c, %c_1) : (tensor<16x24xf32>, tensor<i32>, tensor<i32>) -> tensor<16x24xf32>
    %7 = stablehlo.convert %6 : (tensor<16x24xf32>) -> tensor<16x24xi8>
    %8 = stablehlo.abs %arg0 : tensor<24x32xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<24x32xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %10 = stablehlo.divide %9, %cst_3 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<24x32xf32>
    %12 = stablehlo.divide %arg0, %11 : tensor<24x32xf32>
    %13 = call @round_0(%12) : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %c_4 = stablehlo.constant dense<-127> : tensor<i32>
    %c_5 = stablehlo.constant dense<127> : tensor<i32>
    %14 = call @clip_1(%13, %c_4, %c_5) : (tensor<24x32xf32>, tensor<i32>, tensor<i32>) -> tensor<24x32xf32>
    %15 = stablehlo.convert %14 : (tensor<24x32xf32>) -> tensor<24x32xi8>
    %16 = stablehlo.dot_general %7, %15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x24xi8>, tensor<24x32xi8>) -> tensor<16x32xi32>
    %17 = stablehlo.convert %16 : (tensor<16x32xi32>) -> tensor<16x32xf32>
    %18 = stablehlo.multiply %2, %10 : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<16x32xf32>
    %21 = sdy.sharding_constraint %20 <@mesh, [{"data"}, {"model"}]> : tensor<16x32xf32>
    %22 = call @relu(%21) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %23 = stablehlo.abs %22 : tensor<16x32xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_6) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %25 = stablehlo.divide %24, %cst_7 : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %27 = stablehlo.divide %22, %26 : tensor<16x32xf32>
    %28 = call @round_2(%27) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %c_8 = stablehlo.constant dense<-127> : tensor<i32>
    %c_9 = stablehlo.constant dense<127> : tensor<i32>
    %29 = call @clip_3(%28, %c_8, %c_9) : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
    %30 = stablehlo.convert %29 : (tensor<16x32xf32>) -> tensor<16x32xi8>
    %31 = stablehlo.abs %arg1 : tensor<32x8xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_10) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<32x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %33 = stablehlo.divide %32, %cst_11 : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %35 = stablehlo.divide %arg1, %34 : tensor<32x8xf32>
    %36 = call @round_4(%35) : (tensor<32x8xf32>) -> tensor<32x8xf32>
    %c_12 = stablehlo.constant dense<-127> : tensor<i32>
    %c_13 = stablehlo.constant dense<127> : tensor<i32>
    %37 = call @clip_5(%36, %c_12, %c_13) : (tensor<32x8xf32>, tensor<i32>, tensor<i32>) -> tensor<32x8xf32>
    %38 = stablehlo.convert %37 : (tensor<32x8xf32>) -> tensor<32x8xi8>
    %39 = stablehlo.dot_general %30, %38, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xi8>, tensor<32x8xi8>) -> tensor<16x8xi32>
    %40 = stablehlo.convert %39 : (tensor<16x8xi32>) -> tensor<16x8xf32>
    %41 = stablehlo.multiply %25, %33 : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %43 = stablehlo.multiply %40, %42 : tensor<16x8xf32>
    return %43 : tensor<16x8xf32>
  }
  func.func private @round(%arg0: tensor<16x24xf32>) -> tensor<16x24xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<16x24xf32>
    return %0 : tensor<16x24xf32>
  }
  func.func private @clip(%arg0: tensor<16x24xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<16x24xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<16x24xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<16x24xf32>
    return %5 : tensor<16x24xf32>
  }
  func.func private @round_0(%arg0: tensor<24x32xf32>) -> tensor<24x32xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<24x32xf32>
    return %0 : tensor<24x32xf32>
  }
  func.func private @clip_1(%arg0: tensor<24x32xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<24x32xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x32xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<24x32xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<24x32xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<24x32xf32>
    return %5 : tensor<24x32xf32>
  }
  func.func private @relu(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x32xf32>
    return %1 : tensor<16x32xf32>
  }
  func.func private @round_2(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
  func.func private @clip_3(%arg0: tensor<16x32xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<16x32xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<16x32xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<16x32xf32>
    return %5 : tensor<16x32xf32>
  }
  func.func private @round_4(%arg0: tensor<32x8xf32>) -> tensor<32x8xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<32x8xf32>
    return %0 : tensor<32x8xf32>
  }
  func.func private @clip_5(%arg0: tensor<32x8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<32x8xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<32x8xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<32x8xf32>
    return %5 : tensor<32x8xf32>
  }
}
