module @jit_associative_scan_along_a_sequence attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<4x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<4x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<4x64x32xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.slice %arg0 [0:4, 0:63:2, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x32x32xf32>
    %1 = stablehlo.slice %arg1 [0:4, 0:63:2, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x32x32xf32>
    %2 = stablehlo.slice %arg0 [0:4, 1:64:2, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x32x32xf32>
    %3 = stablehlo.slice %arg1 [0:4, 1:64:2, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x32x32xf32>
    %4 = stablehlo.multiply %0, %2 : tensor<4x32x32xf32>
    %5 = stablehlo.multiply %2, %1 : tensor<4x32x32xf32>
    %6 = stablehlo.add %5, %3 : tensor<4x32x32xf32>
    %7 = stablehlo.slice %4 [0:4, 0:31:2, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x16x32xf32>
    %8 = stablehlo.slice %6 [0:4, 0:31:2, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x16x32xf32>
    %9 = stablehlo.slice %4 [0:4, 1:32:2, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x16x32xf32>
    %10 = stablehlo.slice %6 [0:4, 1:32:2, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x16x32xf32>
    %11 = stablehlo.multiply %7, %9 : tensor<4x16x32xf32>
    %12 = stablehlo.multiply %9, %8 : tensor<4x16x32xf32>
    %13 = stablehlo.add %12, %10 : tensor<4x16x32xf32>
    %14 = stablehlo.slice %11 [0:4, 0:15:2, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
    %15 = stablehlo.slice %13 [0:4, 0:15:2, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
    %16 = stablehlo.slice %11 [0:4, 1:16:2, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
    %17 = stablehlo.slice %13 [0:4, 1:16:2, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
    %18 = stablehlo.multiply %14, %16 : tensor<4x8x32xf32>
    %19 = stablehlo.multiply %16, %15 : tensor<4x8x32xf32>
    %20 = stablehlo.add %19, %17 : tensor<4x8x32xf32>
    %21 = stablehlo.slice %18 [0:4, 0:7:2, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x4x32xf32>
    %22 = stablehlo.slice %20 [0:4, 0:7:2, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x4x32xf32>
    %23 = stablehlo.slice %18 [0:4, 1:8:2, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x4x32xf32>
    %24 = stablehlo.slice %20 [0:4, 1:8:2, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x4x32xf32>
    %25 = stablehlo.multiply %21, %23 : tensor<4x4x32xf32>
    %26 = stablehlo.multiply %23, %22 : tensor<4x4x32xf32>
    %27 = stablehlo.add %26, %24 : tensor<4x4x32xf32>
    %28 = stablehlo.slice %25 [0:4, 0:3:2, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x2x32xf32>
    %29 = stablehlo.slice %27 [0:4, 0:3:2, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x2x32xf32>
    %30 = stablehlo.slice %25 [0:4, 1:4:2, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x2x32xf32>
    %31 = stablehlo.slice %27 [0:4, 1:4:2, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x2x32xf32>
    %32 = stablehlo.multiply %28, %30 : tensor<4x2x32xf32>
    %33 = stablehlo.multiply %30, %29 : tensor<4x2x32xf32>
    %34 = stablehlo.add %33, %31 : tensor<4x2x32xf32>
    %35 = stablehlo.slice %32 [0:4, 0:1:2, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %36 = stablehlo.slice %34 [0:4, 0:1:2, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %37 = stablehlo.slice %32 [0:4, 1:2:2, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %38 = stablehlo.slice %34 [0:4, 1:2:2, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %39 = stablehlo.multiply %35, %37 : tensor<4x1x32xf32>
    %40 = stablehlo.multiply %37, %36 : tensor<4x1x32xf32>
    %41 = stablehlo.add %40, %38 : tensor<4x1x32xf32>
    %42 = stablehlo.slice %39 [0:4, 0:0, 0:32] : (tensor<4x1x32xf32>) -> tensor<4x0x32xf32>
    %43 = stablehlo.slice %41 [0:4, 0:0, 0:32] : (tensor<4x1x32xf32>) -> tensor<4x0x32xf32>
    %44 = stablehlo.slice %32 [0:4, 2:2:2, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x0x32xf32>
    %45 = stablehlo.slice %34 [0:4, 2:2:2, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x0x32xf32>
    %46 = stablehlo.multiply %42, %44 : tensor<4x0x32xf32>
    %47 = stablehlo.multiply %44, %43 : tensor<4x0x32xf32>
    %48 = stablehlo.add %47, %45 : tensor<4x0x32xf32>
    %49 = stablehlo.slice %32 [0:4, 0:1, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %50 = stablehlo.concatenate %49, %46, dim = 1 : (tensor<4x1x32xf32>, tensor<4x0x32xf32>) -> tensor<4x1x32xf32>
    %51 = stablehlo.slice %34 [0:4, 0:1, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %52 = stablehlo.concatenate %51, %48, dim = 1 : (tensor<4x1x32xf32>, tensor<4x0x32xf32>) -> tensor<4x1x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.pad %50, %cst, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x1x32xf32>, tensor<f32>) -> tensor<4x2x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.pad %39, %cst_0, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x1x32xf32>, tensor<f32>) -> tensor<4x2x32xf32>
    %55 = stablehlo.add %53, %54 : tensor<4x2x32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.pad %52, %cst_1, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x1x32xf32>, tensor<f32>) -> tensor<4x2x32xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.pad %41, %cst_2, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x1x32xf32>, tensor<f32>) -> tensor<4x2x32xf32>
    %58 = stablehlo.add %56, %57 : tensor<4x2x32xf32>
    %59 = stablehlo.slice %55 [0:4, 0:1, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %60 = stablehlo.slice %58 [0:4, 0:1, 0:32] : (tensor<4x2x32xf32>) -> tensor<4x1x32xf32>
    %61 = stablehlo.slice %25 [0:4, 2:4:2, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x1x32xf32>
    %62 = stablehlo.slice %27 [0:4, 2:4:2, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x1x32xf32>
    %63 = stablehlo.multiply %59, %61 : tensor<4x1x32xf32>
    %64 = stablehlo.multiply %61, %60 : tensor<4x1x32xf32>
    %65 = stablehlo.add %64, %62 : tensor<4x1x32xf32>
    %66 = stablehlo.slice %25 [0:4, 0:1, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x1x32xf32>
    %67 = stablehlo.concatenate %66, %63, dim = 1 : (tensor<4x1x32xf32>, tensor<4x1x32xf32>) -> tensor<4x2x32xf32>
    %68 = stablehlo.slice %27 [0:4, 0:1, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x1x32xf32>
    %69 = stablehlo.concatenate %68, %65, dim = 1 : (tensor<4x1x32xf32>, tensor<4x1x32xf32>) -> tensor<4x2x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.pad %67, %cst_3, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x2x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.pad %55, %cst_4, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x2x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %72 = stablehlo.add %70, %71 : tensor<4x4x32xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.pad %69, %cst_5, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x2x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.pad %58, %cst_6, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x2x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %75 = stablehlo.add %73, %74 : tensor<4x4x32xf32>
    %76 = stablehlo.slice %72 [0:4, 0:3, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x3x32xf32>
    %77 = stablehlo.slice %75 [0:4, 0:3, 0:32] : (tensor<4x4x32xf32>) -> tensor<4x3x32xf32>
    %78 = stablehlo.slice %18 [0:4, 2:8:2, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x3x32xf32>
    %79 = stablehlo.slice %20 [0:4, 2:8:2, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x3x32xf32>
    %80 = stablehlo.multiply %76, %78 : tensor<4x3x32xf32>
    %81 = stablehlo.multiply %78, %77 : tensor<4x3x32xf32>
    %82 = stablehlo.add %81, %79 : tensor<4x3x32xf32>
    %83 = stablehlo.slice %18 [0:4, 0:1, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x1x32xf32>
    %84 = stablehlo.concatenate %83, %80, dim = 1 : (tensor<4x1x32xf32>, tensor<4x3x32xf32>) -> tensor<4x4x32xf32>
    %85 = stablehlo.slice %20 [0:4, 0:1, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x1x32xf32>
    %86 = stablehlo.concatenate %85, %82, dim = 1 : (tensor<4x1x32xf32>, tensor<4x3x32xf32>) -> tensor<4x4x32xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.pad %84, %cst_7, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x4x32xf32>, tensor<f32>) -> tensor<4x8x32xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.pad %72, %cst_8, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x4x32xf32>, tensor<f32>) -> tensor<4x8x32xf32>
    %89 = stablehlo.add %87, %88 : tensor<4x8x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.pad %86, %cst_9, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x4x32xf32>, tensor<f32>) -> tensor<4x8x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.pad %75, %cst_10, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x4x32xf32>, tensor<f32>) -> tensor<4x8x32xf32>
    %92 = stablehlo.add %90, %91 : tensor<4x8x32xf32>
    %93 = stablehlo.slice %89 [0:4, 0:7, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x7x32xf32>
    %94 = stablehlo.slice %92 [0:4, 0:7, 0:32] : (tensor<4x8x32xf32>) -> tensor<4x7x32xf32>
    %95 = stablehlo.slice %11 [0:4, 2:16:2, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x7x32xf32>
    %96 = stablehlo.slice %13 [0:4, 2:16:2, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x7x32xf32>
    %97 = stablehlo.multiply %93, %95 : tensor<4x7x32xf32>
    %98 = stablehlo.multiply %95, %94 : tensor<4x7x32xf32>
    %99 = stablehlo.add %98, %96 : tensor<4x7x32xf32>
    %100 = stablehlo.slice %11 [0:4, 0:1, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x1x32xf32>
    %101 = stablehlo.concatenate %100, %97, dim = 1 : (tensor<4x1x32xf32>, tensor<4x7x32xf32>) -> tensor<4x8x32xf32>
    %102 = stablehlo.slice %13 [0:4, 0:1, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x1x32xf32>
    %103 = stablehlo.concatenate %102, %99, dim = 1 : (tensor<4x1x32xf32>, tensor<4x7x32xf32>) -> tensor<4x8x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.pad %101, %cst_11, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x16x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.pad %89, %cst_12, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x16x32xf32>
    %106 = stablehlo.add %104, %105 : tensor<4x16x32xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.pad %103, %cst_13, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x16x32xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.pad %92, %cst_14, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x16x32xf32>
    %109 = stablehlo.add %107, %108 : tensor<4x16x32xf32>
    %110 = stablehlo.slice %106 [0:4, 0:15, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x15x32xf32>
    %111 = stablehlo.slice %109 [0:4, 0:15, 0:32] : (tensor<4x16x32xf32>) -> tensor<4x15x32xf32>
    %112 = stablehlo.slice %4 [0:4, 2:32:2, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x15x32xf32>
    %113 = stablehlo.slice %6 [0:4, 2:32:2, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x15x32xf32>
    %114 = stablehlo.multiply %110, %112 : tensor<4x15x32xf32>
    %115 = stablehlo.multiply %112, %111 : tensor<4x15x32xf32>
    %116 = stablehlo.add %115, %113 : tensor<4x15x32xf32>
    %117 = stablehlo.slice %4 [0:4, 0:1, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x1x32xf32>
    %118 = stablehlo.concatenate %117, %114, dim = 1 : (tensor<4x1x32xf32>, tensor<4x15x32xf32>) -> tensor<4x16x32xf32>
    %119 = stablehlo.slice %6 [0:4, 0:1, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x1x32xf32>
    %120 = stablehlo.concatenate %119, %116, dim = 1 : (tensor<4x1x32xf32>, tensor<4x15x32xf32>) -> tensor<4x16x32xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.pad %118, %cst_15, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x32x32xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.pad %106, %cst_16, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x32x32xf32>
    %123 = stablehlo.add %121, %122 : tensor<4x32x32xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.pad %120, %cst_17, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x32x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.pad %109, %cst_18, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x32x32xf32>
    %126 = stablehlo.add %124, %125 : tensor<4x32x32xf32>
    %127 = stablehlo.slice %123 [0:4, 0:31, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x31x32xf32>
    %128 = stablehlo.slice %126 [0:4, 0:31, 0:32] : (tensor<4x32x32xf32>) -> tensor<4x31x32xf32>
    %129 = stablehlo.slice %arg0 [0:4, 2:64:2, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x31x32xf32>
    %130 = stablehlo.slice %arg1 [0:4, 2:64:2, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x31x32xf32>
    %131 = stablehlo.multiply %127, %129 : tensor<4x31x32xf32>
    %132 = stablehlo.multiply %129, %128 : tensor<4x31x32xf32>
    %133 = stablehlo.add %132, %130 : tensor<4x31x32xf32>
    %134 = stablehlo.slice %arg0 [0:4, 0:1, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x1x32xf32>
    %135 = stablehlo.concatenate %134, %131, dim = 1 : (tensor<4x1x32xf32>, tensor<4x31x32xf32>) -> tensor<4x32x32xf32>
    %136 = stablehlo.slice %arg1 [0:4, 0:1, 0:32] : (tensor<4x64x32xf32>) -> tensor<4x1x32xf32>
    %137 = stablehlo.concatenate %136, %133, dim = 1 : (tensor<4x1x32xf32>, tensor<4x31x32xf32>) -> tensor<4x32x32xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %138 = stablehlo.pad %135, %cst_19, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x32x32xf32>, tensor<f32>) -> tensor<4x64x32xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.pad %123, %cst_20, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x32x32xf32>, tensor<f32>) -> tensor<4x64x32xf32>
    %140 = stablehlo.add %138, %139 : tensor<4x64x32xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.pad %137, %cst_21, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<4x32x32xf32>, tensor<f32>) -> tensor<4x64x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.pad %126, %cst_22, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<4x32x32xf32>, tensor<f32>) -> tensor<4x64x32xf32>
    %143 = stablehlo.add %141, %142 : tensor<4x64x32xf32>
    return %143 : tensor<4x64x32xf32>
  }
}
