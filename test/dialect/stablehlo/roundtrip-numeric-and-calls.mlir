// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers, linear algebra, tokens, tuples and calls, in canonical text: printing gives back every byte, also after the generic form and
// after bytecode.
// RUN: grep -v '^//' %s > %t.mlir
// RUN: echo "" >> %t.mlir
// RUN: shardwise-opt %t.mlir | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -mlir-print-op-generic | shardwise-opt | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -emit-bytecode | shardwise-opt | diff %t.mlir -
module {
  func.func @misc(%arg0: tensor<2xui64>, %arg1: tensor<f32>, %arg2: tensor<4x8xcomplex<f32>>, %arg3: tensor<3x3xf32>, %arg4: tensor<3x5xf32>, %arg5: !stablehlo.token) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %c = stablehlo.constant dense<[4, 6]> : tensor<2xi64>
    %0 = stablehlo.rng %arg1, %arg1, %c, distribution =  UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x6xf32>
    %1 = stablehlo.fft %arg2, type =  FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    %2 = stablehlo.cholesky %arg3, lower = true : tensor<3x3xf32>
    %3 = "stablehlo.triangular_solve"(%arg3, %arg4) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    %4 = stablehlo.create_token : !stablehlo.token
    %5 = stablehlo.after_all %4, %arg5 : !stablehlo.token
    %6 = stablehlo.tuple %arg3, %arg1 : tuple<tensor<3x3xf32>, tensor<f32>>
    %7 = stablehlo.get_tuple_element %6[0] : (tuple<tensor<3x3xf32>, tensor<f32>>) -> tensor<3x3xf32>
    %8 = stablehlo.custom_call @lapack_spotrf_ffi(%arg3) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %9 = stablehlo.custom_call @"odd.name-1"(%arg3) {backend_config = "", has_side_effect = true} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %10 = stablehlo.composite "lib.op" %arg3 {composite_attributes = {eps = 9.99999974E-6 : f32}, decomposition = @impl, version = 1 : i32} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %11 = stablehlo.dot %arg3, %arg4, precision = [HIGHEST, DEFAULT] : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    return
  }
  func.func private @impl(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    return %arg0 : tensor<3x3xf32>
  }
}
