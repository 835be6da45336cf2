module @jit_lookup_in_rows_of_the_same_devices attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<1024x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<512xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<512x64xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<512xi32>
    %c = stablehlo.constant dense<751> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<512xi32>
    %2 = stablehlo.multiply %1, %0 : tensor<512xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<512xi32>
    %c_0 = stablehlo.constant dense<1024> : tensor<i32>
    %4 = call @remainder(%3, %c_0) : (tensor<512xi32>, tensor<i32>) -> tensor<512xi32>
    %5 = call @_take(%arg0, %4) : (tensor<1024x64xf32>, tensor<512xi32>) -> tensor<512x64xf32>
    return %5 : tensor<512x64xf32>
  }
  func.func private @remainder(%arg0: tensor<512xi32>, %arg1: tensor<i32>) -> tensor<512xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<512xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<512xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<512xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<512xi32>, tensor<512xi32>) -> tensor<512xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<512xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<512xi32>, tensor<512xi32>) -> tensor<512xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<512xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<512xi1>, tensor<512xi1>) -> tensor<512xi1>
    %12 = stablehlo.and %11, %6 : tensor<512xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<512xi32>
    %14 = stablehlo.add %4, %13 : tensor<512xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<512xi1>, tensor<512xi32>
    return %15 : tensor<512xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take(%arg0: tensor<1024x64xf32>, %arg1: tensor<512xi32>) -> tensor<512x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<512xi32>) -> tensor<512x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<1024x64xf32>, tensor<512x1xi32>) -> tensor<512x64xf32>
    return %1 : tensor<512x64xf32>
  }
}
