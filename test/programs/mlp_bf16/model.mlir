module @jit_mlp_bf16 attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<24x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg2: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg3: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<24x32xf32> {jax.result_info = "result[0]['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<32x8xf32> {jax.result_info = "result[0]['w2']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.convert %arg0 : (tensor<24x32xf32>) -> tensor<24x32xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<32x8xf32>) -> tensor<32x8xbf16>
    %2 = stablehlo.convert %arg2 : (tensor<16x24xf32>) -> tensor<16x24xbf16>
    %3 = stablehlo.dot_general %2, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x24xbf16>, tensor<24x32xbf16>) -> tensor<16x32xbf16>
    %4:3 = call @silu(%3) : (tensor<16x32xbf16>) -> (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x32xbf16>)
    %5 = sdy.sharding_constraint %4#0 <@mesh, [{"data"}, {"model"}]> : tensor<16x32xbf16>
    %6 = stablehlo.dot_general %5, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xf32>
    %7:3 = call @log_softmax(%6) : (tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x1xf32>)
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %9:2 = call @take_along_axis(%7#0, %8) : (tensor<16x8xf32>, tensor<16x1xi32>) -> (tensor<16x1xf32>, tensor<16x1x1xi32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9#0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %11 = stablehlo.divide %10, %cst_0 : tensor<f32>
    %12 = stablehlo.negate %11 : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.negate %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %14 = stablehlo.divide %13, %cst_2 : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %16 = call @take_along_axis_0(%9#1, %15) : (tensor<16x1x1xi32>, tensor<16x1xf32>) -> tensor<16x8xf32>
    %17 = call @log_softmax_1(%7#1, %7#2, %16) : (tensor<16x8xf32>, tensor<16x1xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %18 = stablehlo.convert %17 : tensor<16x8xf32>
    %19 = stablehlo.convert %5 : (tensor<16x32xbf16>) -> tensor<16x32xf32>
    %20 = stablehlo.dot_general %18, %19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %22 = stablehlo.convert %21 : (tensor<32x8xf32>) -> tensor<32x8xbf16>
    %23 = stablehlo.convert %17 : tensor<16x8xf32>
    %24 = stablehlo.convert %1 : (tensor<32x8xbf16>) -> tensor<32x8xf32>
    %25 = stablehlo.dot_general %23, %24, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<32x8xf32>) -> tensor<16x32xf32>
    %26 = stablehlo.convert %25 : (tensor<16x32xf32>) -> tensor<16x32xbf16>
    %27 = sdy.sharding_constraint %26 <@mesh, [{"data"}, {"model"}]> : tensor<16x32xbf16>
    %28 = call @silu_2(%4#1, %4#2, %3, %27) : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x32xbf16>) -> tensor<16x32xbf16>
    %29 = stablehlo.dot_general %28, %2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xbf16>, tensor<16x24xbf16>) -> tensor<32x24xbf16>
    %30 = stablehlo.transpose %29, dims = [1, 0] : (tensor<32x24xbf16>) -> tensor<24x32xbf16>
    %31 = stablehlo.convert %22 : (tensor<32x8xbf16>) -> tensor<32x8xf32>
    %32 = stablehlo.convert %30 : (tensor<24x32xbf16>) -> tensor<24x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24x32xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<24x32xf32>
    %35 = stablehlo.subtract %arg0, %34 : tensor<24x32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %37 = stablehlo.multiply %36, %31 : tensor<32x8xf32>
    %38 = stablehlo.subtract %arg1, %37 : tensor<32x8xf32>
    return %35, %38, %12 : tensor<24x32xf32>, tensor<32x8xf32>, tensor<f32>
  }
  func.func private @silu(%arg0: tensor<16x32xbf16>) -> (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x32xbf16>) {
    %0 = stablehlo.negate %arg0 : tensor<16x32xbf16>
    %1 = stablehlo.exponential %0 : tensor<16x32xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<16x32xbf16>
    %3 = stablehlo.add %2, %1 : tensor<16x32xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<16x32xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<16x32xbf16>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<16x32xbf16>
    %7 = stablehlo.subtract %6, %5 : tensor<16x32xbf16>
    %8 = stablehlo.multiply %5, %7 : tensor<16x32xbf16>
    %9 = stablehlo.multiply %arg0, %5 : tensor<16x32xbf16>
    return %9, %8, %5 : tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x32xbf16>
  }
  func.func private @log_softmax(%arg0: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x8xf32>
    %6 = stablehlo.exponential %5 : tensor<16x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %9 = stablehlo.log %8 : tensor<16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<16x8xf32>
    return %11, %6, %8 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<16x8xf32>, %arg1: tensor<16x1xi32>) -> (tensor<16x1xf32>, tensor<16x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x1xi1>
    %c_0 = stablehlo.constant dense<8> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<16x1xi1>, tensor<16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<16x1xi32>) -> tensor<16x1x1xi32>
    %c_1 = stablehlo.constant dense<7> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<16x1x1xi1>, tensor<i1>) -> tensor<16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<16x8xf32>, tensor<16x1x1xi32>) -> tensor<16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<16x1xi1>, tensor<16x1xf32>
    return %15, %5 : tensor<16x1xf32>, tensor<16x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<16x1x1xi32>, %arg1: tensor<16x1xf32>) -> tensor<16x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<16x1x1xi32>, tensor<16x1xf32>) -> tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<16x8xf32>, %arg1: tensor<16x1xf32>, %arg2: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %0 = stablehlo.negate %arg2 : tensor<16x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<16x8xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<16x8xf32>
    return %7 : tensor<16x8xf32>
  }
  func.func private @silu_2(%arg0: tensor<16x32xbf16>, %arg1: tensor<16x32xbf16>, %arg2: tensor<16x32xbf16>, %arg3: tensor<16x32xbf16>) -> tensor<16x32xbf16> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<16x32xbf16>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<16x32xbf16>
    %2 = stablehlo.multiply %0, %arg0 : tensor<16x32xbf16>
    %3 = stablehlo.add %1, %2 : tensor<16x32xbf16>
    return %3 : tensor<16x32xbf16>
  }
}
