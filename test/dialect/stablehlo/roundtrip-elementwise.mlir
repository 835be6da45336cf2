// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops and constants, in canonical text: printing gives back every byte, also after the generic form and
// after bytecode.
// RUN: grep -v '^//' %s > %t.mlir
// RUN: echo "" >> %t.mlir
// RUN: shardwise-opt %t.mlir | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -mlir-print-op-generic | shardwise-opt | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -emit-bytecode | shardwise-opt | diff %t.mlir -
module {
  func.func @elementwise(%arg0: tensor<3xf32>, %arg1: tensor<3xui8>, %arg2: tensor<3xi1>, %arg3: tensor<3xcomplex<f32>>, %arg4: tensor<f32>) {
    %0 = stablehlo.tanh %arg0 : tensor<3xf32>
    %1 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3xf32>
    %2 = stablehlo.abs %arg3 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %3 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xi32>
    %4 = stablehlo.convert %arg0 : tensor<3xf32>
    %5 = stablehlo.is_finite %arg0 : (tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.add %arg0, %arg0 {mhlo.frontend_attributes = {k = "v"}} : tensor<3xf32>
    %7 = stablehlo.complex %arg0, %arg0 : tensor<3xcomplex<f32>>
    %8 = stablehlo.compare  LT, %arg0, %arg0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %9 = stablehlo.compare  GE, %arg1, %arg1,  UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
    %10 = stablehlo.select %arg2, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %11 = stablehlo.clamp %arg4, %arg0, %arg4 : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<3xf32>
    %13 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<3xf32>
    %14 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3x4xui8>
    %15 = stablehlo.iota dim = 0 : tensor<3xi32>
    %cst = stablehlo.constant dense<[1.000000e+00, 0x7FC00000, -0.000000e+00]> : tensor<3xf32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
    %c_1 = stablehlo.constant {note = 1 : i32} dense<[true, false]> : tensor<2xi1>
    return
  }
}
