module @jit_fully_sharded attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg3: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg5: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg6: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg7: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg8: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg9: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg10: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg11: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg12: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg13: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32xf32> {jax.result_info = "result[0][0]['b']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<32x32xf32> {jax.result_info = "result[0][0]['w']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<32xf32> {jax.result_info = "result[0][1]['b']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<32x32xf32> {jax.result_info = "result[0][1]['w']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<32xf32> {jax.result_info = "result[0][2]['b']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<32x32xf32> {jax.result_info = "result[0][2]['w']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1][0]['b']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<32x32xf32> {jax.result_info = "result[1][0]['w']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1][1]['b']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<32x32xf32> {jax.result_info = "result[1][1]['w']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1][2]['b']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<32x32xf32> {jax.result_info = "result[1][2]['w']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<f32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = sdy.sharding_constraint %arg1 <@mesh, [{}, {}]> : tensor<32x32xf32>
    %1 = stablehlo.dot_general %arg12, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<16x32xf32>
    %4 = stablehlo.add %1, %3 : tensor<16x32xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<16x32xf32>
    %6 = stablehlo.multiply %5, %4 : tensor<16x32xf32>
    %7 = stablehlo.multiply %4, %4 : tensor<16x32xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<16x32xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %11 = stablehlo.multiply %10, %6 : tensor<16x32xf32>
    %12 = stablehlo.add %4, %11 : tensor<16x32xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %14 = stablehlo.multiply %13, %12 : tensor<16x32xf32>
    %15 = stablehlo.tanh %14 : tensor<16x32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %17 = stablehlo.subtract %16, %15 : tensor<16x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %19 = stablehlo.add %18, %15 : tensor<16x32xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<16x32xf32>
    %22 = stablehlo.multiply %4, %21 : tensor<16x32xf32>
    %23 = sdy.sharding_constraint %arg3 <@mesh, [{}, {}]> : tensor<32x32xf32>
    %24 = stablehlo.dot_general %22, %23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %25 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<16x32xf32>
    %27 = stablehlo.add %24, %26 : tensor<16x32xf32>
    %28 = stablehlo.multiply %27, %27 : tensor<16x32xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<16x32xf32>
    %30 = stablehlo.multiply %27, %27 : tensor<16x32xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<16x32xf32>
    %cst_6 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %34 = stablehlo.multiply %33, %29 : tensor<16x32xf32>
    %35 = stablehlo.add %27, %34 : tensor<16x32xf32>
    %cst_7 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %37 = stablehlo.multiply %36, %35 : tensor<16x32xf32>
    %38 = stablehlo.tanh %37 : tensor<16x32xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %40 = stablehlo.subtract %39, %38 : tensor<16x32xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %42 = stablehlo.add %41, %38 : tensor<16x32xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %44 = stablehlo.multiply %43, %42 : tensor<16x32xf32>
    %45 = stablehlo.multiply %27, %44 : tensor<16x32xf32>
    %46 = sdy.sharding_constraint %arg5 <@mesh, [{}, {}]> : tensor<32x32xf32>
    %47 = stablehlo.dot_general %45, %46, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %48 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<16x32xf32>
    %50 = stablehlo.add %47, %49 : tensor<16x32xf32>
    %51 = stablehlo.multiply %50, %50 : tensor<16x32xf32>
    %52 = stablehlo.multiply %51, %50 : tensor<16x32xf32>
    %53 = stablehlo.multiply %50, %50 : tensor<16x32xf32>
    %cst_11 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %55 = stablehlo.multiply %54, %53 : tensor<16x32xf32>
    %cst_12 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %57 = stablehlo.multiply %56, %52 : tensor<16x32xf32>
    %58 = stablehlo.add %50, %57 : tensor<16x32xf32>
    %cst_13 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %60 = stablehlo.multiply %59, %58 : tensor<16x32xf32>
    %61 = stablehlo.tanh %60 : tensor<16x32xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %63 = stablehlo.subtract %62, %61 : tensor<16x32xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %65 = stablehlo.add %64, %61 : tensor<16x32xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<16x32xf32>
    %68 = stablehlo.multiply %50, %67 : tensor<16x32xf32>
    %69 = stablehlo.subtract %68, %arg13 : tensor<16x32xf32>
    %70 = stablehlo.multiply %69, %69 : tensor<16x32xf32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %72 = stablehlo.multiply %71, %69 : tensor<16x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%70 init: %cst_18) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<f32>
    %cst_19 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %74 = stablehlo.divide %73, %cst_19 : tensor<f32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_21 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %75 = stablehlo.divide %cst_20, %cst_21 : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %77 = stablehlo.multiply %76, %72 : tensor<16x32xf32>
    %78 = stablehlo.multiply %50, %77 : tensor<16x32xf32>
    %79 = stablehlo.multiply %77, %67 : tensor<16x32xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %81 = stablehlo.multiply %80, %78 : tensor<16x32xf32>
    %82 = stablehlo.multiply %81, %63 : tensor<16x32xf32>
    %83 = stablehlo.multiply %82, %61 : tensor<16x32xf32>
    %84 = stablehlo.add %82, %83 : tensor<16x32xf32>
    %cst_23 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %86 = stablehlo.multiply %85, %84 : tensor<16x32xf32>
    %87 = stablehlo.add %79, %86 : tensor<16x32xf32>
    %cst_24 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %89 = stablehlo.multiply %88, %86 : tensor<16x32xf32>
    %90 = stablehlo.multiply %89, %55 : tensor<16x32xf32>
    %91 = stablehlo.add %87, %90 : tensor<16x32xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %93 = stablehlo.reshape %92 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_26) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %95 = stablehlo.dot_general %91, %45, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
    %96 = stablehlo.transpose %95, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %97 = stablehlo.dot_general %91, %46, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %98 = sdy.sharding_constraint %96 <@mesh, [{}, {}]> : tensor<32x32xf32>
    %99 = stablehlo.multiply %27, %97 : tensor<16x32xf32>
    %100 = stablehlo.multiply %97, %44 : tensor<16x32xf32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %102 = stablehlo.multiply %101, %99 : tensor<16x32xf32>
    %103 = stablehlo.multiply %102, %40 : tensor<16x32xf32>
    %104 = stablehlo.multiply %103, %38 : tensor<16x32xf32>
    %105 = stablehlo.add %103, %104 : tensor<16x32xf32>
    %cst_28 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %107 = stablehlo.multiply %106, %105 : tensor<16x32xf32>
    %108 = stablehlo.add %100, %107 : tensor<16x32xf32>
    %cst_29 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %110 = stablehlo.multiply %109, %107 : tensor<16x32xf32>
    %111 = stablehlo.multiply %110, %32 : tensor<16x32xf32>
    %112 = stablehlo.add %108, %111 : tensor<16x32xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_30) applies stablehlo.add across dimensions = [0] : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %114 = stablehlo.reshape %113 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_31) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %116 = stablehlo.dot_general %112, %22, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
    %117 = stablehlo.transpose %116, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %118 = stablehlo.dot_general %112, %23, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %119 = sdy.sharding_constraint %117 <@mesh, [{}, {}]> : tensor<32x32xf32>
    %120 = stablehlo.multiply %4, %118 : tensor<16x32xf32>
    %121 = stablehlo.multiply %118, %21 : tensor<16x32xf32>
    %cst_32 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %123 = stablehlo.multiply %122, %120 : tensor<16x32xf32>
    %124 = stablehlo.multiply %123, %17 : tensor<16x32xf32>
    %125 = stablehlo.multiply %124, %15 : tensor<16x32xf32>
    %126 = stablehlo.add %124, %125 : tensor<16x32xf32>
    %cst_33 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %128 = stablehlo.multiply %127, %126 : tensor<16x32xf32>
    %129 = stablehlo.add %121, %128 : tensor<16x32xf32>
    %cst_34 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %131 = stablehlo.multiply %130, %128 : tensor<16x32xf32>
    %132 = stablehlo.multiply %131, %9 : tensor<16x32xf32>
    %133 = stablehlo.add %129, %132 : tensor<16x32xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.reduce(%133 init: %cst_35) applies stablehlo.add across dimensions = [0] : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %135 = stablehlo.reshape %134 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_36) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %137 = stablehlo.dot_general %133, %arg12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
    %138 = stablehlo.transpose %137, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %139 = sdy.sharding_constraint %138 <@mesh, [{}, {}]> : tensor<32x32xf32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %141 = stablehlo.multiply %140, %arg6 : tensor<32xf32>
    %142 = stablehlo.add %141, %136 : tensor<32xf32>
    %cst_38 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %144 = stablehlo.multiply %143, %arg7 : tensor<32x32xf32>
    %145 = stablehlo.add %144, %139 : tensor<32x32xf32>
    %cst_39 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %147 = stablehlo.multiply %146, %arg8 : tensor<32xf32>
    %148 = stablehlo.add %147, %115 : tensor<32xf32>
    %cst_40 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %150 = stablehlo.multiply %149, %arg9 : tensor<32x32xf32>
    %151 = stablehlo.add %150, %119 : tensor<32x32xf32>
    %cst_41 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %153 = stablehlo.multiply %152, %arg10 : tensor<32xf32>
    %154 = stablehlo.add %153, %94 : tensor<32xf32>
    %cst_42 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %156 = stablehlo.multiply %155, %arg11 : tensor<32x32xf32>
    %157 = stablehlo.add %156, %98 : tensor<32x32xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %159 = stablehlo.multiply %158, %142 : tensor<32xf32>
    %160 = stablehlo.subtract %arg0, %159 : tensor<32xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %162 = stablehlo.multiply %161, %145 : tensor<32x32xf32>
    %163 = stablehlo.subtract %arg1, %162 : tensor<32x32xf32>
    %cst_45 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %165 = stablehlo.multiply %164, %148 : tensor<32xf32>
    %166 = stablehlo.subtract %arg2, %165 : tensor<32xf32>
    %cst_46 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %168 = stablehlo.multiply %167, %151 : tensor<32x32xf32>
    %169 = stablehlo.subtract %arg3, %168 : tensor<32x32xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %171 = stablehlo.multiply %170, %154 : tensor<32xf32>
    %172 = stablehlo.subtract %arg4, %171 : tensor<32xf32>
    %cst_48 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %174 = stablehlo.multiply %173, %157 : tensor<32x32xf32>
    %175 = stablehlo.subtract %arg5, %174 : tensor<32x32xf32>
    return %160, %163, %166, %169, %172, %175, %142, %145, %148, %151, %154, %157, %74 : tensor<32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<f32>
  }
}
