module @jit_fsdp_layers_in_a_loop attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<6x128x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<6x128x128xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x64x128xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x64x128xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x64x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:6 = stablehlo.while(%iterArg = %arg1, %iterArg_8 = %c, %iterArg_9 = %arg0, %iterArg_10 = %0, %iterArg_11 = %1, %iterArg_12 = %2) : tensor<6x128x128xf32>, tensor<i32>, tensor<64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>
    cond {
      %c_13 = stablehlo.constant dense<6> : tensor<i32>
      %13 = stablehlo.compare LT, %iterArg_8, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %13 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_8) : (tensor<6x128x128xf32>, tensor<i32>) -> tensor<128x128xf32>
      %14:4 = func.call @closed_call(%iterArg_9, %13) : (tensor<64x128xf32>, tensor<128x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>)
      %15 = func.call @dynamic_update_index_in_dim(%iterArg_10, %14#1, %iterArg_8) : (tensor<6x64x128xf32>, tensor<64x128xf32>, tensor<i32>) -> tensor<6x64x128xf32>
      %16 = func.call @dynamic_update_index_in_dim_0(%iterArg_11, %14#2, %iterArg_8) : (tensor<6x64x128xf32>, tensor<64x128xf32>, tensor<i32>) -> tensor<6x64x128xf32>
      %17 = func.call @dynamic_update_index_in_dim_0(%iterArg_12, %14#3, %iterArg_8) : (tensor<6x64x128xf32>, tensor<64x128xf32>, tensor<i32>) -> tensor<6x64x128xf32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.add %iterArg_8, %c_13 : tensor<i32>
      stablehlo.return %iterArg, %18, %14#0, %15, %16, %17 : tensor<6x128x128xf32>, tensor<i32>, tensor<64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>
    }
    %4 = stablehlo.multiply %3#2, %3#2 : tensor<64x128xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %6 = stablehlo.multiply %5, %3#2 : tensor<64x128xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %10 = stablehlo.multiply %9, %6 : tensor<64x128xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x128x128xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %12:7 = stablehlo.while(%iterArg = %arg1, %iterArg_8 = %3#3, %iterArg_9 = %3#4, %iterArg_10 = %3#5, %iterArg_11 = %c_7, %iterArg_12 = %10, %iterArg_13 = %11) : tensor<6x128x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<i32>, tensor<64x128xf32>, tensor<6x128x128xf32>
    cond {
      %c_14 = stablehlo.constant dense<6> : tensor<i32>
      %13 = stablehlo.compare LT, %iterArg_11, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_14 = stablehlo.constant dense<6> : tensor<i32>
      %13 = stablehlo.subtract %c_14, %iterArg_11 : tensor<i32>
      %c_15 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.subtract %13, %c_15 : tensor<i32>
      %15 = func.call @dynamic_index_in_dim(%iterArg, %14) : (tensor<6x128x128xf32>, tensor<i32>) -> tensor<128x128xf32>
      %16 = func.call @dynamic_index_in_dim_1(%iterArg_8, %14) : (tensor<6x64x128xf32>, tensor<i32>) -> tensor<64x128xf32>
      %17 = func.call @dynamic_index_in_dim_2(%iterArg_9, %14) : (tensor<6x64x128xf32>, tensor<i32>) -> tensor<64x128xf32>
      %18 = func.call @dynamic_index_in_dim_2(%iterArg_10, %14) : (tensor<6x64x128xf32>, tensor<i32>) -> tensor<64x128xf32>
      %19:2 = func.call @closed_call_3(%iterArg_12, %15, %16, %17, %18) : (tensor<64x128xf32>, tensor<128x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<128x128xf32>)
      %20 = func.call @dynamic_update_index_in_dim_4(%iterArg_13, %19#1, %14) : (tensor<6x128x128xf32>, tensor<128x128xf32>, tensor<i32>) -> tensor<6x128x128xf32>
      %c_16 = stablehlo.constant dense<1> : tensor<i32>
      %21 = stablehlo.add %iterArg_11, %c_16 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_8, %iterArg_9, %iterArg_10, %21, %19#0, %20 : tensor<6x128x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<i32>, tensor<64x128xf32>, tensor<6x128x128xf32>
    }
    return %12#6 : tensor<6x128x128xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x128x128xf32>, %arg1: tensor<i32>) -> tensor<128x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 128, 128] : (tensor<6x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x128xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x128x128xf32>) -> tensor<128x128xf32>
    return %1 : tensor<128x128xf32>
  }
  func.func private @closed_call(%arg0: tensor<64x128xf32>, %arg1: tensor<128x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    %1 = stablehlo.tanh %0 : tensor<64x128xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<64x128xf32>
    return %1, %arg0, %1, %3 : tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<i32>) -> tensor<6x64x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<64x128xf32>) -> tensor<1x64x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x64x128xf32>, tensor<1x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x64x128xf32>
    return %1 : tensor<6x64x128xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<6x64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<i32>) -> tensor<6x64x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<64x128xf32>) -> tensor<1x64x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x64x128xf32>, tensor<1x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x64x128xf32>
    return %1 : tensor<6x64x128xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<6x64x128xf32>, %arg1: tensor<i32>) -> tensor<64x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 64, 128] : (tensor<6x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x128xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x64x128xf32>) -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<6x64x128xf32>, %arg1: tensor<i32>) -> tensor<64x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 64, 128] : (tensor<6x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x128xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x64x128xf32>) -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
  func.func private @closed_call_3(%arg0: tensor<64x128xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<64x128xf32>, %arg3: tensor<64x128xf32>, %arg4: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<128x128xf32>) {
    %0 = stablehlo.multiply %arg0, %arg4 : tensor<64x128xf32>
    %1 = stablehlo.multiply %0, %arg3 : tensor<64x128xf32>
    %2 = stablehlo.add %0, %1 : tensor<64x128xf32>
    %3 = stablehlo.dot_general %2, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %5 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    return %5, %4 : tensor<64x128xf32>, tensor<128x128xf32>
  }
  func.func private @dynamic_update_index_in_dim_4(%arg0: tensor<6x128x128xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<i32>) -> tensor<6x128x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<128x128xf32>) -> tensor<1x128x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x128x128xf32>, tensor<1x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x128x128xf32>
    return %1 : tensor<6x128x128xf32>
  }
}
