module @jit_attention_grouped attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg1: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg2: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg3: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg4: tensor<8x12x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %arg5: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> (tensor<8x12x32xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12x32xf32>, tensor<32x64xf32>) -> tensor<8x12x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<8x12x64xf32>) -> tensor<8x12x8x8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<4xi32>
    %3 = stablehlo.convert %2 : (tensor<4xi32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.divide %3, %4 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.power %6, %5 : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.divide %8, %7 : tensor<4xf32>
    %10 = stablehlo.iota dim = 0 : tensor<12xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %12 = stablehlo.convert %11 : (tensor<12x1xi32>) -> tensor<12x1xf32>
    %13 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x4xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<12x4xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<12x4xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [1, 3] : (tensor<12x4xf32>) -> tensor<1x12x1x4xf32>
    %18 = stablehlo.slice %1 [0:8, 0:12, 0:8, 0:4] : (tensor<8x12x8x8xf32>) -> tensor<8x12x8x4xf32>
    %19 = stablehlo.slice %1 [0:8, 0:12, 0:8, 4:8] : (tensor<8x12x8x8xf32>) -> tensor<8x12x8x4xf32>
    %20 = stablehlo.cosine %17 : tensor<1x12x1x4xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x8x4xf32>
    %22 = stablehlo.multiply %18, %21 : tensor<8x12x8x4xf32>
    %23 = stablehlo.sine %17 : tensor<1x12x1x4xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x8x4xf32>
    %25 = stablehlo.multiply %19, %24 : tensor<8x12x8x4xf32>
    %26 = stablehlo.subtract %22, %25 : tensor<8x12x8x4xf32>
    %27 = stablehlo.sine %17 : tensor<1x12x1x4xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x8x4xf32>
    %29 = stablehlo.multiply %18, %28 : tensor<8x12x8x4xf32>
    %30 = stablehlo.cosine %17 : tensor<1x12x1x4xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x8x4xf32>
    %32 = stablehlo.multiply %19, %31 : tensor<8x12x8x4xf32>
    %33 = stablehlo.add %29, %32 : tensor<8x12x8x4xf32>
    %34 = stablehlo.concatenate %26, %33, dim = 3 : (tensor<8x12x8x4xf32>, tensor<8x12x8x4xf32>) -> tensor<8x12x8x8xf32>
    %35 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12x32xf32>, tensor<32x16xf32>) -> tensor<8x12x16xf32>
    %36 = stablehlo.reshape %35 : (tensor<8x12x16xf32>) -> tensor<8x12x2x8xf32>
    %37 = stablehlo.iota dim = 0 : tensor<4xi32>
    %38 = stablehlo.convert %37 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %40 = stablehlo.divide %38, %39 : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %42 = stablehlo.power %41, %40 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %44 = stablehlo.divide %43, %42 : tensor<4xf32>
    %45 = stablehlo.iota dim = 0 : tensor<12xi32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %47 = stablehlo.convert %46 : (tensor<12x1xi32>) -> tensor<12x1xf32>
    %48 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %49 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x4xf32>
    %50 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<12x4xf32>
    %51 = stablehlo.multiply %49, %50 : tensor<12x4xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [1, 3] : (tensor<12x4xf32>) -> tensor<1x12x1x4xf32>
    %53 = stablehlo.slice %36 [0:8, 0:12, 0:2, 0:4] : (tensor<8x12x2x8xf32>) -> tensor<8x12x2x4xf32>
    %54 = stablehlo.slice %36 [0:8, 0:12, 0:2, 4:8] : (tensor<8x12x2x8xf32>) -> tensor<8x12x2x4xf32>
    %55 = stablehlo.cosine %52 : tensor<1x12x1x4xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x2x4xf32>
    %57 = stablehlo.multiply %53, %56 : tensor<8x12x2x4xf32>
    %58 = stablehlo.sine %52 : tensor<1x12x1x4xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x2x4xf32>
    %60 = stablehlo.multiply %54, %59 : tensor<8x12x2x4xf32>
    %61 = stablehlo.subtract %57, %60 : tensor<8x12x2x4xf32>
    %62 = stablehlo.sine %52 : tensor<1x12x1x4xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x2x4xf32>
    %64 = stablehlo.multiply %53, %63 : tensor<8x12x2x4xf32>
    %65 = stablehlo.cosine %52 : tensor<1x12x1x4xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2, 3] : (tensor<1x12x1x4xf32>) -> tensor<8x12x2x4xf32>
    %67 = stablehlo.multiply %54, %66 : tensor<8x12x2x4xf32>
    %68 = stablehlo.add %64, %67 : tensor<8x12x2x4xf32>
    %69 = stablehlo.concatenate %61, %68, dim = 3 : (tensor<8x12x2x4xf32>, tensor<8x12x2x4xf32>) -> tensor<8x12x2x8xf32>
    %70 = stablehlo.dot_general %arg4, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12x32xf32>, tensor<32x16xf32>) -> tensor<8x12x16xf32>
    %71 = stablehlo.reshape %70 : (tensor<8x12x16xf32>) -> tensor<8x12x2x8xf32>
    %72 = stablehlo.reshape %34 : (tensor<8x12x8x8xf32>) -> tensor<8x12x2x4x8xf32>
    %73 = sdy.sharding_constraint %72 <@mesh, [{"data"}, {}, {"model"}, {}, {}]> : tensor<8x12x2x4x8xf32>
    %74 = stablehlo.dot_general %69, %73, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x12x2x8xf32>, tensor<8x12x2x4x8xf32>) -> tensor<8x2x12x12x4xf32>
    %75 = stablehlo.transpose %74, dims = [0, 1, 4, 3, 2] : (tensor<8x2x12x12x4xf32>) -> tensor<8x2x4x12x12xf32>
    %cst_5 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x2x4x12x12xf32>
    %77 = stablehlo.multiply %75, %76 : tensor<8x2x4x12x12xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %78 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %79 = call @tril(%78) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %80 = stablehlo.broadcast_in_dim %79, dims = [1, 2] : (tensor<12x12xi1>) -> tensor<1x12x12xi1>
    %81 = stablehlo.iota dim = 0 : tensor<12xi32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [2] : (tensor<12xi32>) -> tensor<1x1x12xi32>
    %83 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<8xi32>) -> tensor<8x1x1xi32>
    %84 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<1x1x12xi32>) -> tensor<8x1x12xi32>
    %85 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<8x1x1xi32>) -> tensor<8x1x12xi32>
    %86 = stablehlo.compare LT, %84, %85, SIGNED : (tensor<8x1x12xi32>, tensor<8x1x12xi32>) -> tensor<8x1x12xi1>
    %87 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x12x12xi1>) -> tensor<8x12x12xi1>
    %88 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<8x1x12xi1>) -> tensor<8x12x12xi1>
    %89 = stablehlo.and %87, %88 : tensor<8x12x12xi1>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0, 3, 4] : (tensor<8x12x12xi1>) -> tensor<8x1x1x12x12xi1>
    %cst_6 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %91 = call @_where(%90, %77, %cst_6) : (tensor<8x1x1x12x12xi1>, tensor<8x2x4x12x12xf32>, tensor<f32>) -> tensor<8x2x4x12x12xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_7) applies stablehlo.maximum across dimensions = [4] : (tensor<8x2x4x12x12xf32>, tensor<f32>) -> tensor<8x2x4x12xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x2x4x12xf32>
    %94 = stablehlo.maximum %93, %92 : tensor<8x2x4x12xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2, 3] : (tensor<8x2x4x12xf32>) -> tensor<8x2x4x12x1xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2, 3, 4] : (tensor<8x2x4x12x1xf32>) -> tensor<8x2x4x12x12xf32>
    %97 = stablehlo.subtract %91, %96 : tensor<8x2x4x12x12xf32>
    %98 = stablehlo.exponential %97 : tensor<8x2x4x12x12xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_9) applies stablehlo.add across dimensions = [4] : (tensor<8x2x4x12x12xf32>, tensor<f32>) -> tensor<8x2x4x12xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2, 3] : (tensor<8x2x4x12xf32>) -> tensor<8x2x4x12x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2, 3, 4] : (tensor<8x2x4x12x1xf32>) -> tensor<8x2x4x12x12xf32>
    %102 = stablehlo.divide %98, %101 : tensor<8x2x4x12x12xf32>
    %103 = stablehlo.dot_general %71, %102, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x12x2x8xf32>, tensor<8x2x4x12x12xf32>) -> tensor<8x2x8x4x12xf32>
    %104 = stablehlo.transpose %103, dims = [0, 4, 1, 3, 2] : (tensor<8x2x8x4x12xf32>) -> tensor<8x12x2x4x8xf32>
    %105 = stablehlo.reshape %104 : (tensor<8x12x2x4x8xf32>) -> tensor<8x12x64xf32>
    %106 = stablehlo.dot_general %105, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12x64xf32>, tensor<64x32xf32>) -> tensor<8x12x32xf32>
    return %106 : tensor<8x12x32xf32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where(%arg0: tensor<8x1x1x12x12xi1>, %arg1: tensor<8x2x4x12x12xf32>, %arg2: tensor<f32>) -> tensor<8x2x4x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3, 4] : (tensor<8x1x1x12x12xi1>) -> tensor<8x2x4x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x2x4x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x2x4x12x12xi1>, tensor<8x2x4x12x12xf32>
    return %3 : tensor<8x2x4x12x12xf32>
  }
}
