module @jit_segments attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<24x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}, %arg1: tensor<24xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<6x8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}, tensor<6x8xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}, tensor<6xi32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<24x8xf32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}, tensor<24x8xf32> {jax.result_info = "result[4]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %2 = "stablehlo.scatter"(%0, %1, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %47 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %47 : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<24x1xi32>, tensor<24x8xf32>) -> tensor<6x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %5 = "stablehlo.scatter"(%3, %4, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %47 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %47 : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<24x1xi32>, tensor<24x8xf32>) -> tensor<6x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = call @clip(%arg1, %c_1) : (tensor<24xi32>, tensor<i32>) -> tensor<24xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %9 = stablehlo.compare LT, %7, %8, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %c_3 = stablehlo.constant dense<6> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %11 = stablehlo.add %7, %10 : tensor<24xi32>
    %12 = stablehlo.select %9, %11, %7 : tensor<24xi1>, tensor<24xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %15 = "stablehlo.scatter"(%6, %13, %14) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %47 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %47 : tensor<i32>
    }) : (tensor<6xi32>, tensor<24x1xi32>, tensor<24xi32>) -> tensor<6xi32>
    %16 = call @argsort(%arg1) : (tensor<24xi32>) -> tensor<24xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %18 = stablehlo.compare LT, %arg1, %17, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %c_6 = stablehlo.constant dense<24> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %20 = stablehlo.add %arg1, %19 : tensor<24xi32>
    %21 = stablehlo.select %18, %20, %arg1 : tensor<24xi1>, tensor<24xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %23 = stablehlo.convert %22 : tensor<24xi32>
    %24 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %26 = stablehlo.concatenate %24, %25, dim = 1 : (tensor<24x1xi32>, tensor<24x1xi32>) -> tensor<24x2xi32>
    %cst_8 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %28 = "stablehlo.scatter"(%arg0, %26, %27) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<24x8xf32>, tensor<24x2xi32>, tensor<24xf32>) -> tensor<24x8xf32>
    %29 = stablehlo.iota dim = 0 : tensor<4xi32>
    %c_9 = stablehlo.constant dense<2> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %31 = stablehlo.multiply %30, %29 : tensor<4xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %33 = stablehlo.add %32, %31 : tensor<4xi32>
    %c_11 = stablehlo.constant dense<1> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %36 = stablehlo.concatenate %34, %35, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %38 = "stablehlo.scatter"(%28, %36, %37) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %47 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      stablehlo.return %47 : tensor<f32>
    }) : (tensor<24x8xf32>, tensor<4x2xi32>, tensor<4x4xf32>) -> tensor<24x8xf32>
    %39 = sdy.sharding_constraint %2 <@mesh, [{}, {"data"}]> : tensor<6x8xf32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %41 = stablehlo.compare LT, %16, %40, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %c_14 = stablehlo.constant dense<24> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %43 = stablehlo.add %16, %42 : tensor<24xi32>
    %44 = stablehlo.select %41, %43, %16 : tensor<24xi1>, tensor<24xi32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %46 = "stablehlo.gather"(%arg0, %45) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<24x8xf32>, tensor<24x1xi32>) -> tensor<24x8xf32>
    return %39, %5, %15, %46, %38 : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xi32>, tensor<24x8xf32>, tensor<24x8xf32>
  }
  func.func private @clip(%arg0: tensor<24xi32>, %arg1: tensor<i32>) -> tensor<24xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<24xi32>
    return %2 : tensor<24xi32>
  }
  func.func private @argsort(%arg0: tensor<24xi32>) -> tensor<24xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<24xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<24xi32>, tensor<24xi32>) -> (tensor<24xi32>, tensor<24xi32>)
    return %1#1 : tensor<24xi32>
  }
}
