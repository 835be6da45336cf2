// RUN: shardwise-opt %s -shardwise-split-fourier-transforms | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// Rows are at home; columns are brought together, and taken back to where the result is.
// CHECK-LABEL: func @rows
func.func @rows(%a: tensor<64x32xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x32xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: %[[ROWS:.*]] = stablehlo.fft %arg0, type = FFT, length = [32] {{.*}}[{"x"}, {}]
  // CHECK: %[[TURNED:.*]] = stablehlo.transpose %[[ROWS]], dims = [1, 0] {{.*}}[{"x"}, {}]{{.*}} -> tensor<32x64xcomplex<f32>>
  // CHECK: %[[COLUMNS:.*]] = stablehlo.fft %[[TURNED]], type = FFT, length = [64] {{.*}}[{"x"}, {}]
  // CHECK: stablehlo.transpose %[[COLUMNS]], dims = [1, 0] {{.*}}[{"x"}, {}]{{.*}} -> tensor<64x32xcomplex<f32>>
  %0 = stablehlo.fft %a, type = FFT, length = [64, 32] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x32xcomplex<f32>>) -> tensor<64x32xcomplex<f32>>
  return %0 : tensor<64x32xcomplex<f32>>
}

// The dimension of the real numbers comes first, though it is the one that is cut.
// CHECK-LABEL: func @ofRealNumbers
func.func @ofRealNumbers(%a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<64x17xcomplex<f32>> {
  // CHECK: stablehlo.fft %arg0, type = RFFT, length = [32] {{.*}}[{"x"}, {}]{{.*}} -> tensor<64x17xcomplex<f32>>
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [64] {{.*}}[{"x"}, {}]{{.*}} -> tensor<17x64xcomplex<f32>>
  %0 = stablehlo.fft %a, type = RFFT, length = [64, 32] : (tensor<64x32xf32>) -> tensor<64x17xcomplex<f32>>
  return %0 : tensor<64x17xcomplex<f32>>
}

// And last on the way back, though it is whole. The batch takes the axes of the other.
// CHECK-LABEL: func @toRealNumbers
func.func @toRealNumbers(%a: tensor<16x64x17xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) -> tensor<16x64x32xf32> {
  // CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [64] {{.*}}[{"y", "x"}, {}, {}]{{.*}} -> tensor<16x17x64xcomplex<f32>>
  // CHECK: stablehlo.fft %{{.*}}, type = IRFFT, length = [32] {{.*}}[{"y", "x"}, {}, {}]{{.*}} -> tensor<16x64x32xf32>
  %0 = stablehlo.fft %a, type = IRFFT, length = [64, 32] : (tensor<16x64x17xcomplex<f32>>) -> tensor<16x64x32xf32>
  return %0 : tensor<16x64x32xf32>
}

// What is whole stays one op, also if two of three dimensions are.
// CHECK-LABEL: func @whole
func.func @whole(%a: tensor<16x64x32xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<16x64x32xcomplex<f32>>, tensor<16x64x32xcomplex<f32>>) {
  // CHECK-NEXT: stablehlo.fft %arg0, type = IFFT, length = [64, 32]
  // CHECK-NEXT: stablehlo.fft %arg0, type = IFFT, length = [64, 32]
  // CHECK-NEXT: stablehlo.transpose
  // CHECK-NEXT: stablehlo.fft %{{.*}}, type = IFFT, length = [16]
  %0 = stablehlo.fft %a, type = IFFT, length = [64, 32] : (tensor<16x64x32xcomplex<f32>>) -> tensor<16x64x32xcomplex<f32>>
  %1 = stablehlo.fft %a, type = IFFT, length = [16, 64, 32] : (tensor<16x64x32xcomplex<f32>>) -> tensor<16x64x32xcomplex<f32>>
  return %0, %1 : tensor<16x64x32xcomplex<f32>>, tensor<16x64x32xcomplex<f32>>
}

// Parts of an axis that come together are the axis.
// CHECK-LABEL: func @partsOfAnAxis
func.func @partsOfAnAxis(%a: tensor<8x8xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)2}]>}) -> tensor<8x8xcomplex<f32>> {
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] {{.*}}[{"x":(2)2, "x":(1)2}, {}]
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8] {{.*}}[{"x":(2)2, "x":(1)2}, {}]
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8] {{.*}}[{"x":(2)2, "x":(1)2}, {}]
  %0 = stablehlo.fft %a, type = FFT, length = [8, 8] : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  return %0 : tensor<8x8xcomplex<f32>>
}

// CHECK-LABEL: func @partsOfAnAxisInOrder
func.func @partsOfAnAxisInOrder(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)2}]>}) -> tensor<8x5xcomplex<f32>> {
  // CHECK: stablehlo.fft %arg0, type = RFFT, length = [8] {{.*}}[{"x"}, {}]
  %0 = stablehlo.fft %a, type = RFFT, length = [8, 8] : (tensor<8x8xf32>) -> tensor<8x5xcomplex<f32>>
  return %0 : tensor<8x5xcomplex<f32>>
}
