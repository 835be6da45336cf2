module @jit_transformer_dropout attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<2x2x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, %arg1: tensor<2x16x3x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, %arg2: tensor<2x2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg3: tensor<2x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg4: tensor<2x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg5: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %arg6: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %arg7: tensor<2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2x2x8x16xf32> {jax.result_info = "result[0]['out']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, tensor<2x16x3x2x8xf32> {jax.result_info = "result[0]['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, tensor<2x2x16xf32> {jax.result_info = "result[0]['scale']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<2x16x32xf32> {jax.result_info = "result[0]['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, tensor<2x32x16xf32> {jax.result_info = "result[0]['w2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = call @_threefry_split(%arg7) : (tensor<2xui32>) -> tensor<2x2xui32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %2 = call @tril(%1) : (tensor<8x8xi1>) -> tensor<8x8xi1>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3:2 = call @_where(%2, %cst) : (tensor<8x8xi1>, tensor<f32>) -> (tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>)
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %4:2 = call @_bernoulli(%cst_0) : (tensor<f32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>)
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_where_0(%c_1) : (tensor<i32>) -> tensor<4x2x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %6:2 = call @_bernoulli_1(%cst_2) : (tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>)
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = call @_where_3(%c_3) : (tensor<i32>) -> tensor<4x8x16xf32>
    %cst_4 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x4x8x16xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %9:19 = stablehlo.while(%iterArg = %arg0, %iterArg_25 = %arg1, %iterArg_26 = %arg2, %iterArg_27 = %arg3, %iterArg_28 = %arg4, %iterArg_29 = %0, %iterArg_30 = %6#0, %iterArg_31 = %6#1, %iterArg_32 = %cst_4, %iterArg_33 = %4#0, %iterArg_34 = %4#1, %iterArg_35 = %cst_5, %iterArg_36 = %3#0, %iterArg_37 = %3#1, %iterArg_38 = %5, %iterArg_39 = %7, %iterArg_40 = %c_7, %iterArg_41 = %arg5, %iterArg_42 = %8) : tensor<2x2x8x16xf32>, tensor<2x16x3x2x8xf32>, tensor<2x2x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<f32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<i32>, tensor<4x8x16xf32>, tensor<2x4x8x16xf32>
    cond {
      %c_43 = stablehlo.constant dense<2> : tensor<i32>
      %41 = stablehlo.compare LT, %iterArg_40, %c_43, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %41 : tensor<i1>
    } do {
      %41 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_40) : (tensor<2x2x8x16xf32>, tensor<i32>) -> tensor<2x8x16xf32>
      %42 = func.call @dynamic_index_in_dim_4(%iterArg_25, %iterArg_40) : (tensor<2x16x3x2x8xf32>, tensor<i32>) -> tensor<16x3x2x8xf32>
      %43 = func.call @dynamic_index_in_dim_5(%iterArg_26, %iterArg_40) : (tensor<2x2x16xf32>, tensor<i32>) -> tensor<2x16xf32>
      %44 = func.call @dynamic_index_in_dim_6(%iterArg_27, %iterArg_40) : (tensor<2x16x32xf32>, tensor<i32>) -> tensor<16x32xf32>
      %45 = func.call @dynamic_index_in_dim_7(%iterArg_28, %iterArg_40) : (tensor<2x32x16xf32>, tensor<i32>) -> tensor<32x16xf32>
      %46 = func.call @dynamic_index_in_dim_8(%iterArg_29, %iterArg_40) : (tensor<2x2xui32>, tensor<i32>) -> tensor<2xui32>
      %47:2 = func.call @closed_call_9(%iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %iterArg_36, %iterArg_37, %iterArg_38, %iterArg_39, %iterArg_41, %41, %42, %43, %44, %45, %46) : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<f32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<2x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<2xui32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>)
      %48 = func.call @dynamic_update_index_in_dim(%iterArg_42, %47#1, %iterArg_40) : (tensor<2x4x8x16xf32>, tensor<4x8x16xf32>, tensor<i32>) -> tensor<2x4x8x16xf32>
      %c_43 = stablehlo.constant dense<1> : tensor<i32>
      %49 = stablehlo.add %iterArg_40, %c_43 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %iterArg_36, %iterArg_37, %iterArg_38, %iterArg_39, %49, %47#0, %48 : tensor<2x2x8x16xf32>, tensor<2x16x3x2x8xf32>, tensor<2x2x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<f32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<i32>, tensor<4x8x16xf32>, tensor<2x4x8x16xf32>
    }
    %10 = stablehlo.subtract %9#17, %arg6 : tensor<4x8x16xf32>
    %11 = stablehlo.multiply %10, %10 : tensor<4x8x16xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %13 = stablehlo.multiply %12, %10 : tensor<4x8x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%11 init: %cst_9) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %15 = stablehlo.divide %14, %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %cst_13 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %17 = stablehlo.divide %cst_11, %cst_13 : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %19 = stablehlo.multiply %18, %13 : tensor<4x8x16xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x2x8x16xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x16x3x2x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x2x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x16x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x32x16xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %25:14 = stablehlo.while(%iterArg = %9#18, %iterArg_25 = %arg0, %iterArg_26 = %arg1, %iterArg_27 = %arg2, %iterArg_28 = %arg3, %iterArg_29 = %arg4, %iterArg_30 = %0, %iterArg_31 = %c_19, %iterArg_32 = %19, %iterArg_33 = %20, %iterArg_34 = %21, %iterArg_35 = %22, %iterArg_36 = %23, %iterArg_37 = %24) : tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x16x3x2x8xf32>, tensor<2x2x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x2xui32>, tensor<i32>, tensor<4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x16x3x2x8xf32>, tensor<2x2x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>
    cond {
      %c_38 = stablehlo.constant dense<2> : tensor<i32>
      %41 = stablehlo.compare LT, %iterArg_31, %c_38, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %41 : tensor<i1>
    } do {
      %c_38 = stablehlo.constant dense<2> : tensor<i32>
      %41 = stablehlo.subtract %c_38, %iterArg_31 : tensor<i32>
      %c_39 = stablehlo.constant dense<1> : tensor<i32>
      %42 = stablehlo.subtract %41, %c_39 : tensor<i32>
      %43 = func.call @dynamic_index_in_dim_21(%iterArg, %42) : (tensor<2x4x8x16xf32>, tensor<i32>) -> tensor<4x8x16xf32>
      %44 = func.call @dynamic_index_in_dim(%iterArg_25, %42) : (tensor<2x2x8x16xf32>, tensor<i32>) -> tensor<2x8x16xf32>
      %45 = func.call @dynamic_index_in_dim_4(%iterArg_26, %42) : (tensor<2x16x3x2x8xf32>, tensor<i32>) -> tensor<16x3x2x8xf32>
      %46 = func.call @dynamic_index_in_dim_5(%iterArg_27, %42) : (tensor<2x2x16xf32>, tensor<i32>) -> tensor<2x16xf32>
      %47 = func.call @dynamic_index_in_dim_6(%iterArg_28, %42) : (tensor<2x16x32xf32>, tensor<i32>) -> tensor<16x32xf32>
      %48 = func.call @dynamic_index_in_dim_7(%iterArg_29, %42) : (tensor<2x32x16xf32>, tensor<i32>) -> tensor<32x16xf32>
      %49 = func.call @dynamic_index_in_dim_8(%iterArg_30, %42) : (tensor<2x2xui32>, tensor<i32>) -> tensor<2xui32>
      %50:6 = func.call @closed_call_22(%iterArg_32, %43, %44, %45, %46, %47, %48, %49) : (tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<2x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<2xui32>) -> (tensor<4x8x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<2x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>)
      %51 = func.call @dynamic_update_index_in_dim_34(%iterArg_33, %50#1, %42) : (tensor<2x2x8x16xf32>, tensor<2x8x16xf32>, tensor<i32>) -> tensor<2x2x8x16xf32>
      %52 = func.call @dynamic_update_index_in_dim_35(%iterArg_34, %50#2, %42) : (tensor<2x16x3x2x8xf32>, tensor<16x3x2x8xf32>, tensor<i32>) -> tensor<2x16x3x2x8xf32>
      %53 = func.call @dynamic_update_index_in_dim_36(%iterArg_35, %50#3, %42) : (tensor<2x2x16xf32>, tensor<2x16xf32>, tensor<i32>) -> tensor<2x2x16xf32>
      %54 = func.call @dynamic_update_index_in_dim_37(%iterArg_36, %50#4, %42) : (tensor<2x16x32xf32>, tensor<16x32xf32>, tensor<i32>) -> tensor<2x16x32xf32>
      %55 = func.call @dynamic_update_index_in_dim_38(%iterArg_37, %50#5, %42) : (tensor<2x32x16xf32>, tensor<32x16xf32>, tensor<i32>) -> tensor<2x32x16xf32>
      %c_40 = stablehlo.constant dense<1> : tensor<i32>
      %56 = stablehlo.add %iterArg_31, %c_40 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %56, %50#0, %51, %52, %53, %54, %55 : tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x16x3x2x8xf32>, tensor<2x2x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x2xui32>, tensor<i32>, tensor<4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x16x3x2x8xf32>, tensor<2x2x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>
    }
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x2x8x16xf32>
    %27 = stablehlo.multiply %26, %25#9 : tensor<2x2x8x16xf32>
    %28 = stablehlo.subtract %arg0, %27 : tensor<2x2x8x16xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x16x3x2x8xf32>
    %30 = stablehlo.multiply %29, %25#10 : tensor<2x16x3x2x8xf32>
    %31 = stablehlo.subtract %arg1, %30 : tensor<2x16x3x2x8xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x2x16xf32>
    %33 = stablehlo.multiply %32, %25#11 : tensor<2x2x16xf32>
    %34 = stablehlo.subtract %arg2, %33 : tensor<2x2x16xf32>
    %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x16x32xf32>
    %36 = stablehlo.multiply %35, %25#12 : tensor<2x16x32xf32>
    %37 = stablehlo.subtract %arg3, %36 : tensor<2x16x32xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x32x16xf32>
    %39 = stablehlo.multiply %38, %25#13 : tensor<2x32x16xf32>
    %40 = stablehlo.subtract %arg4, %39 : tensor<2x32x16xf32>
    return %28, %31, %34, %37, %40, %15 : tensor<2x2x8x16xf32>, tensor<2x16x3x2x8xf32>, tensor<2x2x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<f32>
  }
  func.func private @_threefry_split(%arg0: tensor<2xui32>) -> tensor<2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11:2 = call @threefry2x32(%1, %3, %10, %9) : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %12 = stablehlo.broadcast_in_dim %11#0, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %13 = stablehlo.broadcast_in_dim %11#1, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    return %14 : tensor<2x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<2xui32>, %arg2: tensor<2xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2xui32>
    %9 = stablehlo.or %5, %8 : tensor<2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2xui32>
    %19 = stablehlo.or %15, %18 : tensor<2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2xui32>
    %29 = stablehlo.or %25, %28 : tensor<2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2xui32>
    %39 = stablehlo.or %35, %38 : tensor<2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %42 = stablehlo.add %33, %41 : tensor<2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %44 = stablehlo.add %40, %43 : tensor<2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %48 = stablehlo.add %44, %47 : tensor<2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @tril(%arg0: tensor<8x8xi1>) -> tensor<8x8xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<8x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %2 = stablehlo.add %0, %1 : tensor<8x8xi32>
    %3 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<8x8xi1>, tensor<8x8xi1>
    return %6 : tensor<8x8xi1>
  }
  func.func private @_where(%arg0: tensor<8x8xi1>, %arg1: tensor<f32>) -> (tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    return %1, %2 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
  }
  func.func private @_bernoulli(%arg0: tensor<f32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0:2 = call @_uniform(%cst, %cst_0) : (tensor<f32>, tensor<f32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>)
    return %0#0, %0#1 : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
  }
  func.func private @_uniform(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<1x1x1x1xf32>
    return %2, %4 : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
  }
  func.func private @_where_0(%arg0: tensor<i32>) -> tensor<4x2x8x8xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    return %1 : tensor<4x2x8x8xf32>
  }
  func.func private @_bernoulli_1(%arg0: tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0:2 = call @_uniform_2(%cst, %cst_0) : (tensor<f32>, tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>)
    return %0#0, %0#1 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
  func.func private @_uniform_2(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    return %2, %4 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
  func.func private @_where_3(%arg0: tensor<i32>) -> tensor<4x8x16xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    return %1 : tensor<4x8x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x2x8x16xf32>, %arg1: tensor<i32>) -> tensor<2x8x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 2, 8, 16] : (tensor<2x2x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x8x16xf32>) -> tensor<2x8x16xf32>
    return %1 : tensor<2x8x16xf32>
  }
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<2x16x3x2x8xf32>, %arg1: tensor<i32>) -> tensor<16x3x2x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 16, 3, 2, 8] : (tensor<2x16x3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x3x2x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x3x2x8xf32>) -> tensor<16x3x2x8xf32>
    return %1 : tensor<16x3x2x8xf32>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<2x2x16xf32>, %arg1: tensor<i32>) -> tensor<2x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 16] : (tensor<2x2x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x16xf32>) -> tensor<2x16xf32>
    return %1 : tensor<2x16xf32>
  }
  func.func private @dynamic_index_in_dim_6(%arg0: tensor<2x16x32xf32>, %arg1: tensor<i32>) -> tensor<16x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 16, 32] : (tensor<2x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x32xf32>) -> tensor<16x32xf32>
    return %1 : tensor<16x32xf32>
  }
  func.func private @dynamic_index_in_dim_7(%arg0: tensor<2x32x16xf32>, %arg1: tensor<i32>) -> tensor<32x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 32, 16] : (tensor<2x32x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32x16xf32>) -> tensor<32x16xf32>
    return %1 : tensor<32x16xf32>
  }
  func.func private @dynamic_index_in_dim_8(%arg0: tensor<2x2xui32>, %arg1: tensor<i32>) -> tensor<2xui32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<2x2xui32>, tensor<i32>, tensor<i32>) -> tensor<1x2xui32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xui32>) -> tensor<2xui32>
    return %1 : tensor<2xui32>
  }
  func.func private @closed_call_9(%arg0: tensor<1x1x1xf32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<f32>, %arg3: tensor<1x1x1x1xf32>, %arg4: tensor<1x1x1x1xf32>, %arg5: tensor<f32>, %arg6: tensor<4x2x8x8xi1>, %arg7: tensor<4x2x8x8xf32>, %arg8: tensor<4x2x8x8xf32>, %arg9: tensor<4x8x16xf32>, %arg10: tensor<4x8x16xf32>, %arg11: tensor<2x8x16xf32>, %arg12: tensor<16x3x2x8xf32>, %arg13: tensor<2x16xf32>, %arg14: tensor<16x32xf32>, %arg15: tensor<32x16xf32>, %arg16: tensor<2xui32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>) {
    %0 = call @_threefry_split(%arg16) : (tensor<2xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.slice %0 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %2 = stablehlo.reshape %1 : (tensor<1x2xui32>) -> tensor<2xui32>
    %3 = stablehlo.slice %0 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %4 = stablehlo.reshape %3 : (tensor<1x2xui32>) -> tensor<2xui32>
    %5 = stablehlo.slice %arg13 [0:1, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x16xf32>) -> tensor<16xf32>
    %7 = stablehlo.multiply %arg10, %arg10 : tensor<4x8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<4x8x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<4x8x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<4x8x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %16 = stablehlo.multiply %arg10, %15 : tensor<4x8x16xf32>
    %17 = stablehlo.broadcast_in_dim %6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<4x8x16xf32>
    %20 = stablehlo.dot_general %arg12, %19, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
    %21 = stablehlo.transpose %20, dims = [0, 3, 4, 1, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x8x2x8xf32>
    %22 = stablehlo.slice %21 [0:1, 0:4, 0:8, 0:2, 0:8] : (tensor<3x4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x4x8x2x8xf32>) -> tensor<4x8x2x8xf32>
    %24 = stablehlo.slice %21 [1:2, 0:4, 0:8, 0:2, 0:8] : (tensor<3x4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x4x8x2x8xf32>) -> tensor<4x8x2x8xf32>
    %26 = stablehlo.slice %21 [2:3, 0:4, 0:8, 0:2, 0:8] : (tensor<3x4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %27 = stablehlo.reshape %26 : (tensor<1x4x8x2x8xf32>) -> tensor<4x8x2x8xf32>
    %28 = stablehlo.dot_general %23, %25, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x8x2x8xf32>, tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %30 = stablehlo.multiply %28, %29 : tensor<4x2x8x8xf32>
    %31 = call @_where_10(%30, %arg6, %arg7) : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_3) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x2x8xf32>
    %34 = stablehlo.maximum %33, %32 : tensor<4x2x8xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
    %37 = stablehlo.subtract %31, %36 : tensor<4x2x8x8xf32>
    %38 = stablehlo.exponential %37 : tensor<4x2x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
    %42 = stablehlo.divide %38, %41 : tensor<4x2x8x8xf32>
    %43 = call @_bernoulli_11(%2, %arg3, %arg4, %arg5) : (tensor<2xui32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<f32>) -> tensor<4x2x8x8xi1>
    %cst_6 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %45 = stablehlo.divide %42, %44 : tensor<4x2x8x8xf32>
    %46 = call @_where_15(%43, %45, %arg8) : (tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %47 = sdy.sharding_constraint %46 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<4x2x8x8xf32>
    %48 = stablehlo.dot_general %27, %47, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x8x2x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %49 = stablehlo.dot_general %48, %arg11, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
    %50 = stablehlo.add %arg10, %49 : tensor<4x8x16xf32>
    %51 = stablehlo.slice %arg13 [1:2, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
    %52 = stablehlo.reshape %51 : (tensor<1x16xf32>) -> tensor<16xf32>
    %53 = stablehlo.multiply %50, %50 : tensor<4x8x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_8 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %57 = stablehlo.divide %55, %56 : tensor<4x8x1xf32>
    %cst_9 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %59 = stablehlo.add %57, %58 : tensor<4x8x1xf32>
    %60 = stablehlo.rsqrt %59 : tensor<4x8x1xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %62 = stablehlo.multiply %50, %61 : tensor<4x8x16xf32>
    %63 = stablehlo.broadcast_in_dim %52, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %65 = stablehlo.multiply %62, %64 : tensor<4x8x16xf32>
    %66 = stablehlo.dot_general %65, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
    %67 = stablehlo.multiply %66, %66 : tensor<4x8x32xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<4x8x32xf32>
    %cst_10 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<4x8x32xf32>
    %71 = stablehlo.add %66, %70 : tensor<4x8x32xf32>
    %cst_11 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %73 = stablehlo.multiply %72, %71 : tensor<4x8x32xf32>
    %74 = stablehlo.tanh %73 : tensor<4x8x32xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %76 = stablehlo.add %75, %74 : tensor<4x8x32xf32>
    %cst_13 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %78 = stablehlo.multiply %77, %76 : tensor<4x8x32xf32>
    %79 = stablehlo.multiply %66, %78 : tensor<4x8x32xf32>
    %80 = sdy.sharding_constraint %79 <@mesh, [{"data"}, {}, {"model"}]> : tensor<4x8x32xf32>
    %81 = stablehlo.dot_general %80, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
    %82 = call @_bernoulli_16(%4, %arg0, %arg1, %arg2) : (tensor<2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>) -> tensor<4x8x16xi1>
    %cst_14 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %84 = stablehlo.divide %81, %83 : tensor<4x8x16xf32>
    %85 = call @_where_20(%82, %84, %arg9) : (tensor<4x8x16xi1>, tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %86 = stablehlo.add %50, %85 : tensor<4x8x16xf32>
    return %86, %arg10 : tensor<4x8x16xf32>, tensor<4x8x16xf32>
  }
  func.func private @_where_10(%arg0: tensor<4x2x8x8xf32>, %arg1: tensor<4x2x8x8xi1>, %arg2: tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg2 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
    return %0 : tensor<4x2x8x8xf32>
  }
  func.func private @_bernoulli_11(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1x1xf32>, %arg2: tensor<1x1x1x1xf32>, %arg3: tensor<f32>) -> tensor<4x2x8x8xi1> {
    %0 = call @_uniform_12(%arg0, %arg1, %arg2) : (tensor<2xui32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xi1>
    return %2 : tensor<4x2x8x8xi1>
  }
  func.func private @_uniform_12(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1x1xf32>, %arg2: tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<4x2x8x8xui64>
    %5 = stablehlo.iota dim = 1 : tensor<4x2x8x8xui64>
    %6 = stablehlo.iota dim = 2 : tensor<4x2x8x8xui64>
    %7 = stablehlo.iota dim = 3 : tensor<4x2x8x8xui64>
    %c = stablehlo.constant dense<128> : tensor<ui64>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %9 = stablehlo.multiply %8, %4 : tensor<4x2x8x8xui64>
    %c_0 = stablehlo.constant dense<64> : tensor<ui64>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %11 = stablehlo.multiply %10, %5 : tensor<4x2x8x8xui64>
    %c_1 = stablehlo.constant dense<8> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %13 = stablehlo.multiply %12, %6 : tensor<4x2x8x8xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %15 = stablehlo.multiply %14, %7 : tensor<4x2x8x8xui64>
    %16 = stablehlo.add %9, %11 : tensor<4x2x8x8xui64>
    %17 = stablehlo.add %16, %13 : tensor<4x2x8x8xui64>
    %18 = stablehlo.add %17, %15 : tensor<4x2x8x8xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<4x2x8x8xui64>
    %21 = stablehlo.convert %18 : (tensor<4x2x8x8xui64>) -> tensor<4x2x8x8xui32>
    %22 = stablehlo.convert %20 : (tensor<4x2x8x8xui64>) -> tensor<4x2x8x8xui32>
    %23:2 = call @threefry2x32_13(%1, %3, %22, %21) : (tensor<ui32>, tensor<ui32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>) -> (tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>)
    %24 = stablehlo.xor %23#0, %23#1 : tensor<4x2x8x8xui32>
    %c_4 = stablehlo.constant dense<9> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %26 = stablehlo.shift_right_logical %24, %25 : tensor<4x2x8x8xui32>
    %c_5 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %28 = stablehlo.or %26, %27 : tensor<4x2x8x8xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<4x2x8x8xui32>) -> tensor<4x2x8x8xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<4x2x8x8xf32>
    %32 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32>
    %33 = stablehlo.multiply %31, %32 : tensor<4x2x8x8xf32>
    %34 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32>
    %35 = stablehlo.add %33, %34 : tensor<4x2x8x8xf32>
    %36 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32>
    %37 = stablehlo.maximum %36, %35 : tensor<4x2x8x8xf32>
    return %37 : tensor<4x2x8x8xf32>
  }
  func.func private @threefry2x32_13(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<4x2x8x8xui32>, %arg3: tensor<4x2x8x8xui32>) -> (tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<4x2x8x8xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<4x2x8x8xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_14(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>
  }
  func.func private @closed_call_14(%arg0: tensor<i32>, %arg1: tensor<4x2x8x8xui32>, %arg2: tensor<4x2x8x8xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<4x2x8x8xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<4x2x8x8xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<4x2x8x8xui32>
    %9 = stablehlo.or %5, %8 : tensor<4x2x8x8xui32>
    %10 = stablehlo.xor %3, %9 : tensor<4x2x8x8xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<4x2x8x8xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<4x2x8x8xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<4x2x8x8xui32>
    %19 = stablehlo.or %15, %18 : tensor<4x2x8x8xui32>
    %20 = stablehlo.xor %13, %19 : tensor<4x2x8x8xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<4x2x8x8xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<4x2x8x8xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<4x2x8x8xui32>
    %29 = stablehlo.or %25, %28 : tensor<4x2x8x8xui32>
    %30 = stablehlo.xor %23, %29 : tensor<4x2x8x8xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<4x2x8x8xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<4x2x8x8xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<4x2x8x8xui32>
    %39 = stablehlo.or %35, %38 : tensor<4x2x8x8xui32>
    %40 = stablehlo.xor %33, %39 : tensor<4x2x8x8xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %42 = stablehlo.add %33, %41 : tensor<4x2x8x8xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %44 = stablehlo.add %40, %43 : tensor<4x2x8x8xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %48 = stablehlo.add %44, %47 : tensor<4x2x8x8xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_15(%arg0: tensor<4x2x8x8xi1>, %arg1: tensor<4x2x8x8xf32>, %arg2: tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
    return %0 : tensor<4x2x8x8xf32>
  }
  func.func private @_bernoulli_16(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<1x1x1xf32>, %arg3: tensor<f32>) -> tensor<4x8x16xi1> {
    %0 = call @_uniform_17(%arg0, %arg1, %arg2) : (tensor<2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<4x8x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xi1>
    return %2 : tensor<4x8x16xi1>
  }
  func.func private @_uniform_17(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<1x1x1xf32>) -> tensor<4x8x16xf32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<4x8x16xui64>
    %5 = stablehlo.iota dim = 1 : tensor<4x8x16xui64>
    %6 = stablehlo.iota dim = 2 : tensor<4x8x16xui64>
    %c = stablehlo.constant dense<128> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %8 = stablehlo.multiply %7, %4 : tensor<4x8x16xui64>
    %c_0 = stablehlo.constant dense<16> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %10 = stablehlo.multiply %9, %5 : tensor<4x8x16xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %12 = stablehlo.multiply %11, %6 : tensor<4x8x16xui64>
    %13 = stablehlo.add %8, %10 : tensor<4x8x16xui64>
    %14 = stablehlo.add %13, %12 : tensor<4x8x16xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %16 = stablehlo.shift_right_logical %14, %15 : tensor<4x8x16xui64>
    %17 = stablehlo.convert %14 : (tensor<4x8x16xui64>) -> tensor<4x8x16xui32>
    %18 = stablehlo.convert %16 : (tensor<4x8x16xui64>) -> tensor<4x8x16xui32>
    %19:2 = call @threefry2x32_18(%1, %3, %18, %17) : (tensor<ui32>, tensor<ui32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>) -> (tensor<4x8x16xui32>, tensor<4x8x16xui32>)
    %20 = stablehlo.xor %19#0, %19#1 : tensor<4x8x16xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %22 = stablehlo.shift_right_logical %20, %21 : tensor<4x8x16xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %24 = stablehlo.or %22, %23 : tensor<4x8x16xui32>
    %25 = stablehlo.bitcast_convert %24 : (tensor<4x8x16xui32>) -> tensor<4x8x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %27 = stablehlo.subtract %25, %26 : tensor<4x8x16xf32>
    %28 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x8x16xf32>
    %29 = stablehlo.multiply %27, %28 : tensor<4x8x16xf32>
    %30 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x8x16xf32>
    %31 = stablehlo.add %29, %30 : tensor<4x8x16xf32>
    %32 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x8x16xf32>
    %33 = stablehlo.maximum %32, %31 : tensor<4x8x16xf32>
    return %33 : tensor<4x8x16xf32>
  }
  func.func private @threefry2x32_18(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<4x8x16xui32>, %arg3: tensor<4x8x16xui32>) -> (tensor<4x8x16xui32>, tensor<4x8x16xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<4x8x16xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<4x8x16xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_19(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<4x8x16xui32>, tensor<4x8x16xui32>
  }
  func.func private @closed_call_19(%arg0: tensor<i32>, %arg1: tensor<4x8x16xui32>, %arg2: tensor<4x8x16xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<4x8x16xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<4x8x16xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<4x8x16xui32>
    %9 = stablehlo.or %5, %8 : tensor<4x8x16xui32>
    %10 = stablehlo.xor %3, %9 : tensor<4x8x16xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<4x8x16xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<4x8x16xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<4x8x16xui32>
    %19 = stablehlo.or %15, %18 : tensor<4x8x16xui32>
    %20 = stablehlo.xor %13, %19 : tensor<4x8x16xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<4x8x16xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<4x8x16xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<4x8x16xui32>
    %29 = stablehlo.or %25, %28 : tensor<4x8x16xui32>
    %30 = stablehlo.xor %23, %29 : tensor<4x8x16xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<4x8x16xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<4x8x16xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<4x8x16xui32>
    %39 = stablehlo.or %35, %38 : tensor<4x8x16xui32>
    %40 = stablehlo.xor %33, %39 : tensor<4x8x16xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %42 = stablehlo.add %33, %41 : tensor<4x8x16xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %44 = stablehlo.add %40, %43 : tensor<4x8x16xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %48 = stablehlo.add %44, %47 : tensor<4x8x16xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_20(%arg0: tensor<4x8x16xi1>, %arg1: tensor<4x8x16xf32>, %arg2: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x8x16xi1>, tensor<4x8x16xf32>
    return %0 : tensor<4x8x16xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<4x8x16xf32>, %arg2: tensor<i32>) -> tensor<2x4x8x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<4x8x16xf32>) -> tensor<1x4x8x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x4x8x16xf32>, tensor<1x4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x8x16xf32>
    return %1 : tensor<2x4x8x16xf32>
  }
  func.func private @dynamic_index_in_dim_21(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<i32>) -> tensor<4x8x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 4, 8, 16] : (tensor<2x4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x8x16xf32>) -> tensor<4x8x16xf32>
    return %1 : tensor<4x8x16xf32>
  }
  func.func private @closed_call_22(%arg0: tensor<4x8x16xf32>, %arg1: tensor<4x8x16xf32>, %arg2: tensor<2x8x16xf32>, %arg3: tensor<16x3x2x8xf32>, %arg4: tensor<2x16xf32>, %arg5: tensor<16x32xf32>, %arg6: tensor<32x16xf32>, %arg7: tensor<2xui32>) -> (tensor<4x8x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<2x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>) {
    %0:8 = stablehlo.optimization_barrier %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg0 : tensor<4x8x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<2x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<2xui32>, tensor<4x8x16xf32>
    %1 = call @_threefry_split(%0#6) : (tensor<2xui32>) -> tensor<2x2xui32>
    %2 = stablehlo.slice %1 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %3 = stablehlo.reshape %2 : (tensor<1x2xui32>) -> tensor<2xui32>
    %4 = stablehlo.slice %1 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %5 = stablehlo.reshape %4 : (tensor<1x2xui32>) -> tensor<2xui32>
    %6 = stablehlo.slice %0#3 [0:1, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x16xf32>) -> tensor<16xf32>
    %8 = stablehlo.multiply %0#0, %0#0 : tensor<4x8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<4x8x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %14 = stablehlo.add %12, %13 : tensor<4x8x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<4x8x1xf32>
    %16 = stablehlo.divide %15, %14 : tensor<4x8x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %18 = stablehlo.multiply %17, %16 : tensor<4x8x1xf32>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %20 = stablehlo.multiply %0#0, %19 : tensor<4x8x16xf32>
    %21 = stablehlo.broadcast_in_dim %7, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %23 = stablehlo.multiply %20, %22 : tensor<4x8x16xf32>
    %24 = stablehlo.dot_general %0#2, %23, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
    %25 = stablehlo.transpose %24, dims = [0, 3, 4, 1, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x8x2x8xf32>
    %26 = stablehlo.slice %25 [0:1, 0:4, 0:8, 0:2, 0:8] : (tensor<3x4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %27 = stablehlo.reshape %26 : (tensor<1x4x8x2x8xf32>) -> tensor<4x8x2x8xf32>
    %28 = stablehlo.slice %25 [1:2, 0:4, 0:8, 0:2, 0:8] : (tensor<3x4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x4x8x2x8xf32>) -> tensor<4x8x2x8xf32>
    %30 = stablehlo.slice %25 [2:3, 0:4, 0:8, 0:2, 0:8] : (tensor<3x4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x4x8x2x8xf32>) -> tensor<4x8x2x8xf32>
    %32 = stablehlo.dot_general %27, %29, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x8x2x8xf32>, tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<4x2x8x8xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %35 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %36 = call @tril_23(%35) : (tensor<8x8xi1>) -> tensor<8x8xi1>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37:3 = call @_where_24(%36, %34, %cst_4) : (tensor<8x8xi1>, tensor<4x2x8x8xf32>, tensor<f32>) -> (tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>)
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %38 = stablehlo.reduce(%37#0 init: %cst_5) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x2x8xf32>
    %40 = stablehlo.maximum %39, %38 : tensor<4x2x8xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
    %43 = stablehlo.subtract %37#0, %42 : tensor<4x2x8x8xf32>
    %44 = stablehlo.exponential %43 : tensor<4x2x8x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
    %48 = stablehlo.divide %44, %47 : tensor<4x2x8x8xf32>
    %49 = stablehlo.multiply %46, %46 : tensor<4x2x8x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x2x8x1xf32>
    %51 = stablehlo.divide %50, %49 : tensor<4x2x8x1xf32>
    %cst_9 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %52 = call @_bernoulli_25(%3, %cst_9) : (tensor<2xui32>, tensor<f32>) -> tensor<4x2x8x8xi1>
    %cst_10 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %54 = stablehlo.divide %48, %53 : tensor<4x2x8x8xf32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %55:2 = call @_where_27(%52, %54, %c_11) : (tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<i32>) -> (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>)
    %56 = sdy.sharding_constraint %55#0 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<4x2x8x8xf32>
    %57 = stablehlo.dot_general %31, %56, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x8x2x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %58 = stablehlo.dot_general %57, %0#1, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
    %59 = stablehlo.add %0#0, %58 : tensor<4x8x16xf32>
    %60 = stablehlo.slice %0#3 [1:2, 0:16] : (tensor<2x16xf32>) -> tensor<1x16xf32>
    %61 = stablehlo.reshape %60 : (tensor<1x16xf32>) -> tensor<16xf32>
    %62 = stablehlo.multiply %59, %59 : tensor<4x8x16xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%62 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_13 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %66 = stablehlo.divide %64, %65 : tensor<4x8x1xf32>
    %cst_14 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %68 = stablehlo.add %66, %67 : tensor<4x8x1xf32>
    %69 = stablehlo.rsqrt %68 : tensor<4x8x1xf32>
    %70 = stablehlo.divide %69, %68 : tensor<4x8x1xf32>
    %cst_15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %72 = stablehlo.multiply %71, %70 : tensor<4x8x1xf32>
    %73 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %74 = stablehlo.multiply %59, %73 : tensor<4x8x16xf32>
    %75 = stablehlo.broadcast_in_dim %61, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %77 = stablehlo.multiply %74, %76 : tensor<4x8x16xf32>
    %78 = stablehlo.dot_general %77, %0#4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
    %79 = stablehlo.multiply %78, %78 : tensor<4x8x32xf32>
    %80 = stablehlo.multiply %79, %78 : tensor<4x8x32xf32>
    %81 = stablehlo.multiply %78, %78 : tensor<4x8x32xf32>
    %cst_16 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %83 = stablehlo.multiply %82, %81 : tensor<4x8x32xf32>
    %cst_17 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %85 = stablehlo.multiply %84, %80 : tensor<4x8x32xf32>
    %86 = stablehlo.add %78, %85 : tensor<4x8x32xf32>
    %cst_18 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %88 = stablehlo.multiply %87, %86 : tensor<4x8x32xf32>
    %89 = stablehlo.tanh %88 : tensor<4x8x32xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %91 = stablehlo.subtract %90, %89 : tensor<4x8x32xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %93 = stablehlo.add %92, %89 : tensor<4x8x32xf32>
    %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %95 = stablehlo.multiply %94, %93 : tensor<4x8x32xf32>
    %96 = stablehlo.multiply %78, %95 : tensor<4x8x32xf32>
    %97 = sdy.sharding_constraint %96 <@mesh, [{"data"}, {}, {"model"}]> : tensor<4x8x32xf32>
    %cst_22 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %98 = call @_bernoulli_28(%5, %cst_22) : (tensor<2xui32>, tensor<f32>) -> tensor<4x8x16xi1>
    %99 = call @_where_30(%98) : (tensor<4x8x16xi1>) -> tensor<4x8x16xf32>
    %100 = call @_where_31(%98, %99, %0#7) : (tensor<4x8x16xi1>, tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %102 = stablehlo.divide %100, %101 : tensor<4x8x16xf32>
    %103 = stablehlo.dot_general %102, %97, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
    %104 = stablehlo.transpose %103, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %105 = stablehlo.dot_general %102, %0#5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
    %106 = sdy.sharding_constraint %105 <@mesh, [{"data"}, {}, {"model"}]> : tensor<4x8x32xf32>
    %107 = stablehlo.multiply %78, %106 : tensor<4x8x32xf32>
    %108 = stablehlo.multiply %106, %95 : tensor<4x8x32xf32>
    %cst_24 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %110 = stablehlo.multiply %109, %107 : tensor<4x8x32xf32>
    %111 = stablehlo.multiply %110, %91 : tensor<4x8x32xf32>
    %112 = stablehlo.multiply %111, %89 : tensor<4x8x32xf32>
    %113 = stablehlo.add %111, %112 : tensor<4x8x32xf32>
    %cst_25 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<4x8x32xf32>
    %116 = stablehlo.add %108, %115 : tensor<4x8x32xf32>
    %cst_26 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %118 = stablehlo.multiply %117, %115 : tensor<4x8x32xf32>
    %119 = stablehlo.multiply %118, %83 : tensor<4x8x32xf32>
    %120 = stablehlo.add %116, %119 : tensor<4x8x32xf32>
    %121 = stablehlo.dot_general %120, %77, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
    %122 = stablehlo.transpose %121, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %123 = stablehlo.dot_general %120, %0#4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
    %124 = stablehlo.multiply %74, %123 : tensor<4x8x16xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %126 = stablehlo.reshape %125 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %127 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %128 = stablehlo.multiply %123, %127 : tensor<4x8x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%126 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %130 = stablehlo.multiply %59, %128 : tensor<4x8x16xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%130 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %132 = stablehlo.reshape %131 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %133 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %134 = stablehlo.multiply %128, %133 : tensor<4x8x16xf32>
    %135 = stablehlo.add %0#7, %134 : tensor<4x8x16xf32>
    %136 = stablehlo.multiply %132, %72 : tensor<4x8x1xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %138 = stablehlo.divide %136, %137 : tensor<4x8x1xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%138 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x16xf32>
    %141 = stablehlo.multiply %59, %140 : tensor<4x8x16xf32>
    %142 = stablehlo.add %135, %141 : tensor<4x8x16xf32>
    %143 = stablehlo.multiply %140, %59 : tensor<4x8x16xf32>
    %144 = stablehlo.add %142, %143 : tensor<4x8x16xf32>
    %145 = stablehlo.broadcast_in_dim %129, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.pad %145, %cst_32, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<2x16xf32>
    %147 = stablehlo.dot_general %144, %57, contracting_dims = [0, 1] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
    %148 = stablehlo.transpose %147, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
    %149 = stablehlo.dot_general %144, %0#1, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
    %150 = stablehlo.transpose %149, dims = [0, 2, 3, 1] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %151 = stablehlo.dot_general %150, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %152 = stablehlo.dot_general %150, %56, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %153 = stablehlo.transpose %152, dims = [0, 3, 1, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x8x2x8xf32>
    %154 = sdy.sharding_constraint %151 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<4x2x8x8xf32>
    %155 = call @_where_32(%52, %55#1, %154) : (tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %cst_33 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %157 = stablehlo.divide %155, %156 : tensor<4x2x8x8xf32>
    %158 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
    %159 = stablehlo.multiply %157, %158 : tensor<4x2x8x8xf32>
    %160 = stablehlo.multiply %159, %44 : tensor<4x2x8x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.reduce(%160 init: %cst_34) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
    %162 = stablehlo.reshape %161 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
    %163 = stablehlo.negate %162 : tensor<4x2x8x1xf32>
    %164 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
    %165 = stablehlo.divide %157, %164 : tensor<4x2x8x8xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%163 init: %cst_35) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
    %168 = stablehlo.add %165, %167 : tensor<4x2x8x8xf32>
    %169 = stablehlo.multiply %168, %44 : tensor<4x2x8x8xf32>
    %170 = call @_where_33(%37#1, %37#2, %169) : (tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %cst_36 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %172 = stablehlo.multiply %170, %171 : tensor<4x2x8x8xf32>
    %173 = stablehlo.dot_general %172, %27, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %174 = stablehlo.transpose %173, dims = [0, 2, 1, 3] : (tensor<4x2x8x8xf32>) -> tensor<4x8x2x8xf32>
    %175 = stablehlo.dot_general %172, %29, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %176 = stablehlo.transpose %175, dims = [0, 2, 1, 3] : (tensor<4x2x8x8xf32>) -> tensor<4x8x2x8xf32>
    %177 = stablehlo.broadcast_in_dim %153, dims = [1, 2, 3, 4] : (tensor<4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.pad %177, %cst_37, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x8x2x8xf32>, tensor<f32>) -> tensor<3x4x8x2x8xf32>
    %179 = stablehlo.broadcast_in_dim %174, dims = [1, 2, 3, 4] : (tensor<4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.pad %179, %cst_38, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x8x2x8xf32>, tensor<f32>) -> tensor<3x4x8x2x8xf32>
    %181 = stablehlo.add %178, %180 : tensor<3x4x8x2x8xf32>
    %182 = stablehlo.broadcast_in_dim %176, dims = [1, 2, 3, 4] : (tensor<4x8x2x8xf32>) -> tensor<1x4x8x2x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.pad %182, %cst_39, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x8x2x8xf32>, tensor<f32>) -> tensor<3x4x8x2x8xf32>
    %184 = stablehlo.add %181, %183 : tensor<3x4x8x2x8xf32>
    %185 = stablehlo.transpose %184, dims = [0, 3, 4, 1, 2] : (tensor<3x4x8x2x8xf32>) -> tensor<3x2x8x4x8xf32>
    %186 = stablehlo.dot_general %185, %0#2, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
    %187 = stablehlo.dot_general %185, %23, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
    %188 = stablehlo.transpose %187, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
    %189 = stablehlo.multiply %20, %186 : tensor<4x8x16xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.reduce(%189 init: %cst_40) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %191 = stablehlo.reshape %190 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %192 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %193 = stablehlo.multiply %186, %192 : tensor<4x8x16xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.reduce(%191 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %195 = stablehlo.multiply %0#0, %193 : tensor<4x8x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%195 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %197 = stablehlo.reshape %196 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %198 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %199 = stablehlo.multiply %193, %198 : tensor<4x8x16xf32>
    %200 = stablehlo.add %144, %199 : tensor<4x8x16xf32>
    %201 = stablehlo.multiply %197, %18 : tensor<4x8x1xf32>
    %cst_43 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %203 = stablehlo.divide %201, %202 : tensor<4x8x1xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.reduce(%203 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x16xf32>
    %206 = stablehlo.multiply %0#0, %205 : tensor<4x8x16xf32>
    %207 = stablehlo.add %200, %206 : tensor<4x8x16xf32>
    %208 = stablehlo.multiply %205, %0#0 : tensor<4x8x16xf32>
    %209 = stablehlo.add %207, %208 : tensor<4x8x16xf32>
    %210 = stablehlo.broadcast_in_dim %194, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %211 = stablehlo.pad %210, %cst_45, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<2x16xf32>
    %212 = stablehlo.add %146, %211 : tensor<2x16xf32>
    return %209, %148, %188, %212, %122, %104 : tensor<4x8x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<2x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>
  }
  func.func private @tril_23(%arg0: tensor<8x8xi1>) -> tensor<8x8xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<8x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %2 = stablehlo.add %0, %1 : tensor<8x8xi32>
    %3 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<8x8xi1>, tensor<8x8xi1>
    return %6 : tensor<8x8xi1>
  }
  func.func private @_where_24(%arg0: tensor<8x8xi1>, %arg1: tensor<4x2x8x8xf32>, %arg2: tensor<f32>) -> (tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    return %3, %1, %4 : tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
  }
  func.func private @_bernoulli_25(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<4x2x8x8xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_26(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x2x8x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xi1>
    return %2 : tensor<4x2x8x8xi1>
  }
  func.func private @_uniform_26(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4x2x8x8xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<4x2x8x8xui64>
    %9 = stablehlo.iota dim = 1 : tensor<4x2x8x8xui64>
    %10 = stablehlo.iota dim = 2 : tensor<4x2x8x8xui64>
    %11 = stablehlo.iota dim = 3 : tensor<4x2x8x8xui64>
    %c = stablehlo.constant dense<128> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %13 = stablehlo.multiply %12, %8 : tensor<4x2x8x8xui64>
    %c_0 = stablehlo.constant dense<64> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %15 = stablehlo.multiply %14, %9 : tensor<4x2x8x8xui64>
    %c_1 = stablehlo.constant dense<8> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %17 = stablehlo.multiply %16, %10 : tensor<4x2x8x8xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %19 = stablehlo.multiply %18, %11 : tensor<4x2x8x8xui64>
    %20 = stablehlo.add %13, %15 : tensor<4x2x8x8xui64>
    %21 = stablehlo.add %20, %17 : tensor<4x2x8x8xui64>
    %22 = stablehlo.add %21, %19 : tensor<4x2x8x8xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<4x2x8x8xui64>
    %24 = stablehlo.shift_right_logical %22, %23 : tensor<4x2x8x8xui64>
    %25 = stablehlo.convert %22 : (tensor<4x2x8x8xui64>) -> tensor<4x2x8x8xui32>
    %26 = stablehlo.convert %24 : (tensor<4x2x8x8xui64>) -> tensor<4x2x8x8xui32>
    %27:2 = call @threefry2x32_13(%5, %7, %26, %25) : (tensor<ui32>, tensor<ui32>, tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>) -> (tensor<4x2x8x8xui32>, tensor<4x2x8x8xui32>)
    %28 = stablehlo.xor %27#0, %27#1 : tensor<4x2x8x8xui32>
    %c_4 = stablehlo.constant dense<9> : tensor<ui32>
    %29 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %30 = stablehlo.shift_right_logical %28, %29 : tensor<4x2x8x8xui32>
    %c_5 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<4x2x8x8xui32>
    %32 = stablehlo.or %30, %31 : tensor<4x2x8x8xui32>
    %33 = stablehlo.bitcast_convert %32 : (tensor<4x2x8x8xui32>) -> tensor<4x2x8x8xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %35 = stablehlo.subtract %33, %34 : tensor<4x2x8x8xf32>
    %36 = stablehlo.subtract %3, %2 : tensor<1x1x1x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<4x2x8x8xf32>
    %39 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32>
    %40 = stablehlo.add %38, %39 : tensor<4x2x8x8xf32>
    %41 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x8x8xf32>
    %42 = stablehlo.maximum %41, %40 : tensor<4x2x8x8xf32>
    return %42 : tensor<4x2x8x8xf32>
  }
  func.func private @_where_27(%arg0: tensor<4x2x8x8xi1>, %arg1: tensor<4x2x8x8xf32>, %arg2: tensor<i32>) -> (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    return %2, %3 : tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>
  }
  func.func private @_bernoulli_28(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<4x8x16xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_29(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x8x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xi1>
    return %2 : tensor<4x8x16xi1>
  }
  func.func private @_uniform_29(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4x8x16xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<4x8x16xui64>
    %9 = stablehlo.iota dim = 1 : tensor<4x8x16xui64>
    %10 = stablehlo.iota dim = 2 : tensor<4x8x16xui64>
    %c = stablehlo.constant dense<128> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %12 = stablehlo.multiply %11, %8 : tensor<4x8x16xui64>
    %c_0 = stablehlo.constant dense<16> : tensor<ui64>
    %13 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %14 = stablehlo.multiply %13, %9 : tensor<4x8x16xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %16 = stablehlo.multiply %15, %10 : tensor<4x8x16xui64>
    %17 = stablehlo.add %12, %14 : tensor<4x8x16xui64>
    %18 = stablehlo.add %17, %16 : tensor<4x8x16xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<4x8x16xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<4x8x16xui64>
    %21 = stablehlo.convert %18 : (tensor<4x8x16xui64>) -> tensor<4x8x16xui32>
    %22 = stablehlo.convert %20 : (tensor<4x8x16xui64>) -> tensor<4x8x16xui32>
    %23:2 = call @threefry2x32_18(%5, %7, %22, %21) : (tensor<ui32>, tensor<ui32>, tensor<4x8x16xui32>, tensor<4x8x16xui32>) -> (tensor<4x8x16xui32>, tensor<4x8x16xui32>)
    %24 = stablehlo.xor %23#0, %23#1 : tensor<4x8x16xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %26 = stablehlo.shift_right_logical %24, %25 : tensor<4x8x16xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<4x8x16xui32>
    %28 = stablehlo.or %26, %27 : tensor<4x8x16xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<4x8x16xui32>) -> tensor<4x8x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<4x8x16xf32>
    %32 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x8x16xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<4x8x16xf32>
    %35 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x8x16xf32>
    %36 = stablehlo.add %34, %35 : tensor<4x8x16xf32>
    %37 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x8x16xf32>
    %38 = stablehlo.maximum %37, %36 : tensor<4x8x16xf32>
    return %38 : tensor<4x8x16xf32>
  }
  func.func private @_where_30(%arg0: tensor<4x8x16xi1>) -> tensor<4x8x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    return %0 : tensor<4x8x16xf32>
  }
  func.func private @_where_31(%arg0: tensor<4x8x16xi1>, %arg1: tensor<4x8x16xf32>, %arg2: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<4x8x16xi1>, tensor<4x8x16xf32>
    return %1 : tensor<4x8x16xf32>
  }
  func.func private @_where_32(%arg0: tensor<4x2x8x8xi1>, %arg1: tensor<4x2x8x8xf32>, %arg2: tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
    return %1 : tensor<4x2x8x8xf32>
  }
  func.func private @_where_33(%arg0: tensor<4x2x8x8xi1>, %arg1: tensor<4x2x8x8xf32>, %arg2: tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x8x8xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
    return %1 : tensor<4x2x8x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_34(%arg0: tensor<2x2x8x16xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<i32>) -> tensor<2x2x8x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<2x8x16xf32>) -> tensor<1x2x8x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x2x8x16xf32>
    return %1 : tensor<2x2x8x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_35(%arg0: tensor<2x16x3x2x8xf32>, %arg1: tensor<16x3x2x8xf32>, %arg2: tensor<i32>) -> tensor<2x16x3x2x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<16x3x2x8xf32>) -> tensor<1x16x3x2x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x16x3x2x8xf32>, tensor<1x16x3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x16x3x2x8xf32>
    return %1 : tensor<2x16x3x2x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_36(%arg0: tensor<2x2x16xf32>, %arg1: tensor<2x16xf32>, %arg2: tensor<i32>) -> tensor<2x2x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x16xf32>) -> tensor<1x2x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x2x16xf32>, tensor<1x2x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x2x16xf32>
    return %1 : tensor<2x2x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_37(%arg0: tensor<2x16x32xf32>, %arg1: tensor<16x32xf32>, %arg2: tensor<i32>) -> tensor<2x16x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x32xf32>) -> tensor<1x16x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x16x32xf32>, tensor<1x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x16x32xf32>
    return %1 : tensor<2x16x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_38(%arg0: tensor<2x32x16xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<i32>) -> tensor<2x32x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<32x16xf32>) -> tensor<1x32x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x32x16xf32>, tensor<1x32x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x16xf32>
    return %1 : tensor<2x32x16xf32>
  }
}
