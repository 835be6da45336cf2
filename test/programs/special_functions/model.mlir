module @jit_special_functions attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<8x6xf32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}, tensor<8x6xf32> {jax.result_info = "result[2]"}, tensor<8x6xf32> {jax.result_info = "result[3]"}, tensor<8x6xf32> {jax.result_info = "result[4]"}, tensor<8x6xf32> {jax.result_info = "result[5]"}, tensor<8x6xf32> {jax.result_info = "result[6]"}, tensor<8x6xf32> {jax.result_info = "result[7]"}, tensor<8x6xf32> {jax.result_info = "result[8]"}, tensor<8x6xf32> {jax.result_info = "result[9]"}, tensor<8x6xf32> {jax.result_info = "result[10]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"data"}, {}]> : tensor<8x6xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<8x6xf32>
    %3 = chlo.lgamma %2 : tensor<8x6xf32> -> tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %5 = stablehlo.multiply %4, %0 : tensor<8x6xf32>
    %6 = chlo.digamma %5 : tensor<8x6xf32> -> tensor<8x6xf32>
    %7 = chlo.erf %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %9 = stablehlo.multiply %8, %0 : tensor<8x6xf32>
    %10 = chlo.erfc %9 : tensor<8x6xf32> -> tensor<8x6xf32>
    %11 = stablehlo.add %7, %10 : tensor<8x6xf32>
    %12 = chlo.erf_inv %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %14 = stablehlo.add %0, %13 : tensor<8x6xf32>
    %15 = chlo.zeta %14, %0 : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
    %16 = chlo.bessel_i1e %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %17 = chlo.asin %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %19 = stablehlo.divide %0, %18 : tensor<8x6xf32>
    %20 = chlo.acos %19 : tensor<8x6xf32> -> tensor<8x6xf32>
    %21 = stablehlo.add %17, %20 : tensor<8x6xf32>
    %cst_4 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %23 = stablehlo.multiply %22, %0 : tensor<8x6xf32>
    %24 = chlo.atan %23 : tensor<8x6xf32> -> tensor<8x6xf32>
    %25 = stablehlo.add %21, %24 : tensor<8x6xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %27 = stablehlo.subtract %0, %26 : tensor<8x6xf32>
    %28 = stablehlo.atan2 %0, %27 : tensor<8x6xf32>
    %29 = stablehlo.add %25, %28 : tensor<8x6xf32>
    %30 = chlo.sinh %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %31 = chlo.cosh %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %32 = stablehlo.add %30, %31 : tensor<8x6xf32>
    %33 = stablehlo.tan %0 : tensor<8x6xf32>
    %34 = stablehlo.add %32, %33 : tensor<8x6xf32>
    %35 = stablehlo.cbrt %0 : tensor<8x6xf32>
    %36 = stablehlo.add %34, %35 : tensor<8x6xf32>
    %37 = chlo.asinh %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %39 = stablehlo.add %38, %0 : tensor<8x6xf32>
    %40 = call @arccosh(%39) : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %41 = stablehlo.add %37, %40 : tensor<8x6xf32>
    %42 = chlo.atanh %0 : tensor<8x6xf32> -> tensor<8x6xf32>
    %43 = stablehlo.add %41, %42 : tensor<8x6xf32>
    %44 = stablehlo.exponential_minus_one %0 : tensor<8x6xf32>
    %45 = stablehlo.log_plus_one %0 : tensor<8x6xf32>
    %46 = stablehlo.add %44, %45 : tensor<8x6xf32>
    %cst_7 = stablehlo.constant dense<0.693147182> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %48 = stablehlo.multiply %47, %0 : tensor<8x6xf32>
    %49 = stablehlo.exponential %48 : tensor<8x6xf32>
    %50 = stablehlo.add %46, %49 : tensor<8x6xf32>
    %cst_8 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %52 = stablehlo.power %0, %51 : tensor<8x6xf32>
    %53 = stablehlo.add %50, %52 : tensor<8x6xf32>
    %54 = stablehlo.multiply %0, %0 : tensor<8x6xf32>
    %55 = stablehlo.multiply %54, %0 : tensor<8x6xf32>
    %56 = stablehlo.add %53, %55 : tensor<8x6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %58 = chlo.next_after %0, %57 : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
    return %3, %6, %11, %12, %15, %16, %29, %36, %43, %56, %58 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
  }
  func.func private @arccosh(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
    %0 = chlo.acosh %arg0 : tensor<8x6xf32> -> tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
