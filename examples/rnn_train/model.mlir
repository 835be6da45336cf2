module @jit_rnn_train attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg2: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg3: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg4: tensor<16x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>}, %arg5: tensor<16x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>}) -> (tensor<32xf32> {jax.result_info = "result[0]['bias']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, tensor<16x32xf32> {jax.result_info = "result[0]['input']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<32x8xf32> {jax.result_info = "result[0]['readout']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<32x32xf32> {jax.result_info = "result[0]['recurrent']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8x32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8x32xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x8x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6:10 = stablehlo.while(%iterArg = %arg4, %iterArg_19 = %arg1, %iterArg_20 = %arg3, %iterArg_21 = %1, %iterArg_22 = %c, %iterArg_23 = %0, %iterArg_24 = %2, %iterArg_25 = %3, %iterArg_26 = %4, %iterArg_27 = %5) : tensor<16x8x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>
    cond {
      %c_28 = stablehlo.constant dense<16> : tensor<i32>
      %38 = stablehlo.compare LT, %iterArg_22, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %38 : tensor<i1>
    } do {
      %38 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_22) : (tensor<16x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %39:5 = func.call @closed_call(%iterArg_19, %iterArg_20, %iterArg_21, %iterArg_23, %38) : (tensor<16x32xf32>, tensor<32x32xf32>, tensor<1x32xf32>, tensor<8x32xf32>, tensor<8x16xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>)
      %40 = func.call @dynamic_update_index_in_dim(%iterArg_24, %39#1, %iterArg_22) : (tensor<16x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<16x8x32xf32>
      %41 = func.call @dynamic_update_index_in_dim_0(%iterArg_25, %39#2, %iterArg_22) : (tensor<16x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<16x8x32xf32>
      %42 = func.call @dynamic_update_index_in_dim_0(%iterArg_26, %39#3, %iterArg_22) : (tensor<16x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<16x8x32xf32>
      %43 = func.call @dynamic_update_index_in_dim_0(%iterArg_27, %39#4, %iterArg_22) : (tensor<16x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<16x8x32xf32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %44 = stablehlo.add %iterArg_22, %c_28 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %iterArg_21, %44, %39#0, %40, %41, %42, %43 : tensor<16x8x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>
    }
    %7 = stablehlo.dot_general %6#6, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x32xf32>, tensor<32x8xf32>) -> tensor<16x8x8xf32>
    %8 = stablehlo.subtract %7, %arg5 : tensor<16x8x8xf32>
    %9 = stablehlo.multiply %8, %8 : tensor<16x8x8xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x8x8xf32>
    %11 = stablehlo.multiply %10, %8 : tensor<16x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%9 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<16x8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %13 = stablehlo.divide %12, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %15 = stablehlo.divide %cst_7, %cst_9 : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<16x8x8xf32>
    %17 = stablehlo.multiply %16, %11 : tensor<16x8x8xf32>
    %18 = stablehlo.dot_general %17, %6#6, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x8x8xf32>, tensor<16x8x32xf32>) -> tensor<8x32xf32>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %20 = stablehlo.dot_general %17, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x8x8xf32>, tensor<32x8xf32>) -> tensor<16x8x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %25:11 = stablehlo.while(%iterArg = %20, %iterArg_19 = %arg4, %iterArg_20 = %6#7, %iterArg_21 = %6#8, %iterArg_22 = %6#9, %iterArg_23 = %arg3, %iterArg_24 = %c_14, %iterArg_25 = %22, %iterArg_26 = %23, %iterArg_27 = %24, %iterArg_28 = %21) : tensor<16x8x32xf32>, tensor<16x8x16xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<32x32xf32>, tensor<i32>, tensor<16x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<8x32xf32>
    cond {
      %c_29 = stablehlo.constant dense<16> : tensor<i32>
      %38 = stablehlo.compare LT, %iterArg_24, %c_29, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %38 : tensor<i1>
    } do {
      %c_29 = stablehlo.constant dense<16> : tensor<i32>
      %38 = stablehlo.subtract %c_29, %iterArg_24 : tensor<i32>
      %c_30 = stablehlo.constant dense<1> : tensor<i32>
      %39 = stablehlo.subtract %38, %c_30 : tensor<i32>
      %40 = func.call @dynamic_index_in_dim_1(%iterArg, %39) : (tensor<16x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %41 = func.call @dynamic_index_in_dim(%iterArg_19, %39) : (tensor<16x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %42 = func.call @dynamic_index_in_dim_2(%iterArg_20, %39) : (tensor<16x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %43 = func.call @dynamic_index_in_dim_2(%iterArg_21, %39) : (tensor<16x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %44 = func.call @dynamic_index_in_dim_2(%iterArg_22, %39) : (tensor<16x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %45:4 = func.call @closed_call_3(%iterArg_23, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %40, %41, %42, %43, %44) : (tensor<32x32xf32>, tensor<16x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x16xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<16x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<8x32xf32>)
      %c_31 = stablehlo.constant dense<1> : tensor<i32>
      %46 = stablehlo.add %iterArg_24, %c_31 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %iterArg_21, %iterArg_22, %iterArg_23, %46, %45#0, %45#1, %45#2, %45#3 : tensor<16x8x32xf32>, tensor<16x8x16xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>, tensor<32x32xf32>, tensor<i32>, tensor<16x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<8x32xf32>
    }
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %27 = stablehlo.multiply %26, %25#9 : tensor<32xf32>
    %28 = stablehlo.subtract %arg0, %27 : tensor<32xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %30 = stablehlo.multiply %29, %25#7 : tensor<16x32xf32>
    %31 = stablehlo.subtract %arg1, %30 : tensor<16x32xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %33 = stablehlo.multiply %32, %19 : tensor<32x8xf32>
    %34 = stablehlo.subtract %arg2, %33 : tensor<32x8xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %36 = stablehlo.multiply %35, %25#8 : tensor<32x32xf32>
    %37 = stablehlo.subtract %arg3, %36 : tensor<32x32xf32>
    return %28, %31, %34, %37, %13 : tensor<32xf32>, tensor<16x32xf32>, tensor<32x8xf32>, tensor<32x32xf32>, tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<16x8x16xf32>, %arg1: tensor<i32>) -> tensor<8x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 16] : (tensor<16x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<1x32xf32>, %arg3: tensor<8x32xf32>, %arg4: tensor<8x16xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x32xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x32xf32>
    %5 = stablehlo.tanh %4 : tensor<8x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<8x32xf32>
    %8 = sdy.sharding_constraint %5 <@mesh, [{"data"}, {"model"}]> : tensor<8x32xf32>
    return %8, %8, %arg3, %5, %7 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<16x8x32xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<i32>) -> tensor<16x8x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<16x8x32xf32>, tensor<1x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x32xf32>
    return %1 : tensor<16x8x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<16x8x32xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<i32>) -> tensor<16x8x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<16x8x32xf32>, tensor<1x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x32xf32>
    return %1 : tensor<16x8x32xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<16x8x32xf32>, %arg1: tensor<i32>) -> tensor<8x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 32] : (tensor<16x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x32xf32>) -> tensor<8x32xf32>
    return %1 : tensor<8x32xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<16x8x32xf32>, %arg1: tensor<i32>) -> tensor<8x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 32] : (tensor<16x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x32xf32>) -> tensor<8x32xf32>
    return %1 : tensor<8x32xf32>
  }
  func.func private @closed_call_3(%arg0: tensor<32x32xf32>, %arg1: tensor<16x32xf32>, %arg2: tensor<32x32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<8x32xf32>, %arg5: tensor<8x32xf32>, %arg6: tensor<8x16xf32>, %arg7: tensor<8x32xf32>, %arg8: tensor<8x32xf32>, %arg9: tensor<8x32xf32>) -> (tensor<16x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<8x32xf32>) {
    %0 = stablehlo.add %arg4, %arg5 : tensor<8x32xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {"model"}]> : tensor<8x32xf32>
    %2 = stablehlo.multiply %1, %arg9 : tensor<8x32xf32>
    %3 = stablehlo.multiply %2, %arg8 : tensor<8x32xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %6 = stablehlo.reshape %5 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.add %arg3, %7 : tensor<32xf32>
    %9 = stablehlo.dot_general %4, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<32x32xf32>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %11 = stablehlo.add %arg2, %10 : tensor<32x32xf32>
    %12 = stablehlo.dot_general %4, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %13 = stablehlo.dot_general %4, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
    %14 = stablehlo.transpose %13, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %15 = stablehlo.add %arg1, %14 : tensor<16x32xf32>
    return %15, %11, %8, %12 : tensor<16x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<8x32xf32>
  }
}
