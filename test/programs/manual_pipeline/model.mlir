module @jit_manual_pipeline attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<4x2x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {}, {}]>] out_shardings=[<@mesh, [{}, {}, {}]>] manual_axes={"x"} (%arg2: tensor<1x8x8xf32>, %arg3: tensor<4x2x8xf32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<8> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x2x8xf32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %7:7 = stablehlo.while(%iterArg = %4, %iterArg_6 = %arg3, %iterArg_7 = %arg2, %iterArg_8 = %c_3, %iterArg_9 = %c_2, %iterArg_10 = %5, %iterArg_11 = %6) : tensor<i32>, tensor<4x2x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<2x8xf32>, tensor<4x2x8xf32>
      cond {
        %c_12 = stablehlo.constant dense<11> : tensor<i32>
        %11 = stablehlo.compare LT, %iterArg_8, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %11:3 = func.call @closed_call(%iterArg, %iterArg_6, %iterArg_7, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<4x2x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<2x8xf32>, tensor<4x2x8xf32>) -> (tensor<i32>, tensor<2x8xf32>, tensor<4x2x8xf32>)
        %c_12 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %iterArg_8, %c_12 : tensor<i32>
        stablehlo.return %iterArg, %iterArg_6, %iterArg_7, %12, %11#0, %11#1, %11#2 : tensor<i32>, tensor<4x2x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<2x8xf32>, tensor<4x2x8xf32>
      }
      %c_4 = stablehlo.constant dense<7> : tensor<i32>
      %8 = stablehlo.compare EQ, %4, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %9 = func.call @_where_2(%8, %7#6, %c_5) : (tensor<i1>, tensor<4x2x8xf32>, tensor<i32>) -> tensor<4x2x8xf32>
      %10 = "stablehlo.all_reduce"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %11 : tensor<f32>
      }) : (tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
      sdy.return %10 : tensor<4x2x8xf32>
    } : (tensor<8x8x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
    return %0 : tensor<4x2x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<4x2x8xf32>, %arg2: tensor<1x8x8xf32>, %arg3: tensor<i32>, %arg4: tensor<2x8xf32>, %arg5: tensor<4x2x8xf32>) -> (tensor<i32>, tensor<2x8xf32>, tensor<4x2x8xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg3, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %arg0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %2 = call @clip(%arg3, %c_1, %c_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.convert %2 : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %3, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<4> : tensor<i32>
    %5 = stablehlo.add %3, %c_4 : tensor<i32>
    %6 = stablehlo.select %4, %5, %3 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %c_5, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %c_8 = stablehlo.constant dense<2> : tensor<i32>
    %8 = stablehlo.add %c_7, %c_8 : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.select %7, %8, %c_9 : tensor<i1>, tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.compare LT, %c_10, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %c_13 = stablehlo.constant dense<8> : tensor<i32>
    %11 = stablehlo.add %c_12, %c_13 : tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.select %10, %11, %c_14 : tensor<i1>, tensor<i32>
    %13 = stablehlo.dynamic_slice %arg1, %6, %9, %12, sizes = [1, 2, 8] : (tensor<4x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
    %15 = call @_where(%1, %14, %arg4) : (tensor<i1>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    %16 = stablehlo.reshape %arg2 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %17 = stablehlo.dot_general %15, %16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %18 = stablehlo.tanh %17 : tensor<2x8xf32>
    %c_15 = stablehlo.constant dense<7> : tensor<i32>
    %19 = stablehlo.subtract %arg3, %c_15 : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %c_17 = stablehlo.constant dense<3> : tensor<i32>
    %20 = call @clip_0(%19, %c_16, %c_17) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_18 = stablehlo.constant dense<7> : tensor<i32>
    %21 = stablehlo.compare EQ, %arg0, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_19 = stablehlo.constant dense<7> : tensor<i32>
    %22 = stablehlo.compare GE, %arg3, %c_19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_20 = stablehlo.constant dense<false> : tensor<i1>
    %23 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i1>) -> tensor<i1>
    %24 = stablehlo.compare NE, %22, %23, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %25 = stablehlo.convert %24 : tensor<i1>
    %26 = stablehlo.and %21, %25 : tensor<i1>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.compare LT, %20, %c_21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_22 = stablehlo.constant dense<4> : tensor<i32>
    %28 = stablehlo.add %20, %c_22 : tensor<i32>
    %29 = stablehlo.select %27, %28, %20 : tensor<i1>, tensor<i32>
    %30 = stablehlo.convert %29 : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %32 = "stablehlo.scatter"(%arg5, %31, %18) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      stablehlo.return %arg7 : tensor<f32>
    }) : (tensor<4x2x8xf32>, tensor<1xi32>, tensor<2x8xf32>) -> tensor<4x2x8xf32>
    %33 = call @_where_1(%26, %32, %arg5) : (tensor<i1>, tensor<4x2x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
    %34 = "stablehlo.collective_permute"(%18) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %0, %34, %33 : tensor<i32>, tensor<2x8xf32>, tensor<4x2x8xf32>
  }
  func.func private @clip(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.maximum %arg1, %arg0 : tensor<i32>
    %1 = stablehlo.minimum %arg2, %0 : tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<2x8xf32>, %arg2: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
  func.func private @clip_0(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.maximum %arg1, %arg0 : tensor<i32>
    %1 = stablehlo.minimum %arg2, %0 : tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<4x2x8xf32>, %arg2: tensor<4x2x8xf32>) -> tensor<4x2x8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<4x2x8xf32>
    return %0 : tensor<4x2x8xf32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<4x2x8xf32>, %arg2: tensor<i32>) -> tensor<4x2x8xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x2x8xf32>
    return %2 : tensor<4x2x8xf32>
  }
}
