module @jit_manual_nested attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) -> (tensor<8x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"data", ?}, {?}]>] out_shardings=[<@mesh, [{"data", ?}, {?}]>] manual_axes={"data"} (%arg1: tensor<2x6xf32>) {
      %1 = stablehlo.tanh %arg1 : tensor<2x6xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {?}]> : tensor<2x6xf32>
      %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{?}, {"model", ?}]>] out_shardings=[<@mesh, [{?}, {"model", ?}]>] manual_axes={"model"} (%arg2: tensor<2x3xf32>) {
        %c = stablehlo.constant dense<1> : tensor<ui32>
        %c_0 = stablehlo.constant dense<2> : tensor<ui32>
        %11 = stablehlo.partition_id : tensor<ui32>
        %12 = stablehlo.divide %11, %c : tensor<ui32>
        %13 = stablehlo.remainder %12, %c_0 : tensor<ui32>
        %14 = stablehlo.convert %13 : (tensor<ui32>) -> tensor<i32>
        %15 = stablehlo.convert %14 : (tensor<i32>) -> tensor<f32>
        %16 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
          %21 = stablehlo.add %arg3, %arg4 : tensor<f32>
          stablehlo.return %21 : tensor<f32>
        }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
        %17 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
        %18 = stablehlo.multiply %16, %17 : tensor<2x3xf32>
        %19 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
        ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
          %21 = stablehlo.add %arg3, %arg4 : tensor<f32>
          stablehlo.return %21 : tensor<f32>
        }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
        %20 = stablehlo.add %18, %19 : tensor<2x3xf32>
        sdy.return %20 : tensor<2x3xf32>
      } : (tensor<2x6xf32>) -> tensor<2x6xf32>
      %4 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"model"} () {
        %c = stablehlo.constant dense<2> : tensor<ui32>
        %c_0 = stablehlo.constant dense<4> : tensor<ui32>
        %11 = stablehlo.partition_id : tensor<ui32>
        %12 = stablehlo.divide %11, %c : tensor<ui32>
        %13 = stablehlo.remainder %12, %c_0 : tensor<ui32>
        %14 = stablehlo.convert %13 : (tensor<ui32>) -> tensor<i32>
        sdy.return %14 : tensor<i32>
      } : () -> tensor<i32>
      %5 = stablehlo.convert %4 : (tensor<i32>) -> tensor<f32>
      %6 = sdy.sharding_constraint %5 <@mesh, []> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
      %8 = sdy.sharding_constraint %7 <@mesh, [{?}, {?}]> : tensor<2x6xf32>
      %9 = stablehlo.add %3, %8 : tensor<2x6xf32>
      %10 = sdy.sharding_constraint %9 <@mesh, [{?}, {?}]> : tensor<2x6xf32>
      sdy.return %10 : tensor<2x6xf32>
    } : (tensor<8x6xf32>) -> tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
