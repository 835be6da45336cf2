module @jit_experts attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "expert"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "expert", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<4x8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}, %arg2: tensor<4x12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}, %arg3: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<8x4xf32> {jax.result_info = "result[0]['router']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x8x12xf32> {jax.result_info = "result[0]['w1']", sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}, tensor<4x12x8xf32> {jax.result_info = "result[0]['w2']", sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<16x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %4 = stablehlo.compare EQ, %0, %3, FLOAT : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xi1>
    %5 = stablehlo.convert %4 : (tensor<16x4xi1>) -> tensor<16x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.maximum %7, %1 : tensor<16xf32>
    %9 = stablehlo.compare EQ, %1, %8, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.select %9, %10, %11 : tensor<16xi1>, tensor<16xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %14 = stablehlo.compare EQ, %13, %8, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %17 = stablehlo.select %14, %15, %16 : tensor<16xi1>, tensor<16xf32>
    %18 = stablehlo.divide %12, %17 : tensor<16xf32>
    %19 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %21 = stablehlo.subtract %0, %20 : tensor<16x4xf32>
    %22 = stablehlo.exponential %21 : tensor<16x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<16xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %26 = stablehlo.divide %22, %25 : tensor<16x4xf32>
    %27 = stablehlo.multiply %24, %24 : tensor<16x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %29 = stablehlo.divide %28, %27 : tensor<16x1xf32>
    %values, %indices = chlo.top_k(%26, k = 2) : tensor<16x4xf32> -> (tensor<16x2xf32>, tensor<16x2xi32>)
    %30 = stablehlo.reshape %indices : (tensor<16x2xi32>) -> tensor<16x2x1xi32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%values init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<16x2xf32>, tensor<f32>) -> tensor<16xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x2xf32>
    %34 = stablehlo.divide %values, %33 : tensor<16x2xf32>
    %35 = stablehlo.multiply %32, %32 : tensor<16x1xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %37 = stablehlo.divide %36, %35 : tensor<16x1xf32>
    %38 = stablehlo.transpose %indices, dims = [1, 0] : (tensor<16x2xi32>) -> tensor<2x16xi32>
    %39 = stablehlo.reshape %38 : (tensor<2x16xi32>) -> tensor<32xi32>
    %40 = call @_one_hot(%39) : (tensor<32xi32>) -> tensor<32x4xi32>
    %41 = call @cumsum(%40) : (tensor<32x4xi32>) -> tensor<32x4xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x4xi32>
    %43 = stablehlo.subtract %41, %42 : tensor<32x4xi32>
    %44 = stablehlo.multiply %43, %40 : tensor<32x4xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %45 = stablehlo.reduce(%44 init: %c_11) applies stablehlo.add across dimensions = [1] : (tensor<32x4xi32>, tensor<i32>) -> tensor<32xi32>
    %46 = stablehlo.reshape %45 : (tensor<32xi32>) -> tensor<2x16xi32>
    %47 = stablehlo.transpose %46, dims = [1, 0] : (tensor<2x16xi32>) -> tensor<16x2xi32>
    %48 = call @_one_hot_1(%indices) : (tensor<16x2xi32>) -> tensor<16x2x4xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<16x2x4xf32>) -> tensor<16x2x4x1xf32>
    %50 = call @_one_hot_2(%47) : (tensor<16x2xi32>) -> tensor<16x2x6xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 3] : (tensor<16x2x6xf32>) -> tensor<16x2x1x6xf32>
    %52 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<16x2x4x1xf32>) -> tensor<16x2x4x6xf32>
    %53 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<16x2x1x6xf32>) -> tensor<16x2x4x6xf32>
    %54 = stablehlo.multiply %52, %53 : tensor<16x2x4x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<16x2x4x6xf32>, tensor<f32>) -> tensor<16x4x6xf32>
    %56 = stablehlo.dot_general %55, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x4x6xf32>, tensor<16x8xf32>) -> tensor<4x6x8xf32>
    %57 = stablehlo.dot_general %56, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<4x8x12xf32>) -> tensor<4x6x12xf32>
    %58 = call @relu(%57) : (tensor<4x6x12xf32>) -> tensor<4x6x12xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %60 = stablehlo.compare GT, %57, %59, FLOAT : (tensor<4x6x12xf32>, tensor<4x6x12xf32>) -> tensor<4x6x12xi1>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %62 = stablehlo.dot_general %58, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x12xf32>, tensor<4x12x8xf32>) -> tensor<4x6x8xf32>
    %63 = sdy.sharding_constraint %62 <@mesh, [{"expert"}, {}, {}]> : tensor<4x6x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%26 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<16x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_16 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %66 = stablehlo.divide %64, %65 : tensor<4xf32>
    %67 = stablehlo.convert %40 : (tensor<32x4xi32>) -> tensor<32x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<32x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_18 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %70 = stablehlo.divide %68, %69 : tensor<4xf32>
    %71 = stablehlo.multiply %66, %70 : tensor<4xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_20 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %73 = stablehlo.multiply %cst_20, %72 : tensor<f32>
    %74 = stablehlo.dot_general %54, %34, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x2x4x6xf32>, tensor<16x2xf32>) -> tensor<16x4x6xf32>
    %75 = stablehlo.dot_general %74, %63, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<16x4x6xf32>, tensor<4x6x8xf32>) -> tensor<16x8xf32>
    %76 = stablehlo.add %arg3, %75 : tensor<16x8xf32>
    %77 = stablehlo.subtract %76, %arg4 : tensor<16x8xf32>
    %78 = stablehlo.multiply %77, %77 : tensor<16x8xf32>
    %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %80 = stablehlo.multiply %79, %77 : tensor<16x8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.reduce(%78 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %82 = stablehlo.divide %81, %cst_23 : tensor<f32>
    %cst_24 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %83 = stablehlo.multiply %cst_24, %73 : tensor<f32>
    %84 = stablehlo.add %82, %83 : tensor<f32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.reduce(%cst_25 init: %cst_26) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_27 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %86 = stablehlo.multiply %cst_27, %85 : tensor<f32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_28) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_29 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %88 = stablehlo.divide %cst_25, %cst_29 : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %90 = stablehlo.multiply %89, %80 : tensor<16x8xf32>
    %91 = stablehlo.dot_general %90, %74, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x4x6xf32>) -> tensor<8x4x6xf32>
    %92 = stablehlo.transpose %91, dims = [1, 2, 0] : (tensor<8x4x6xf32>) -> tensor<4x6x8xf32>
    %93 = stablehlo.dot_general %90, %63, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<4x6x8xf32>) -> tensor<16x4x6xf32>
    %94 = stablehlo.dot_general %93, %54, batching_dims = [0] x [0], contracting_dims = [1, 2] x [2, 3], precision = [DEFAULT, DEFAULT] : (tensor<16x4x6xf32>, tensor<16x2x4x6xf32>) -> tensor<16x2xf32>
    %cst_30 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %95 = stablehlo.multiply %cst_30, %87 : tensor<f32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_31) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %98 = stablehlo.multiply %97, %70 : tensor<4xf32>
    %cst_32 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %100 = stablehlo.divide %98, %99 : tensor<4xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [1] : (tensor<4xf32>) -> tensor<16x4xf32>
    %102 = sdy.sharding_constraint %92 <@mesh, [{"expert"}, {}, {}]> : tensor<4x6x8xf32>
    %103 = stablehlo.dot_general %102, %58, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<4x6x12xf32>) -> tensor<4x8x12xf32>
    %104 = stablehlo.transpose %103, dims = [0, 2, 1] : (tensor<4x8x12xf32>) -> tensor<4x12x8xf32>
    %105 = stablehlo.dot_general %102, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<4x12x8xf32>) -> tensor<4x6x12xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %107 = stablehlo.select %60, %105, %106 : tensor<4x6x12xi1>, tensor<4x6x12xf32>
    %108 = stablehlo.dot_general %107, %56, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x12xf32>, tensor<4x6x8xf32>) -> tensor<4x12x8xf32>
    %109 = stablehlo.transpose %108, dims = [0, 2, 1] : (tensor<4x12x8xf32>) -> tensor<4x8x12xf32>
    %110 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x2xf32>
    %111 = stablehlo.multiply %94, %110 : tensor<16x2xf32>
    %112 = stablehlo.multiply %111, %values : tensor<16x2xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_34) applies stablehlo.add across dimensions = [1] : (tensor<16x2xf32>, tensor<f32>) -> tensor<16xf32>
    %114 = stablehlo.reshape %113 : (tensor<16xf32>) -> tensor<16x1xf32>
    %115 = stablehlo.negate %114 : tensor<16x1xf32>
    %116 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x2xf32>
    %117 = stablehlo.divide %94, %116 : tensor<16x2xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %118 = stablehlo.reduce(%115 init: %cst_35) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0] : (tensor<16xf32>) -> tensor<16x2xf32>
    %120 = stablehlo.add %117, %119 : tensor<16x2xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %122 = "stablehlo.scatter"(%121, %30, %120) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %147 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %147 : tensor<f32>
    }) : (tensor<16x4xf32>, tensor<16x2x1xi32>, tensor<16x2xf32>) -> tensor<16x4xf32>
    %123 = stablehlo.add %101, %122 : tensor<16x4xf32>
    %124 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %125 = stablehlo.multiply %123, %124 : tensor<16x4xf32>
    %126 = stablehlo.multiply %125, %22 : tensor<16x4xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_37) applies stablehlo.add across dimensions = [1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<16xf32>
    %128 = stablehlo.reshape %127 : (tensor<16xf32>) -> tensor<16x1xf32>
    %129 = stablehlo.negate %128 : tensor<16x1xf32>
    %130 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %131 = stablehlo.divide %123, %130 : tensor<16x4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.reduce(%129 init: %cst_38) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0] : (tensor<16xf32>) -> tensor<16x4xf32>
    %134 = stablehlo.add %131, %133 : tensor<16x4xf32>
    %135 = stablehlo.multiply %134, %22 : tensor<16x4xf32>
    %136 = stablehlo.dot_general %135, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x4xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %137 = stablehlo.transpose %136, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %139 = stablehlo.multiply %138, %137 : tensor<8x4xf32>
    %140 = stablehlo.subtract %arg0, %139 : tensor<8x4xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x8x12xf32>
    %142 = stablehlo.multiply %141, %109 : tensor<4x8x12xf32>
    %143 = stablehlo.subtract %arg1, %142 : tensor<4x8x12xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4x12x8xf32>
    %145 = stablehlo.multiply %144, %104 : tensor<4x12x8xf32>
    %146 = stablehlo.subtract %arg2, %145 : tensor<4x12x8xf32>
    return %140, %143, %146, %84 : tensor<8x4xf32>, tensor<4x8x12xf32>, tensor<4x12x8xf32>, tensor<f32>
  }
  func.func private @_one_hot(%arg0: tensor<32xi32>) -> tensor<32x4xi32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<32x1xi32>) -> tensor<32x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<32x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<32x4xi32>, tensor<32x4xi32>) -> tensor<32x4xi1>
    %5 = stablehlo.convert %4 : (tensor<32x4xi1>) -> tensor<32x4xi32>
    return %5 : tensor<32x4xi32>
  }
  func.func private @cumsum(%arg0: tensor<32x4xi32>) -> tensor<32x4xi32> {
    %0 = call @cumsum_0(%arg0) : (tensor<32x4xi32>) -> tensor<32x4xi32>
    return %0 : tensor<32x4xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<32x4xi32>) -> tensor<32x4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[31, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 32, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<32x4xi32>, tensor<i32>) -> tensor<32x4xi32>
    return %1 : tensor<32x4xi32>
  }
  func.func private @_one_hot_1(%arg0: tensor<16x2xi32>) -> tensor<16x2x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<16x2xi32>) -> tensor<16x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<16x2x1xi32>) -> tensor<16x2x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<16x2x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<16x2x4xi32>, tensor<16x2x4xi32>) -> tensor<16x2x4xi1>
    %5 = stablehlo.convert %4 : (tensor<16x2x4xi1>) -> tensor<16x2x4xf32>
    return %5 : tensor<16x2x4xf32>
  }
  func.func private @_one_hot_2(%arg0: tensor<16x2xi32>) -> tensor<16x2x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<16x2xi32>) -> tensor<16x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x6xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<16x2x1xi32>) -> tensor<16x2x6xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x6xi32>) -> tensor<16x2x6xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<16x2x6xi32>, tensor<16x2x6xi32>) -> tensor<16x2x6xi1>
    %5 = stablehlo.convert %4 : (tensor<16x2x6xi1>) -> tensor<16x2x6xf32>
    return %5 : tensor<16x2x6xf32>
  }
  func.func private @relu(%arg0: tensor<4x6x12xf32>) -> tensor<4x6x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x6x12xf32>
    return %1 : tensor<4x6x12xf32>
  }
}
