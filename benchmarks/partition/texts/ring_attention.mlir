module @jit_ring_attention attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<2x64x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %arg1: tensor<2x64x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %arg2: tensor<2x64x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) -> (tensor<2x64x8x16xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {"x"}, {}, {}]>, <@mesh, [{}, {"x"}, {}, {}]>, <@mesh, [{}, {"x"}, {}, {}]>] out_shardings=[<@mesh, [{}, {"x"}, {}, {}]>] manual_axes={"x"} (%arg3: tensor<2x8x8x16xf32>, %arg4: tensor<2x8x8x16xf32>, %arg5: tensor<2x8x8x16xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x8x8x16xf32>
      %4 = stablehlo.dot_general %arg3, %arg4, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %6 = stablehlo.maximum %1, %5 : tensor<2x8x8xf32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %9 = stablehlo.subtract %4, %8 : tensor<2x8x8x8xf32>
      %10 = stablehlo.exponential %9 : tensor<2x8x8x8xf32>
      %11 = stablehlo.subtract %1, %6 : tensor<2x8x8xf32>
      %12 = stablehlo.exponential %11 : tensor<2x8x8xf32>
      %13 = stablehlo.multiply %2, %12 : tensor<2x8x8xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %14 = stablehlo.reduce(%10 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %15 = stablehlo.add %13, %14 : tensor<2x8x8xf32>
      %16 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %18 = stablehlo.multiply %3, %17 : tensor<2x8x8x16xf32>
      %19 = stablehlo.dot_general %10, %arg5, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %20 = stablehlo.add %18, %19 : tensor<2x8x8x16xf32>
      %21 = "stablehlo.collective_permute"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %22 = "stablehlo.collective_permute"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %23 = stablehlo.dot_general %arg3, %21, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %24 = stablehlo.reduce(%23 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %25 = stablehlo.maximum %6, %24 : tensor<2x8x8xf32>
      %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %28 = stablehlo.subtract %23, %27 : tensor<2x8x8x8xf32>
      %29 = stablehlo.exponential %28 : tensor<2x8x8x8xf32>
      %30 = stablehlo.subtract %6, %25 : tensor<2x8x8xf32>
      %31 = stablehlo.exponential %30 : tensor<2x8x8xf32>
      %32 = stablehlo.multiply %15, %31 : tensor<2x8x8xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %33 = stablehlo.reduce(%29 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %34 = stablehlo.add %32, %33 : tensor<2x8x8xf32>
      %35 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %37 = stablehlo.multiply %20, %36 : tensor<2x8x8x16xf32>
      %38 = stablehlo.dot_general %29, %22, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %39 = stablehlo.add %37, %38 : tensor<2x8x8x16xf32>
      %40 = "stablehlo.collective_permute"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %41 = "stablehlo.collective_permute"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %42 = stablehlo.dot_general %arg3, %40, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %43 = stablehlo.reduce(%42 init: %cst_6) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %44 = stablehlo.maximum %25, %43 : tensor<2x8x8xf32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %47 = stablehlo.subtract %42, %46 : tensor<2x8x8x8xf32>
      %48 = stablehlo.exponential %47 : tensor<2x8x8x8xf32>
      %49 = stablehlo.subtract %25, %44 : tensor<2x8x8xf32>
      %50 = stablehlo.exponential %49 : tensor<2x8x8xf32>
      %51 = stablehlo.multiply %34, %50 : tensor<2x8x8xf32>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %52 = stablehlo.reduce(%48 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %53 = stablehlo.add %51, %52 : tensor<2x8x8xf32>
      %54 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %56 = stablehlo.multiply %39, %55 : tensor<2x8x8x16xf32>
      %57 = stablehlo.dot_general %48, %41, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %58 = stablehlo.add %56, %57 : tensor<2x8x8x16xf32>
      %59 = "stablehlo.collective_permute"(%40) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %60 = "stablehlo.collective_permute"(%41) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %61 = stablehlo.dot_general %arg3, %59, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %62 = stablehlo.reduce(%61 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %63 = stablehlo.maximum %44, %62 : tensor<2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %66 = stablehlo.subtract %61, %65 : tensor<2x8x8x8xf32>
      %67 = stablehlo.exponential %66 : tensor<2x8x8x8xf32>
      %68 = stablehlo.subtract %44, %63 : tensor<2x8x8xf32>
      %69 = stablehlo.exponential %68 : tensor<2x8x8xf32>
      %70 = stablehlo.multiply %53, %69 : tensor<2x8x8xf32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %71 = stablehlo.reduce(%67 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %72 = stablehlo.add %70, %71 : tensor<2x8x8xf32>
      %73 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %75 = stablehlo.multiply %58, %74 : tensor<2x8x8x16xf32>
      %76 = stablehlo.dot_general %67, %60, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %77 = stablehlo.add %75, %76 : tensor<2x8x8x16xf32>
      %78 = "stablehlo.collective_permute"(%59) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %79 = "stablehlo.collective_permute"(%60) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %80 = stablehlo.dot_general %arg3, %78, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %81 = stablehlo.reduce(%80 init: %cst_10) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %82 = stablehlo.maximum %63, %81 : tensor<2x8x8xf32>
      %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %85 = stablehlo.subtract %80, %84 : tensor<2x8x8x8xf32>
      %86 = stablehlo.exponential %85 : tensor<2x8x8x8xf32>
      %87 = stablehlo.subtract %63, %82 : tensor<2x8x8xf32>
      %88 = stablehlo.exponential %87 : tensor<2x8x8xf32>
      %89 = stablehlo.multiply %72, %88 : tensor<2x8x8xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %90 = stablehlo.reduce(%86 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %91 = stablehlo.add %89, %90 : tensor<2x8x8xf32>
      %92 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %94 = stablehlo.multiply %77, %93 : tensor<2x8x8x16xf32>
      %95 = stablehlo.dot_general %86, %79, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %96 = stablehlo.add %94, %95 : tensor<2x8x8x16xf32>
      %97 = "stablehlo.collective_permute"(%78) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %98 = "stablehlo.collective_permute"(%79) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %99 = stablehlo.dot_general %arg3, %97, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %100 = stablehlo.reduce(%99 init: %cst_12) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %101 = stablehlo.maximum %82, %100 : tensor<2x8x8xf32>
      %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %104 = stablehlo.subtract %99, %103 : tensor<2x8x8x8xf32>
      %105 = stablehlo.exponential %104 : tensor<2x8x8x8xf32>
      %106 = stablehlo.subtract %82, %101 : tensor<2x8x8xf32>
      %107 = stablehlo.exponential %106 : tensor<2x8x8xf32>
      %108 = stablehlo.multiply %91, %107 : tensor<2x8x8xf32>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %109 = stablehlo.reduce(%105 init: %cst_13) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %110 = stablehlo.add %108, %109 : tensor<2x8x8xf32>
      %111 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %113 = stablehlo.multiply %96, %112 : tensor<2x8x8x16xf32>
      %114 = stablehlo.dot_general %105, %98, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %115 = stablehlo.add %113, %114 : tensor<2x8x8x16xf32>
      %116 = "stablehlo.collective_permute"(%97) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %117 = "stablehlo.collective_permute"(%98) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %118 = stablehlo.dot_general %arg3, %116, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %119 = stablehlo.reduce(%118 init: %cst_14) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %120 = stablehlo.maximum %101, %119 : tensor<2x8x8xf32>
      %121 = stablehlo.broadcast_in_dim %120, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %122 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %123 = stablehlo.subtract %118, %122 : tensor<2x8x8x8xf32>
      %124 = stablehlo.exponential %123 : tensor<2x8x8x8xf32>
      %125 = stablehlo.subtract %101, %120 : tensor<2x8x8xf32>
      %126 = stablehlo.exponential %125 : tensor<2x8x8xf32>
      %127 = stablehlo.multiply %110, %126 : tensor<2x8x8xf32>
      %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %128 = stablehlo.reduce(%124 init: %cst_15) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %129 = stablehlo.add %127, %128 : tensor<2x8x8xf32>
      %130 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %132 = stablehlo.multiply %115, %131 : tensor<2x8x8x16xf32>
      %133 = stablehlo.dot_general %124, %117, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %134 = stablehlo.add %132, %133 : tensor<2x8x8x16xf32>
      %135 = "stablehlo.collective_permute"(%116) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %136 = "stablehlo.collective_permute"(%117) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %137 = stablehlo.dot_general %arg3, %135, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x8xf32>
      %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %138 = stablehlo.reduce(%137 init: %cst_16) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %139 = stablehlo.maximum %120, %138 : tensor<2x8x8xf32>
      %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x8xf32>
      %142 = stablehlo.subtract %137, %141 : tensor<2x8x8x8xf32>
      %143 = stablehlo.exponential %142 : tensor<2x8x8x8xf32>
      %144 = stablehlo.subtract %120, %139 : tensor<2x8x8xf32>
      %145 = stablehlo.exponential %144 : tensor<2x8x8xf32>
      %146 = stablehlo.multiply %129, %145 : tensor<2x8x8xf32>
      %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %147 = stablehlo.reduce(%143 init: %cst_17) applies stablehlo.add across dimensions = [3] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<2x8x8xf32>
      %148 = stablehlo.add %146, %147 : tensor<2x8x8xf32>
      %149 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %151 = stablehlo.multiply %134, %150 : tensor<2x8x8x16xf32>
      %152 = stablehlo.dot_general %143, %136, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x8x8x8xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      %153 = stablehlo.add %151, %152 : tensor<2x8x8x16xf32>
      %154 = stablehlo.broadcast_in_dim %148, dims = [0, 1, 2] : (tensor<2x8x8xf32>) -> tensor<2x8x8x1xf32>
      %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1, 2, 3] : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x16xf32>
      %156 = stablehlo.divide %153, %155 : tensor<2x8x8x16xf32>
      %157 = stablehlo.transpose %156, dims = [0, 2, 1, 3] : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
      sdy.return %157 : tensor<2x8x8x16xf32>
    } : (tensor<2x64x8x16xf32>, tensor<2x64x8x16xf32>, tensor<2x64x8x16xf32>) -> tensor<2x64x8x16xf32>
    return %0 : tensor<2x64x8x16xf32>
  }
}
