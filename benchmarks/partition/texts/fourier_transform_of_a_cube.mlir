module @jit_fourier_transform_of_a_cube attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<16x16x16xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<16x16x16xcomplex<f32>> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0 = call @fft(%arg0) : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    %2 = call @fft_0(%1) : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    %3 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    %4 = stablehlo.transpose %3, dims = [1, 2, 0] : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    %5 = call @fft_0(%4) : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    %6 = stablehlo.transpose %5, dims = [2, 0, 1] : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    return %6 : tensor<16x16x16xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [16] : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    return %0 : tensor<16x16x16xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [16] : (tensor<16x16x16xcomplex<f32>>) -> tensor<16x16x16xcomplex<f32>>
    return %0 : tensor<16x16x16xcomplex<f32>>
  }
}
