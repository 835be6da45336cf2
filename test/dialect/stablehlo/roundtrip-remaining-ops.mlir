// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops, batch normalization and map, and the narrow and complex types, in canonical text.
// RUN: grep -v '^//' %s > %t.mlir
// RUN: echo "" >> %t.mlir
// RUN: shardwise-opt %t.mlir | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -mlir-print-op-generic | shardwise-opt | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -emit-bytecode | shardwise-opt | diff %t.mlir -
module {
  func.func @unary(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xcomplex<f32>>) {
    %0 = stablehlo.cbrt %arg0 : tensor<4xf32>
    %1 = stablehlo.ceil %arg0 : tensor<4xf32>
    %2 = stablehlo.cosine %arg0 : tensor<4xf32>
    %3 = stablehlo.exponential_minus_one %arg0 : tensor<4xf32>
    %4 = stablehlo.floor %arg0 : tensor<4xf32>
    %5 = stablehlo.log_plus_one %arg0 : tensor<4xf32>
    %6 = stablehlo.logistic %arg0 : tensor<4xf32>
    %7 = stablehlo.round_nearest_afz %arg0 : tensor<4xf32>
    %8 = stablehlo.round_nearest_even %arg0 : tensor<4xf32>
    %9 = stablehlo.rsqrt %arg0 : tensor<4xf32>
    %10 = stablehlo.sign %arg0 : tensor<4xf32>
    %11 = stablehlo.sine %arg0 : tensor<4xf32>
    %12 = stablehlo.sqrt %arg0 : tensor<4xf32>
    %13 = stablehlo.tan %arg0 : tensor<4xf32>
    %14 = stablehlo.count_leading_zeros %arg1 : tensor<4xi32>
    %15 = stablehlo.not %arg1 : tensor<4xi32>
    %16 = stablehlo.popcnt %arg1 : tensor<4xi32>
    %17 = stablehlo.real %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %18 = stablehlo.imag %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %19 = stablehlo.cbrt %arg2 : tensor<4xcomplex<f32>>
    %20 = stablehlo.sine %arg2 : tensor<4xcomplex<f32>>
    %21 = stablehlo.logistic %arg2 : tensor<4xcomplex<f32>>
    %22 = stablehlo.sign %arg2 : tensor<4xcomplex<f32>>
    return
  }
  func.func @binary(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xcomplex<f32>>, %arg3: tensor<4xi1>) {
    %0 = stablehlo.atan2 %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.divide %arg0, %arg0 : tensor<4xf32>
    %2 = stablehlo.minimum %arg0, %arg0 : tensor<4xf32>
    %3 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %4 = stablehlo.power %arg0, %arg0 : tensor<4xf32>
    %5 = stablehlo.remainder %arg0, %arg0 : tensor<4xf32>
    %6 = stablehlo.and %arg1, %arg1 {note = 1 : i32} : tensor<4xi32>
    %7 = stablehlo.or %arg1, %arg1 {note = 1 : i32} : tensor<4xi32>
    %8 = stablehlo.xor %arg1, %arg1 {note = 1 : i32} : tensor<4xi32>
    %9 = stablehlo.shift_left %arg1, %arg1 {note = 1 : i32} : tensor<4xi32>
    %10 = stablehlo.shift_right_arithmetic %arg1, %arg1 {note = 1 : i32} : tensor<4xi32>
    %11 = stablehlo.shift_right_logical %arg1, %arg1 {note = 1 : i32} : tensor<4xi32>
    %12 = stablehlo.atan2 %arg2, %arg2 : tensor<4xcomplex<f32>>
    %13 = stablehlo.divide %arg2, %arg2 : tensor<4xcomplex<f32>>
    %14 = stablehlo.multiply %arg2, %arg2 : tensor<4xcomplex<f32>>
    %15 = stablehlo.power %arg2, %arg2 : tensor<4xcomplex<f32>>
    %16 = stablehlo.and %arg3, %arg3 : tensor<4xi1>
    %17 = stablehlo.or %arg3, %arg3 : tensor<4xi1>
    %18 = stablehlo.xor %arg3, %arg3 : tensor<4xi1>
    return
  }
  func.func @batchNorm(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) {
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return
  }
  func.func @map(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
    %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func @dynamicConv(%arg0: tensor<1x1x4xf32>, %arg1: tensor<1x1x2xf32>, %arg2: tensor<1x2xi32>) {
    %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<1x1x4xf32>, tensor<1x1x2xf32>, tensor<1x2xi32>) -> tensor<1x1x3xf32>
    return
  }
  func.func @fourier(%arg0: tensor<2x8xf64>, %arg1: tensor<2x5xcomplex<f64>>) {
    %0 = stablehlo.fft %arg0, type =  RFFT, length = [2, 8] : (tensor<2x8xf64>) -> tensor<2x5xcomplex<f64>>
    %1 = stablehlo.fft %arg1, type =  IRFFT, length = [2, 8] : (tensor<2x5xcomplex<f64>>) -> tensor<2x8xf64>
    %2 = stablehlo.fft %arg1, type =  IFFT, length = [5] : (tensor<2x5xcomplex<f64>>) -> tensor<2x5xcomplex<f64>>
    return
  }
  func.func @linearAlgebra(%arg0: tensor<2x3x3xcomplex<f64>>, %arg1: tensor<2x5x3xcomplex<f64>>) {
    %0 = stablehlo.cholesky %arg0 : tensor<2x3x3xcomplex<f64>>
    %1 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<2x3x3xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    return
  }
  func.func @narrowTypes(%arg0: tensor<2xi2>, %arg1: tensor<2xi4>, %arg2: tensor<2xui2>, %arg3: tensor<2xui4>, %arg4: tensor<2xf8E4M3>, %arg5: tensor<2xf8E4M3FN>, %arg6: tensor<2xf8E4M3FNUZ>, %arg7: tensor<2xf8E4M3B11FNUZ>, %arg8: tensor<2xf8E5M2>, %arg9: tensor<2xf8E5M2FNUZ>, %arg10: tensor<2xf8E3M4>, %arg11: tensor<2xf8E8M0FNU>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xi2>
    %1 = stablehlo.add %arg1, %arg1 : tensor<2xi4>
    %2 = stablehlo.add %arg2, %arg2 : tensor<2xui2>
    %3 = stablehlo.add %arg3, %arg3 : tensor<2xui4>
    %4 = stablehlo.add %arg4, %arg4 : tensor<2xf8E4M3>
    %5 = stablehlo.add %arg5, %arg5 : tensor<2xf8E4M3FN>
    %6 = stablehlo.add %arg6, %arg6 : tensor<2xf8E4M3FNUZ>
    %7 = stablehlo.add %arg7, %arg7 : tensor<2xf8E4M3B11FNUZ>
    %8 = stablehlo.add %arg8, %arg8 : tensor<2xf8E5M2>
    %9 = stablehlo.add %arg9, %arg9 : tensor<2xf8E5M2FNUZ>
    %10 = stablehlo.add %arg10, %arg10 : tensor<2xf8E3M4>
    %11 = stablehlo.add %arg11, %arg11 : tensor<2xf8E8M0FNU>
    %c = stablehlo.constant dense<[-1, 1]> : tensor<2xi2>
    %c_0 = stablehlo.constant dense<[3, 15]> : tensor<2xui4>
    %cst = stablehlo.constant dense<[1.500000e+00, 0x7F]> : tensor<2xf8E4M3FN>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f64>>
    %12 = stablehlo.convert %arg5 : (tensor<2xf8E4M3FN>) -> tensor<2xi4>
    %13 = stablehlo.bitcast_convert %arg1 : (tensor<2xi4>) -> tensor<i8>
    return
  }
}
