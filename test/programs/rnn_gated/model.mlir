module @jit_rnn_gated attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg1: tensor<3x5x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg2: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg3: tensor<6x8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>}, %arg4: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<3x8xf32> {jax.result_info = "result[0]['bias']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<3x5x8xf32> {jax.result_info = "result[0]['input']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, tensor<3x8x8xf32> {jax.result_info = "result[0]['recurrent']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %1 = stablehlo.iota dim = 0 : tensor<6xi32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<3x8xf32>) -> tensor<3x1x8xf32>
    call @_where() : () -> ()
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x8x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x2x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x8x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x8x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x8x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x8x8xf32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<6x8x8xi1>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %12:17 = stablehlo.while(%iterArg = %1, %iterArg_22 = %arg3, %iterArg_23 = %arg4, %iterArg_24 = %arg1, %iterArg_25 = %2, %iterArg_26 = %arg2, %iterArg_27 = %c_8, %iterArg_28 = %0, %iterArg_29 = %3, %iterArg_30 = %4, %iterArg_31 = %5, %iterArg_32 = %6, %iterArg_33 = %7, %iterArg_34 = %8, %iterArg_35 = %9, %iterArg_36 = %10, %iterArg_37 = %11) : tensor<6xi32>, tensor<6x8x5xf32>, tensor<8xi32>, tensor<3x5x8xf32>, tensor<3x1x8xf32>, tensor<3x8x8xf32>, tensor<i32>, tensor<8x8xf32>, tensor<6x8x8xf32>, tensor<6x2x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xi1>
    cond {
      %c_38 = stablehlo.constant dense<6> : tensor<i32>
      %35 = stablehlo.compare LT, %iterArg_27, %c_38, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %35 : tensor<i1>
    } do {
      %35 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_27) : (tensor<6xi32>, tensor<i32>) -> tensor<i32>
      %36 = func.call @dynamic_index_in_dim_0(%iterArg_22, %iterArg_27) : (tensor<6x8x5xf32>, tensor<i32>) -> tensor<8x5xf32>
      %37:10 = func.call @closed_call(%iterArg_23, %iterArg_24, %iterArg_25, %iterArg_26, %iterArg_28, %35, %36) : (tensor<8xi32>, tensor<3x5x8xf32>, tensor<3x1x8xf32>, tensor<3x8x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<8x5xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>)
      %38 = func.call @dynamic_update_index_in_dim(%iterArg_29, %37#1, %iterArg_27) : (tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<6x8x8xf32>
      %39 = func.call @dynamic_update_index_in_dim_2(%iterArg_30, %37#2, %iterArg_27) : (tensor<6x2x8x8xf32>, tensor<2x8x8xf32>, tensor<i32>) -> tensor<6x2x8x8xf32>
      %40 = func.call @dynamic_update_index_in_dim(%iterArg_31, %37#3, %iterArg_27) : (tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<6x8x8xf32>
      %41 = func.call @dynamic_update_index_in_dim(%iterArg_32, %37#4, %iterArg_27) : (tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<6x8x8xf32>
      %42 = func.call @dynamic_update_index_in_dim(%iterArg_33, %37#5, %iterArg_27) : (tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<6x8x8xf32>
      %43 = func.call @dynamic_update_index_in_dim(%iterArg_34, %37#6, %iterArg_27) : (tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<6x8x8xf32>
      %44 = func.call @dynamic_update_index_in_dim(%iterArg_35, %37#7, %iterArg_27) : (tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<6x8x8xf32>
      %45 = func.call @dynamic_update_index_in_dim(%iterArg_36, %37#8, %iterArg_27) : (tensor<6x8x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<6x8x8xf32>
      %46 = func.call @dynamic_update_index_in_dim_3(%iterArg_37, %37#9, %iterArg_27) : (tensor<6x8x8xi1>, tensor<8x8xi1>, tensor<i32>) -> tensor<6x8x8xi1>
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %47 = stablehlo.add %iterArg_27, %c_38 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_22, %iterArg_23, %iterArg_24, %iterArg_25, %iterArg_26, %47, %37#0, %38, %39, %40, %41, %42, %43, %44, %45, %46 : tensor<6xi32>, tensor<6x8x5xf32>, tensor<8xi32>, tensor<3x5x8xf32>, tensor<3x1x8xf32>, tensor<3x8x8xf32>, tensor<i32>, tensor<8x8xf32>, tensor<6x8x8xf32>, tensor<6x2x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xi1>
    }
    %13 = stablehlo.multiply %12#7, %12#7 : tensor<8x8xf32>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %15 = stablehlo.multiply %14, %12#7 : tensor<8x8xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%13 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %17 = stablehlo.divide %16, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_14 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %19 = stablehlo.divide %cst_12, %cst_14 : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %21 = stablehlo.multiply %20, %15 : tensor<8x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3x5x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %25:16 = stablehlo.while(%iterArg = %arg3, %iterArg_22 = %12#8, %iterArg_23 = %12#9, %iterArg_24 = %12#10, %iterArg_25 = %12#11, %iterArg_26 = %12#12, %iterArg_27 = %12#13, %iterArg_28 = %12#14, %iterArg_29 = %12#15, %iterArg_30 = %12#16, %iterArg_31 = %arg2, %iterArg_32 = %c_18, %iterArg_33 = %22, %iterArg_34 = %23, %iterArg_35 = %24, %iterArg_36 = %21) : tensor<6x8x5xf32>, tensor<6x8x8xf32>, tensor<6x2x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xi1>, tensor<3x8x8xf32>, tensor<i32>, tensor<3x5x8xf32>, tensor<3x8xf32>, tensor<3x8x8xf32>, tensor<8x8xf32>
    cond {
      %c_37 = stablehlo.constant dense<6> : tensor<i32>
      %35 = stablehlo.compare LT, %iterArg_32, %c_37, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %35 : tensor<i1>
    } do {
      %c_37 = stablehlo.constant dense<6> : tensor<i32>
      %35 = stablehlo.subtract %c_37, %iterArg_32 : tensor<i32>
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %36 = stablehlo.subtract %35, %c_38 : tensor<i32>
      %37 = func.call @dynamic_index_in_dim_0(%iterArg, %36) : (tensor<6x8x5xf32>, tensor<i32>) -> tensor<8x5xf32>
      %38 = func.call @dynamic_index_in_dim_4(%iterArg_22, %36) : (tensor<6x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %39 = func.call @dynamic_index_in_dim_5(%iterArg_23, %36) : (tensor<6x2x8x8xf32>, tensor<i32>) -> tensor<2x8x8xf32>
      %40 = func.call @dynamic_index_in_dim_4(%iterArg_24, %36) : (tensor<6x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %41 = func.call @dynamic_index_in_dim_4(%iterArg_25, %36) : (tensor<6x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %42 = func.call @dynamic_index_in_dim_4(%iterArg_26, %36) : (tensor<6x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %43 = func.call @dynamic_index_in_dim_4(%iterArg_27, %36) : (tensor<6x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %44 = func.call @dynamic_index_in_dim_4(%iterArg_28, %36) : (tensor<6x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %45 = func.call @dynamic_index_in_dim_4(%iterArg_29, %36) : (tensor<6x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %46 = func.call @dynamic_index_in_dim_6(%iterArg_30, %36) : (tensor<6x8x8xi1>, tensor<i32>) -> tensor<8x8xi1>
      %47:4 = func.call @closed_call_7(%iterArg_31, %iterArg_33, %iterArg_34, %iterArg_35, %iterArg_36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46) : (tensor<3x8x8xf32>, tensor<3x5x8xf32>, tensor<3x8xf32>, tensor<3x8x8xf32>, tensor<8x8xf32>, tensor<8x5xf32>, tensor<8x8xf32>, tensor<2x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>) -> (tensor<3x5x8xf32>, tensor<3x8xf32>, tensor<3x8x8xf32>, tensor<8x8xf32>)
      %c_39 = stablehlo.constant dense<1> : tensor<i32>
      %48 = stablehlo.add %iterArg_32, %c_39 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_22, %iterArg_23, %iterArg_24, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %iterArg_31, %48, %47#0, %47#1, %47#2, %47#3 : tensor<6x8x5xf32>, tensor<6x8x8xf32>, tensor<6x2x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xf32>, tensor<6x8x8xi1>, tensor<3x8x8xf32>, tensor<i32>, tensor<3x5x8xf32>, tensor<3x8xf32>, tensor<3x8x8xf32>, tensor<8x8xf32>
    }
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %27 = stablehlo.multiply %26, %25#13 : tensor<3x8xf32>
    %28 = stablehlo.subtract %arg0, %27 : tensor<3x8xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3x5x8xf32>
    %30 = stablehlo.multiply %29, %25#12 : tensor<3x5x8xf32>
    %31 = stablehlo.subtract %arg1, %30 : tensor<3x5x8xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %33 = stablehlo.multiply %32, %25#14 : tensor<3x8x8xf32>
    %34 = stablehlo.subtract %arg2, %33 : tensor<3x8x8xf32>
    return %28, %31, %34, %17 : tensor<3x8xf32>, tensor<3x5x8xf32>, tensor<3x8x8xf32>, tensor<f32>
  }
  func.func private @_where() {
    return
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<6xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<6x8x5xf32>, %arg1: tensor<i32>) -> tensor<8x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 5] : (tensor<6x8x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x5xf32>) -> tensor<8x5xf32>
    return %1 : tensor<8x5xf32>
  }
  func.func private @closed_call(%arg0: tensor<8xi32>, %arg1: tensor<3x5x8xf32>, %arg2: tensor<3x1x8xf32>, %arg3: tensor<3x8x8xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<i32>, %arg6: tensor<8x5xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>) {
    %0 = stablehlo.dot_general %arg1, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x5x8xf32>, tensor<8x5xf32>) -> tensor<3x8x8xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<3x1x8xf32>) -> tensor<3x8x8xf32>
    %3 = stablehlo.add %1, %2 : tensor<3x8x8xf32>
    %4 = stablehlo.dot_general %arg3, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x8x8xf32>, tensor<8x8xf32>) -> tensor<3x8x8xf32>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1] : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    %6 = stablehlo.slice %3 [0:2, 0:8, 0:8] : (tensor<3x8x8xf32>) -> tensor<2x8x8xf32>
    %7 = stablehlo.slice %5 [0:2, 0:8, 0:8] : (tensor<3x8x8xf32>) -> tensor<2x8x8xf32>
    %8 = stablehlo.add %6, %7 : tensor<2x8x8xf32>
    %9 = stablehlo.negate %8 : tensor<2x8x8xf32>
    %10 = stablehlo.exponential %9 : tensor<2x8x8xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x8xf32>
    %12 = stablehlo.add %11, %10 : tensor<2x8x8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x8x8xf32>
    %14 = stablehlo.divide %13, %12 : tensor<2x8x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x8x8xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<2x8x8xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<2x8x8xf32>
    %18 = stablehlo.slice %14 [0:1, 0:8, 0:8] : (tensor<2x8x8xf32>) -> tensor<1x8x8xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %20 = stablehlo.slice %14 [1:2, 0:8, 0:8] : (tensor<2x8x8xf32>) -> tensor<1x8x8xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %23 = stablehlo.subtract %22, %21 : tensor<8x8xf32>
    %24 = stablehlo.slice %3 [2:3, 0:8, 0:8] : (tensor<3x8x8xf32>) -> tensor<1x8x8xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %26 = stablehlo.slice %5 [2:3, 0:8, 0:8] : (tensor<3x8x8xf32>) -> tensor<1x8x8xf32>
    %27 = stablehlo.reshape %26 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %28 = stablehlo.multiply %19, %27 : tensor<8x8xf32>
    %29 = stablehlo.add %25, %28 : tensor<8x8xf32>
    %30 = stablehlo.tanh %29 : tensor<8x8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %32 = stablehlo.subtract %31, %30 : tensor<8x8xf32>
    %33 = stablehlo.multiply %23, %30 : tensor<8x8xf32>
    %34 = stablehlo.multiply %21, %arg4 : tensor<8x8xf32>
    %35 = stablehlo.add %33, %34 : tensor<8x8xf32>
    %36 = sdy.sharding_constraint %35 <@mesh, [{"data"}, {"model"}]> : tensor<8x8xf32>
    %37 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %38 = stablehlo.compare LT, %37, %arg0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<8xi1>) -> tensor<8x1xi1>
    %40:2 = call @_where_1(%39, %36, %arg4) : (tensor<8x1xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xi1>)
    return %40#0, %arg4, %17, %27, %19, %30, %32, %23, %21, %40#1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>
  }
  func.func private @_where_1(%arg0: tensor<8x1xi1>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xi1>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<8x1xi1>) -> tensor<8x8xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<8x8xi1>, tensor<8x8xf32>
    return %1, %0 : tensor<8x8xf32>, tensor<8x8xi1>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x8x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<i32>) -> tensor<6x8x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x8x8xf32>
    return %1 : tensor<6x8x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_2(%arg0: tensor<6x2x8x8xf32>, %arg1: tensor<2x8x8xf32>, %arg2: tensor<i32>) -> tensor<6x2x8x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<2x8x8xf32>) -> tensor<1x2x8x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<6x2x8x8xf32>, tensor<1x2x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x2x8x8xf32>
    return %1 : tensor<6x2x8x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_3(%arg0: tensor<6x8x8xi1>, %arg1: tensor<8x8xi1>, %arg2: tensor<i32>) -> tensor<6x8x8xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x8xi1>) -> tensor<1x8x8xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x8x8xi1>, tensor<1x8x8xi1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x8x8xi1>
    return %1 : tensor<6x8x8xi1>
  }
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<6x8x8xf32>, %arg1: tensor<i32>) -> tensor<8x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 8] : (tensor<6x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<6x2x8x8xf32>, %arg1: tensor<i32>) -> tensor<2x8x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 2, 8, 8] : (tensor<6x2x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x8x8xf32>) -> tensor<2x8x8xf32>
    return %1 : tensor<2x8x8xf32>
  }
  func.func private @dynamic_index_in_dim_6(%arg0: tensor<6x8x8xi1>, %arg1: tensor<i32>) -> tensor<8x8xi1> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 8] : (tensor<6x8x8xi1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xi1>
    %1 = stablehlo.reshape %0 : (tensor<1x8x8xi1>) -> tensor<8x8xi1>
    return %1 : tensor<8x8xi1>
  }
  func.func private @closed_call_7(%arg0: tensor<3x8x8xf32>, %arg1: tensor<3x5x8xf32>, %arg2: tensor<3x8xf32>, %arg3: tensor<3x8x8xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<8x5xf32>, %arg6: tensor<8x8xf32>, %arg7: tensor<2x8x8xf32>, %arg8: tensor<8x8xf32>, %arg9: tensor<8x8xf32>, %arg10: tensor<8x8xf32>, %arg11: tensor<8x8xf32>, %arg12: tensor<8x8xf32>, %arg13: tensor<8x8xf32>, %arg14: tensor<8x8xi1>) -> (tensor<3x5x8xf32>, tensor<3x8xf32>, tensor<3x8x8xf32>, tensor<8x8xf32>) {
    %0:2 = call @_where_8(%arg14, %arg4) : (tensor<8x8xi1>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    %1 = sdy.sharding_constraint %0#0 <@mesh, [{"data"}, {"model"}]> : tensor<8x8xf32>
    %2 = stablehlo.multiply %arg13, %1 : tensor<8x8xf32>
    %3 = stablehlo.add %0#1, %2 : tensor<8x8xf32>
    %4 = stablehlo.multiply %1, %arg6 : tensor<8x8xf32>
    %5 = stablehlo.multiply %arg12, %1 : tensor<8x8xf32>
    %6 = stablehlo.multiply %1, %arg10 : tensor<8x8xf32>
    %7 = stablehlo.multiply %5, %arg11 : tensor<8x8xf32>
    %8 = stablehlo.multiply %7, %arg10 : tensor<8x8xf32>
    %9 = stablehlo.add %7, %8 : tensor<8x8xf32>
    %10 = stablehlo.multiply %arg9, %9 : tensor<8x8xf32>
    %11 = stablehlo.multiply %9, %arg8 : tensor<8x8xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.pad %12, %cst, low = [2, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x8x8xf32>, tensor<f32>) -> tensor<3x8x8xf32>
    %14 = stablehlo.broadcast_in_dim %9, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.pad %14, %cst_0, low = [2, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x8x8xf32>, tensor<f32>) -> tensor<3x8x8xf32>
    %16 = stablehlo.negate %6 : tensor<8x8xf32>
    %17 = stablehlo.add %4, %16 : tensor<8x8xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.pad %18, %cst_1, low = [1, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
    %20 = stablehlo.broadcast_in_dim %11, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.pad %20, %cst_2, low = [0, 0, 0], high = [1, 0, 0], interior = [0, 0, 0] : (tensor<1x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
    %22 = stablehlo.add %19, %21 : tensor<2x8x8xf32>
    %23 = stablehlo.multiply %22, %arg7 : tensor<2x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.pad %23, %cst_3, low = [0, 0, 0], high = [1, 0, 0], interior = [0, 0, 0] : (tensor<2x8x8xf32>, tensor<f32>) -> tensor<3x8x8xf32>
    %25 = stablehlo.add %13, %24 : tensor<3x8x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.pad %23, %cst_4, low = [0, 0, 0], high = [1, 0, 0], interior = [0, 0, 0] : (tensor<2x8x8xf32>, tensor<f32>) -> tensor<3x8x8xf32>
    %27 = stablehlo.add %15, %26 : tensor<3x8x8xf32>
    %28 = stablehlo.transpose %25, dims = [0, 2, 1] : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    %29 = stablehlo.dot_general %28, %arg0, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
    %30 = stablehlo.add %3, %29 : tensor<8x8xf32>
    %31 = stablehlo.dot_general %28, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8x8xf32>, tensor<8x8xf32>) -> tensor<3x8x8xf32>
    %32 = stablehlo.transpose %31, dims = [0, 2, 1] : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    %33 = stablehlo.add %arg3, %32 : tensor<3x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%27 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<3x8x8xf32>, tensor<f32>) -> tensor<3x8xf32>
    %35 = stablehlo.reshape %34 : (tensor<3x8xf32>) -> tensor<3x1x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<3x1x8xf32>, tensor<f32>) -> tensor<3x8xf32>
    %37 = stablehlo.add %arg2, %36 : tensor<3x8xf32>
    %38 = stablehlo.transpose %27, dims = [0, 2, 1] : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    %39 = stablehlo.dot_general %38, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8x8xf32>, tensor<8x5xf32>) -> tensor<3x8x5xf32>
    %40 = stablehlo.transpose %39, dims = [0, 2, 1] : (tensor<3x8x5xf32>) -> tensor<3x5x8xf32>
    %41 = stablehlo.add %arg1, %40 : tensor<3x5x8xf32>
    return %41, %37, %33, %30 : tensor<3x5x8xf32>, tensor<3x8xf32>, tensor<3x8x8xf32>, tensor<8x8xf32>
  }
  func.func private @_where_8(%arg0: tensor<8x8xi1>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %1 = stablehlo.select %arg0, %0, %arg1 : tensor<8x8xi1>, tensor<8x8xf32>
    %2 = stablehlo.select %arg0, %arg1, %0 : tensor<8x8xi1>, tensor<8x8xf32>
    return %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
