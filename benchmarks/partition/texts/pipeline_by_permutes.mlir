module @jit_pipeline_by_permutes attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x32xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<1x32x32xf32>, %arg3: tensor<16x32xf32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %7 = stablehlo.dynamic_slice %arg3, %c_2, %c_3, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.compare EQ, %4, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %9 = func.call @_where(%8, %7, %5) : (tensor<i1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      %10 = stablehlo.reshape %arg2 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %11 = stablehlo.dot_general %9, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
      %12 = stablehlo.tanh %11 : tensor<4x32xf32>
      %13 = "stablehlo.collective_permute"(%12) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x32xf32>) -> tensor<4x32xf32>
      %c_5 = stablehlo.constant dense<4> : tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %14 = stablehlo.dynamic_slice %arg3, %c_5, %c_6, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.compare EQ, %4, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %16 = func.call @_where_0(%15, %14, %13) : (tensor<i1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      %17 = stablehlo.reshape %arg2 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %18 = stablehlo.dot_general %16, %17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
      %19 = stablehlo.tanh %18 : tensor<4x32xf32>
      %20 = "stablehlo.collective_permute"(%19) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x32xf32>) -> tensor<4x32xf32>
      %c_8 = stablehlo.constant dense<8> : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %21 = stablehlo.dynamic_slice %arg3, %c_8, %c_9, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %22 = stablehlo.compare EQ, %4, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %23 = func.call @_where_0(%22, %21, %20) : (tensor<i1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      %24 = stablehlo.reshape %arg2 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %25 = stablehlo.dot_general %23, %24, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
      %26 = stablehlo.tanh %25 : tensor<4x32xf32>
      %27 = "stablehlo.collective_permute"(%26) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x32xf32>) -> tensor<4x32xf32>
      %c_11 = stablehlo.constant dense<12> : tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %28 = stablehlo.dynamic_slice %arg3, %c_11, %c_12, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %29 = stablehlo.compare EQ, %4, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %30 = func.call @_where_0(%29, %28, %27) : (tensor<i1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      %31 = stablehlo.reshape %arg2 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %32 = stablehlo.dot_general %30, %31, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
      %33 = stablehlo.tanh %32 : tensor<4x32xf32>
      %c_14 = stablehlo.constant dense<3> : tensor<i32>
      %34 = stablehlo.compare EQ, %4, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %35 = func.call @_where_1(%34, %33, %c_15) : (tensor<i1>, tensor<4x32xf32>, tensor<i32>) -> tensor<4x32xf32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %36 = stablehlo.dynamic_update_slice %6, %35, %c_16, %c_17 : (tensor<16x32xf32>, tensor<4x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
      %37 = "stablehlo.collective_permute"(%33) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x32xf32>) -> tensor<4x32xf32>
      %c_18 = stablehlo.constant dense<12> : tensor<i32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %38 = stablehlo.dynamic_slice %arg3, %c_18, %c_19, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %39 = stablehlo.compare EQ, %4, %c_20, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %40 = func.call @_where_0(%39, %38, %37) : (tensor<i1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      %41 = stablehlo.reshape %arg2 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %42 = stablehlo.dot_general %40, %41, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
      %43 = stablehlo.tanh %42 : tensor<4x32xf32>
      %c_21 = stablehlo.constant dense<3> : tensor<i32>
      %44 = stablehlo.compare EQ, %4, %c_21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %45 = func.call @_where_1(%44, %43, %c_22) : (tensor<i1>, tensor<4x32xf32>, tensor<i32>) -> tensor<4x32xf32>
      %c_23 = stablehlo.constant dense<4> : tensor<i32>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %46 = stablehlo.dynamic_update_slice %36, %45, %c_23, %c_24 : (tensor<16x32xf32>, tensor<4x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
      %47 = "stablehlo.collective_permute"(%43) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x32xf32>) -> tensor<4x32xf32>
      %c_25 = stablehlo.constant dense<12> : tensor<i32>
      %c_26 = stablehlo.constant dense<0> : tensor<i32>
      %48 = stablehlo.dynamic_slice %arg3, %c_25, %c_26, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
      %c_27 = stablehlo.constant dense<0> : tensor<i32>
      %49 = stablehlo.compare EQ, %4, %c_27, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %50 = func.call @_where_0(%49, %48, %47) : (tensor<i1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      %51 = stablehlo.reshape %arg2 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %52 = stablehlo.dot_general %50, %51, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
      %53 = stablehlo.tanh %52 : tensor<4x32xf32>
      %c_28 = stablehlo.constant dense<3> : tensor<i32>
      %54 = stablehlo.compare EQ, %4, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_29 = stablehlo.constant dense<0> : tensor<i32>
      %55 = func.call @_where_1(%54, %53, %c_29) : (tensor<i1>, tensor<4x32xf32>, tensor<i32>) -> tensor<4x32xf32>
      %c_30 = stablehlo.constant dense<8> : tensor<i32>
      %c_31 = stablehlo.constant dense<0> : tensor<i32>
      %56 = stablehlo.dynamic_update_slice %46, %55, %c_30, %c_31 : (tensor<16x32xf32>, tensor<4x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
      %57 = "stablehlo.collective_permute"(%53) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x32xf32>) -> tensor<4x32xf32>
      %c_32 = stablehlo.constant dense<12> : tensor<i32>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %58 = stablehlo.dynamic_slice %arg3, %c_32, %c_33, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
      %c_34 = stablehlo.constant dense<0> : tensor<i32>
      %59 = stablehlo.compare EQ, %4, %c_34, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %60 = func.call @_where_0(%59, %58, %57) : (tensor<i1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      %61 = stablehlo.reshape %arg2 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %62 = stablehlo.dot_general %60, %61, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
      %63 = stablehlo.tanh %62 : tensor<4x32xf32>
      %c_35 = stablehlo.constant dense<3> : tensor<i32>
      %64 = stablehlo.compare EQ, %4, %c_35, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_36 = stablehlo.constant dense<0> : tensor<i32>
      %65 = func.call @_where_1(%64, %63, %c_36) : (tensor<i1>, tensor<4x32xf32>, tensor<i32>) -> tensor<4x32xf32>
      %c_37 = stablehlo.constant dense<12> : tensor<i32>
      %c_38 = stablehlo.constant dense<0> : tensor<i32>
      %66 = stablehlo.dynamic_update_slice %56, %65, %c_37, %c_38 : (tensor<16x32xf32>, tensor<4x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
      %67 = "stablehlo.collective_permute"(%63) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x32xf32>) -> tensor<4x32xf32>
      %68 = "stablehlo.all_reduce"(%66) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %69 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %69 : tensor<f32>
      }) : (tensor<16x32xf32>) -> tensor<16x32xf32>
      sdy.return %68 : tensor<16x32xf32>
    } : (tensor<4x32x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x32xf32>, %arg2: tensor<4x32xf32>) -> tensor<4x32xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<4x32xf32>
    return %0 : tensor<4x32xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<4x32xf32>, %arg2: tensor<4x32xf32>) -> tensor<4x32xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<4x32xf32>
    return %0 : tensor<4x32xf32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<4x32xf32>, %arg2: tensor<i32>) -> tensor<4x32xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x32xf32>
    return %2 : tensor<4x32xf32>
  }
}
