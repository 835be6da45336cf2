module @jit_decode_loop attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<2x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg1: tensor<3x8x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<i32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<8x10xi32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<2x8x10x2x4xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, tensor<8xi1> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %0 = call @_pad(%arg3, %c) : (tensor<8x3xi32>, tensor<i32>) -> tensor<8x10xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x10x2x4xf32>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<8xi1>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3:7 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %arg1, %iterArg_3 = %arg0, %iterArg_4 = %c_1, %iterArg_5 = %0, %iterArg_6 = %1, %iterArg_7 = %2) : tensor<16x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<i32>, tensor<8x10xi32>, tensor<2x8x10x2x4xf32>, tensor<8xi1>
    cond {
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_4, %c_8 : tensor<i32>
      %c_9 = stablehlo.constant dense<10> : tensor<i32>
      %5 = stablehlo.compare LT, %4, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<true> : tensor<i1>
      %6 = stablehlo.reduce(%iterArg_7 init: %c_10) applies stablehlo.and across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
      %7 = stablehlo.not %6 : tensor<i1>
      %8 = stablehlo.and %5, %7 : tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_4, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_9 = stablehlo.constant dense<10> : tensor<i32>
      %5 = stablehlo.add %iterArg_4, %c_9 : tensor<i32>
      %6 = stablehlo.select %4, %5, %iterArg_4 : tensor<i1>, tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %7 = stablehlo.dynamic_slice %iterArg_5, %c_10, %6, sizes = [8, 1] : (tensor<8x10xi32>, tensor<i32>, tensor<i32>) -> tensor<8x1xi32>
      %8 = stablehlo.reshape %7 : (tensor<8x1xi32>) -> tensor<8xi32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %10 = stablehlo.compare LT, %8, %9, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_12 = stablehlo.constant dense<16> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %12 = stablehlo.add %8, %11 : tensor<8xi32>
      %13 = stablehlo.select %10, %12, %8 : tensor<8xi1>, tensor<8xi32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %15 = "stablehlo.gather"(%iterArg, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x1xi32>) -> tensor<8x8xf32>
      %16 = stablehlo.dot_general %iterArg_2, %15, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x8x2x4xf32>, tensor<8x8xf32>) -> tensor<3x2x4x8xf32>
      %17 = stablehlo.transpose %16, dims = [0, 3, 1, 2] : (tensor<3x2x4x8xf32>) -> tensor<3x8x2x4xf32>
      %18 = stablehlo.slice %17 [0:1, 0:8, 0:2, 0:4] : (tensor<3x8x2x4xf32>) -> tensor<1x8x2x4xf32>
      %19 = stablehlo.reshape %18 : (tensor<1x8x2x4xf32>) -> tensor<8x2x4xf32>
      %20 = stablehlo.slice %17 [1:2, 0:8, 0:2, 0:4] : (tensor<3x8x2x4xf32>) -> tensor<1x8x2x4xf32>
      %21 = stablehlo.reshape %20 : (tensor<1x8x2x4xf32>) -> tensor<8x2x4xf32>
      %22 = stablehlo.slice %17 [2:3, 0:8, 0:2, 0:4] : (tensor<3x8x2x4xf32>) -> tensor<1x8x2x4xf32>
      %23 = stablehlo.reshape %22 : (tensor<1x8x2x4xf32>) -> tensor<8x2x4xf32>
      %24 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<8x2x4xf32>) -> tensor<1x8x2x4xf32>
      %25 = stablehlo.broadcast_in_dim %23, dims = [1, 2, 3] : (tensor<8x2x4xf32>) -> tensor<1x8x2x4xf32>
      %26 = stablehlo.concatenate %24, %25, dim = 0 : (tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32>) -> tensor<2x8x2x4xf32>
      %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 3, 4] : (tensor<2x8x2x4xf32>) -> tensor<2x8x1x2x4xf32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %28 = stablehlo.compare LT, %iterArg_4, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_14 = stablehlo.constant dense<10> : tensor<i32>
      %29 = stablehlo.add %iterArg_4, %c_14 : tensor<i32>
      %30 = stablehlo.select %28, %29, %iterArg_4 : tensor<i1>, tensor<i32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %31 = stablehlo.dynamic_update_slice %iterArg_6, %27, %c_15, %c_16, %30, %c_17, %c_18 : (tensor<2x8x10x2x4xf32>, tensor<2x8x1x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x10x2x4xf32>
      %32 = sdy.sharding_constraint %31 <@mesh, [{}, {"data"}, {}, {"model"}, {}]> : tensor<2x8x10x2x4xf32>
      %33 = stablehlo.slice %32 [0:1, 0:8, 0:10, 0:2, 0:4] : (tensor<2x8x10x2x4xf32>) -> tensor<1x8x10x2x4xf32>
      %34 = stablehlo.reshape %33 : (tensor<1x8x10x2x4xf32>) -> tensor<8x10x2x4xf32>
      %35 = stablehlo.dot_general %19, %34, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x2x4xf32>, tensor<8x10x2x4xf32>) -> tensor<8x2x10xf32>
      %36 = stablehlo.iota dim = 0 : tensor<10xi32>
      %37 = stablehlo.broadcast_in_dim %iterArg_4, dims = [] : (tensor<i32>) -> tensor<10xi32>
      %38 = stablehlo.compare LE, %36, %37, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
      %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %39 = func.call @_where(%38, %35, %cst_19) : (tensor<10xi1>, tensor<8x2x10xf32>, tensor<f32>) -> tensor<8x2x10xf32>
      %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %40 = stablehlo.reduce(%39 init: %cst_20) applies stablehlo.maximum across dimensions = [2] : (tensor<8x2x10xf32>, tensor<f32>) -> tensor<8x2xf32>
      %cst_21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %41 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
      %42 = stablehlo.maximum %41, %40 : tensor<8x2xf32>
      %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x1xf32>
      %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<8x2x1xf32>) -> tensor<8x2x10xf32>
      %45 = stablehlo.subtract %39, %44 : tensor<8x2x10xf32>
      %46 = stablehlo.exponential %45 : tensor<8x2x10xf32>
      %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.reduce(%46 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<8x2x10xf32>, tensor<f32>) -> tensor<8x2xf32>
      %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x1xf32>
      %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<8x2x1xf32>) -> tensor<8x2x10xf32>
      %50 = stablehlo.divide %46, %49 : tensor<8x2x10xf32>
      %51 = stablehlo.slice %32 [1:2, 0:8, 0:10, 0:2, 0:4] : (tensor<2x8x10x2x4xf32>) -> tensor<1x8x10x2x4xf32>
      %52 = stablehlo.reshape %51 : (tensor<1x8x10x2x4xf32>) -> tensor<8x10x2x4xf32>
      %53 = stablehlo.dot_general %50, %52, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x2x10xf32>, tensor<8x10x2x4xf32>) -> tensor<8x2x4xf32>
      %54 = stablehlo.dot_general %53, %iterArg_3, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<8x2x4xf32>, tensor<2x4x8xf32>) -> tensor<8x8xf32>
      %55 = stablehlo.transpose %iterArg, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %56 = stablehlo.dot_general %54, %55, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
      %57 = func.call @argmax(%56) : (tensor<8x16xf32>) -> tensor<8xi32>
      %c_23 = stablehlo.constant dense<1> : tensor<i32>
      %58 = stablehlo.add %iterArg_4, %c_23 : tensor<i32>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %59 = stablehlo.compare LT, %58, %c_24, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_25 = stablehlo.constant dense<10> : tensor<i32>
      %60 = stablehlo.add %58, %c_25 : tensor<i32>
      %61 = stablehlo.select %59, %60, %58 : tensor<i1>, tensor<i32>
      %c_26 = stablehlo.constant dense<0> : tensor<i32>
      %62 = stablehlo.dynamic_slice %iterArg_5, %c_26, %61, sizes = [8, 1] : (tensor<8x10xi32>, tensor<i32>, tensor<i32>) -> tensor<8x1xi32>
      %63 = stablehlo.reshape %62 : (tensor<8x1xi32>) -> tensor<8xi32>
      %c_27 = stablehlo.constant dense<1> : tensor<i32>
      %64 = stablehlo.add %iterArg_4, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<3> : tensor<i32>
      %65 = stablehlo.compare LT, %64, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_29 = stablehlo.constant dense<5> : tensor<i32>
      %66 = func.call @_where_0(%iterArg_7, %c_29, %57) : (tensor<8xi1>, tensor<i32>, tensor<8xi32>) -> tensor<8xi32>
      %67 = func.call @_where_1(%65, %63, %66) : (tensor<i1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %c_30 = stablehlo.constant dense<1> : tensor<i32>
      %69 = stablehlo.add %iterArg_4, %c_30 : tensor<i32>
      %c_31 = stablehlo.constant dense<0> : tensor<i32>
      %70 = stablehlo.compare LT, %69, %c_31, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_32 = stablehlo.constant dense<10> : tensor<i32>
      %71 = stablehlo.add %69, %c_32 : tensor<i32>
      %72 = stablehlo.select %70, %71, %69 : tensor<i1>, tensor<i32>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %73 = stablehlo.dynamic_update_slice %iterArg_5, %68, %c_33, %72 : (tensor<8x10xi32>, tensor<8x1xi32>, tensor<i32>, tensor<i32>) -> tensor<8x10xi32>
      %c_34 = stablehlo.constant dense<1> : tensor<i32>
      %74 = stablehlo.add %iterArg_4, %c_34 : tensor<i32>
      %c_35 = stablehlo.constant dense<5> : tensor<i32>
      %75 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %76 = stablehlo.compare EQ, %67, %75, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %77 = stablehlo.or %iterArg_7, %76 : tensor<8xi1>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %74, %73, %32, %77 : tensor<16x8xf32>, tensor<3x8x2x4xf32>, tensor<2x4x8xf32>, tensor<i32>, tensor<8x10xi32>, tensor<2x8x10x2x4xf32>, tensor<8xi1>
    }
    return %3#3, %3#4, %3#5, %3#6 : tensor<i32>, tensor<8x10xi32>, tensor<2x8x10x2x4xf32>, tensor<8xi1>
  }
  func.func private @_pad(%arg0: tensor<8x3xi32>, %arg1: tensor<i32>) -> tensor<8x10xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 7], interior = [0, 0] : (tensor<8x3xi32>, tensor<i32>) -> tensor<8x10xi32>
    return %1 : tensor<8x10xi32>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<8x2x10xf32>, %arg2: tensor<f32>) -> tensor<8x2x10xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<10xi1>) -> tensor<8x2x10xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x2x10xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x2x10xi1>, tensor<8x2x10xf32>
    return %3 : tensor<8x2x10xf32>
  }
  func.func private @argmax(%arg0: tensor<8x16xf32>) -> tensor<8xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<8x16xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
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
    return %1#1 : tensor<8xi32>
  }
  func.func private @_where_0(%arg0: tensor<8xi1>, %arg1: tensor<i32>, %arg2: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<8xi1>, tensor<8xi32>
    return %2 : tensor<8xi32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<8xi32>, %arg2: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<8xi32>
    return %0 : tensor<8xi32>
  }
}
