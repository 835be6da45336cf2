module @jit_manual_branches attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) -> (tensor<8x3xf32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"data"}, {"model"}]>] out_shardings=[<@mesh, [{"data"}, {}]>, <@mesh, [{"data"}, {"model"}]>] manual_axes={"data", "model"} (%arg1: tensor<2x3xf32>) {
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %5 = stablehlo.compare GE, %4, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.convert %5 : (tensor<i1>) -> tensor<i32>
      %7 = "stablehlo.case"(%6) ({
        %9 = stablehlo.multiply %arg1, %arg1 : tensor<2x3xf32>
        %10 = "stablehlo.all_reduce"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
          %11 = stablehlo.add %arg2, %arg3 : tensor<f32>
          stablehlo.return %11 : tensor<f32>
        }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
        stablehlo.return %10 : tensor<2x3xf32>
      }, {
        %9 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
          %12 = stablehlo.add %arg2, %arg3 : tensor<f32>
          stablehlo.return %12 : tensor<f32>
        }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
        %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
        %11 = stablehlo.multiply %9, %10 : tensor<2x3xf32>
        stablehlo.return %11 : tensor<2x3xf32>
      }) : (tensor<i32>) -> tensor<2x3xf32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %8:3 = stablehlo.while(%iterArg = %c_2, %iterArg_3 = %4, %iterArg_4 = %arg1) : tensor<i32>, tensor<i32>, tensor<2x3xf32>
      cond {
        %9 = stablehlo.compare LT, %iterArg, %iterArg_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      } do {
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %9 = stablehlo.add %iterArg, %c_5 : tensor<i32>
        %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
        %11 = stablehlo.multiply %iterArg_4, %10 : tensor<2x3xf32>
        %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %12 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
        %13 = stablehlo.add %11, %12 : tensor<2x3xf32>
        stablehlo.return %9, %iterArg_3, %13 : tensor<i32>, tensor<i32>, tensor<2x3xf32>
      }
      sdy.return %7, %8#2 : tensor<2x3xf32>, tensor<2x3xf32>
    } : (tensor<8x6xf32>) -> (tensor<8x3xf32>, tensor<8x6xf32>)
    return %0#0, %0#1 : tensor<8x3xf32>, tensor<8x6xf32>
  }
}
