module @jit_control_flow attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg1: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<8x6xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<8x6xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<8xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"data"}, {}]> : tensor<8x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x6xf32>
    %5:3 = stablehlo.while(%iterArg = %0, %iterArg_5 = %0, %iterArg_6 = %4) : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
    cond {
      %10 = stablehlo.subtract %iterArg_5, %iterArg_6 : tensor<8x6xf32>
      %11 = stablehlo.abs %10 : tensor<8x6xf32>
      %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %12 = stablehlo.reduce(%11 init: %cst_7) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
      %cst_8 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
      %13 = stablehlo.compare GT, %12, %cst_8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %10 = stablehlo.divide %iterArg, %iterArg_5 : tensor<8x6xf32>
      %11 = stablehlo.add %iterArg_5, %10 : tensor<8x6xf32>
      %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
      %13 = stablehlo.multiply %12, %11 : tensor<8x6xf32>
      stablehlo.return %iterArg, %13, %iterArg_5 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
    }
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7:4 = stablehlo.while(%iterArg = %arg0, %iterArg_5 = %arg1, %iterArg_6 = %c, %iterArg_7 = %6) : tensor<8x6xf32>, tensor<8xi32>, tensor<i32>, tensor<8x6xf32>
    cond {
      %c_8 = stablehlo.constant dense<8> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg_6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<8x6xf32>, tensor<i32>) -> tensor<6xf32>
      %11 = func.call @dynamic_index_in_dim_0(%iterArg_5, %iterArg_6) : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
      %12 = func.call @closed_call(%10, %11) : (tensor<6xf32>, tensor<i32>) -> tensor<6xf32>
      %13 = func.call @dynamic_update_index_in_dim(%iterArg_7, %12, %iterArg_6) : (tensor<8x6xf32>, tensor<6xf32>, tensor<i32>) -> tensor<8x6xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %iterArg_6, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_5, %14, %13 : tensor<8x6xf32>, tensor<8xi32>, tensor<i32>, tensor<8x6xf32>
    }
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %9:4 = stablehlo.while(%iterArg = %arg0, %iterArg_5 = %c_4, %iterArg_6 = %c_3, %iterArg_7 = %8) : tensor<8x6xf32>, tensor<i32>, tensor<i32>, tensor<8xf32>
    cond {
      %c_8 = stablehlo.constant dense<6> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:2 = func.call @closed_call_1(%iterArg, %iterArg_6, %iterArg_7) : (tensor<8x6xf32>, tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg_5, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %11, %10#0, %10#1 : tensor<8x6xf32>, tensor<i32>, tensor<i32>, tensor<8xf32>
    }
    return %5#1, %7#3, %9#3 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<8x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<8xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.clamp %c, %arg1, %c_0 : tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %2 = stablehlo.sine %arg0 : tensor<6xf32>
      stablehlo.return %2 : tensor<6xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %3 = stablehlo.multiply %arg0, %2 : tensor<6xf32>
      stablehlo.return %3 : tensor<6xf32>
    }, {
      %2 = stablehlo.slice %arg0 [0:1] : (tensor<6xf32>) -> tensor<1xf32>
      %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.compare GT, %3, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.convert %4 : (tensor<i1>) -> tensor<i32>
      %6 = "stablehlo.case"(%5) ({
        %7 = stablehlo.log %arg0 : tensor<6xf32>
        stablehlo.return %7 : tensor<6xf32>
      }, {
        %7 = stablehlo.exponential %arg0 : tensor<6xf32>
        stablehlo.return %7 : tensor<6xf32>
      }) : (tensor<i32>) -> tensor<6xf32>
      stablehlo.return %6 : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<8x6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<i32>) -> tensor<8x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<8x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
    return %1 : tensor<8x6xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<8x6xf32>, %arg1: tensor<i32>, %arg2: tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.convert %arg1 : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare LT, %c_0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<8> : tensor<i32>
    %3 = stablehlo.add %c_2, %c_3 : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.select %2, %3, %c_4 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %1, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<6> : tensor<i32>
    %6 = stablehlo.add %1, %c_6 : tensor<i32>
    %7 = stablehlo.select %5, %6, %1 : tensor<i1>, tensor<i32>
    %8 = stablehlo.dynamic_slice %arg0, %4, %7, sizes = [8, 1] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<8x1xf32>) -> tensor<8xf32>
    %10 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<8xf32>
    %13 = stablehlo.add %arg2, %12 : tensor<8xf32>
    return %0, %13 : tensor<i32>, tensor<8xf32>
  }
}
