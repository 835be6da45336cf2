module @jit_fft_filter attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg1: tensor<13x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x24xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<8x13xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<13x2xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x4x6xf32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, tensor<8x4x6xf32> {jax.result_info = "result[4]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) {
    %0 = call @fft(%arg0) : (tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {}]> : tensor<8x13xcomplex<f32>>
    %2 = stablehlo.slice %arg1 [0:13, 0:1] : (tensor<13x2xf32>) -> tensor<13x1xf32>
    %3 = stablehlo.reshape %2 : (tensor<13x1xf32>) -> tensor<13xf32>
    %4 = stablehlo.slice %arg1 [0:13, 1:2] : (tensor<13x2xf32>) -> tensor<13x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<13x1xf32>) -> tensor<13xf32>
    %6 = stablehlo.convert %5 : (tensor<13xf32>) -> tensor<13xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<13xcomplex<f32>>
    %8 = stablehlo.multiply %7, %6 : tensor<13xcomplex<f32>>
    %9 = stablehlo.convert %3 : (tensor<13xf32>) -> tensor<13xcomplex<f32>>
    %10 = stablehlo.add %9, %8 : tensor<13xcomplex<f32>>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<13xcomplex<f32>>) -> tensor<1x13xcomplex<f32>>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x13xcomplex<f32>>) -> tensor<8x13xcomplex<f32>>
    %13 = stablehlo.multiply %1, %12 : tensor<8x13xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = call @_pad(%13, %c) : (tensor<8x13xcomplex<f32>>, tensor<i32>) -> tensor<8x13xcomplex<f32>>
    %15 = call @fft_0(%14) : (tensor<8x13xcomplex<f32>>) -> tensor<8x24xf32>
    %16 = stablehlo.abs %1 : (tensor<8x13xcomplex<f32>>) -> tensor<8x13xf32>
    %17 = stablehlo.multiply %16, %16 : tensor<8x13xf32>
    %18 = call @fft(%arg0) : (tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>>
    %19 = sdy.sharding_constraint %18 <@mesh, [{"data"}, {}]> : tensor<8x13xcomplex<f32>>
    %20 = stablehlo.slice %arg1 [0:13, 0:1] : (tensor<13x2xf32>) -> tensor<13x1xf32>
    %21 = stablehlo.reshape %20 : (tensor<13x1xf32>) -> tensor<13xf32>
    %22 = stablehlo.slice %arg1 [0:13, 1:2] : (tensor<13x2xf32>) -> tensor<13x1xf32>
    %23 = stablehlo.reshape %22 : (tensor<13x1xf32>) -> tensor<13xf32>
    %24 = stablehlo.convert %23 : (tensor<13xf32>) -> tensor<13xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %25 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<13xcomplex<f32>>
    %26 = stablehlo.multiply %25, %24 : tensor<13xcomplex<f32>>
    %27 = stablehlo.convert %21 : (tensor<13xf32>) -> tensor<13xcomplex<f32>>
    %28 = stablehlo.add %27, %26 : tensor<13xcomplex<f32>>
    %29 = stablehlo.broadcast_in_dim %28, dims = [1] : (tensor<13xcomplex<f32>>) -> tensor<1x13xcomplex<f32>>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<1x13xcomplex<f32>>) -> tensor<8x13xcomplex<f32>>
    %31 = stablehlo.multiply %19, %30 : tensor<8x13xcomplex<f32>>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %32:2 = call @_pad_1(%31, %c_1) : (tensor<8x13xcomplex<f32>>, tensor<i32>) -> (tensor<8x13xcomplex<f32>>, tensor<complex<f32>>)
    %33 = call @fft_2(%32#0) : (tensor<8x13xcomplex<f32>>) -> tensor<8x24xf32>
    %34 = stablehlo.abs %19 : (tensor<8x13xcomplex<f32>>) -> tensor<8x13xf32>
    %35 = stablehlo.multiply %34, %34 : tensor<8x13xf32>
    %36 = stablehlo.multiply %33, %33 : tensor<8x24xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %38 = stablehlo.multiply %37, %33 : tensor<8x24xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%36 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %41 = stablehlo.multiply %40, %38 : tensor<8x24xf32>
    %42 = call @fft_3(%41) : (tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>>
    %43 = call @_pad_5(%32#1, %42) : (tensor<complex<f32>>, tensor<8x13xcomplex<f32>>) -> tensor<8x13xcomplex<f32>>
    %44 = stablehlo.multiply %19, %43 : tensor<8x13xcomplex<f32>>
    %cst_5 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %45 = stablehlo.reduce(%44 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<8x13xcomplex<f32>>, tensor<complex<f32>>) -> tensor<13xcomplex<f32>>
    %46 = stablehlo.reshape %45 : (tensor<13xcomplex<f32>>) -> tensor<1x13xcomplex<f32>>
    %cst_6 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %47 = stablehlo.reduce(%46 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x13xcomplex<f32>>, tensor<complex<f32>>) -> tensor<13xcomplex<f32>>
    %48 = stablehlo.real %47 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %49 = stablehlo.convert %48 : tensor<13xf32>
    %cst_7 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %50 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<complex<f32>>) -> tensor<13xcomplex<f32>>
    %51 = stablehlo.multiply %50, %47 : tensor<13xcomplex<f32>>
    %52 = stablehlo.real %51 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %53 = stablehlo.convert %52 : tensor<13xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0] : (tensor<13xf32>) -> tensor<13x1xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.pad %54, %cst_8, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<13x1xf32>, tensor<f32>) -> tensor<13x2xf32>
    %56 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<13xf32>) -> tensor<13x1xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.pad %56, %cst_9, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<13x1xf32>, tensor<f32>) -> tensor<13x2xf32>
    %58 = stablehlo.add %55, %57 : tensor<13x2xf32>
    %59 = stablehlo.reshape %arg0 : (tensor<8x24xf32>) -> tensor<8x4x6xf32>
    %60 = call @fft_6(%59) : (tensor<8x4x6xf32>) -> tensor<8x4x6xcomplex<f32>>
    %cst_10 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %61 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<complex<f32>>) -> tensor<8x4x6xcomplex<f32>>
    %62 = stablehlo.multiply %60, %61 : tensor<8x4x6xcomplex<f32>>
    %63 = call @fft_7(%62) : (tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xcomplex<f32>>
    %64 = stablehlo.real %63 : (tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xf32>
    %cst_11 = stablehlo.constant dense<(1.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %65 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<complex<f32>>) -> tensor<8x4x6xcomplex<f32>>
    %66 = stablehlo.add %63, %65 : tensor<8x4x6xcomplex<f32>>
    %67 = call @angle(%66) : (tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xf32>
    return %15, %17, %58, %64, %67 : tensor<8x24xf32>, tensor<8x13xf32>, tensor<13x2xf32>, tensor<8x4x6xf32>, tensor<8x4x6xf32>
  }
  func.func private @fft(%arg0: tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [24] : (tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>>
    return %0 : tensor<8x13xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<8x13xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<8x13xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<8x13xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8x13xcomplex<f32>>
    return %1 : tensor<8x13xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<8x13xcomplex<f32>>) -> tensor<8x24xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [24] : (tensor<8x13xcomplex<f32>>) -> tensor<8x24xf32>
    return %0 : tensor<8x24xf32>
  }
  func.func private @_pad_1(%arg0: tensor<8x13xcomplex<f32>>, %arg1: tensor<i32>) -> (tensor<8x13xcomplex<f32>>, tensor<complex<f32>>) {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<8x13xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8x13xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    return %1, %cst : tensor<8x13xcomplex<f32>>, tensor<complex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<8x13xcomplex<f32>>) -> tensor<8x24xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [24] : (tensor<8x13xcomplex<f32>>) -> tensor<8x24xf32>
    return %0 : tensor<8x24xf32>
  }
  func.func private @fft_3(%arg0: tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>> {
    %0 = call @fft_4(%arg0) : (tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<13xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_update_slice %1, %2, %c : (tensor<13xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<13xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c_2 = stablehlo.constant dense<12> : tensor<i32>
    %5 = stablehlo.dynamic_update_slice %3, %4, %c_2 : (tensor<13xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<13xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<13xcomplex<f32>>) -> tensor<1x13xcomplex<f32>>
    %cst_3 = stablehlo.constant dense<(0.0416666679,0.000000e+00)> : tensor<complex<f32>>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<1x13xcomplex<f32>>
    %8 = stablehlo.multiply %7, %6 : tensor<1x13xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x13xcomplex<f32>>) -> tensor<8x13xcomplex<f32>>
    %10 = stablehlo.multiply %9, %0 : tensor<8x13xcomplex<f32>>
    %11 = stablehlo.real %10 : (tensor<8x13xcomplex<f32>>) -> tensor<8x13xf32>
    %12 = stablehlo.imag %10 : (tensor<8x13xcomplex<f32>>) -> tensor<8x13xf32>
    %13 = stablehlo.negate %12 : tensor<8x13xf32>
    %14 = stablehlo.complex %11, %13 : tensor<8x13xcomplex<f32>>
    return %14 : tensor<8x13xcomplex<f32>>
  }
  func.func private @fft_4(%arg0: tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [24] : (tensor<8x24xf32>) -> tensor<8x13xcomplex<f32>>
    return %0 : tensor<8x13xcomplex<f32>>
  }
  func.func private @_pad_5(%arg0: tensor<complex<f32>>, %arg1: tensor<8x13xcomplex<f32>>) -> tensor<8x13xcomplex<f32>> {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.pad %arg1, %cst, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<8x13xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8x13xcomplex<f32>>
    %1 = stablehlo.slice %0 [0:8, 0:13] : (tensor<8x13xcomplex<f32>>) -> tensor<8x13xcomplex<f32>>
    return %1 : tensor<8x13xcomplex<f32>>
  }
  func.func private @fft_6(%arg0: tensor<8x4x6xf32>) -> tensor<8x4x6xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<8x4x6xf32>) -> tensor<8x4x6xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [4, 6] : (tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xcomplex<f32>>
    return %1 : tensor<8x4x6xcomplex<f32>>
  }
  func.func private @fft_7(%arg0: tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [4, 6] : (tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xcomplex<f32>>
    return %0 : tensor<8x4x6xcomplex<f32>>
  }
  func.func private @angle(%arg0: tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xf32> {
    %0 = stablehlo.real %arg0 : (tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xf32>
    %1 = stablehlo.imag %arg0 : (tensor<8x4x6xcomplex<f32>>) -> tensor<8x4x6xf32>
    %2 = stablehlo.atan2 %1, %0 : tensor<8x4x6xf32>
    return %2 : tensor<8x4x6xf32>
  }
}
