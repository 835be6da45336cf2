// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of chlo in canonical text.
// RUN: grep -v '^//' %s > %t.mlir
// RUN: echo "" >> %t.mlir
// RUN: shardwise-opt %t.mlir | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -mlir-print-op-generic | shardwise-opt | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -emit-bytecode | shardwise-opt | diff %t.mlir -
module {
  func.func @elementwise(%arg0: tensor<4x6xf32>, %arg1: tensor<4xcomplex<f32>>, %arg2: tensor<4xui8>) {
    %0 = chlo.erf %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %1 = chlo.erfc %arg0 {note = 1 : i32} : tensor<4x6xf32> -> tensor<4x6xf32>
    %2 = chlo.erf_inv %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %3 = chlo.square %arg1 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %4 = chlo.conj %arg1 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %5 = chlo.acos %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %6 = chlo.acosh %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %7 = chlo.asin %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %8 = chlo.asinh %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %9 = chlo.atan %arg1 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %10 = chlo.atanh %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %11 = chlo.cosh %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %12 = chlo.sinh %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %13 = chlo.tan %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %14 = chlo.lgamma %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %15 = chlo.digamma %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %16 = chlo.bessel_i1e %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %17 = chlo.is_inf %arg0 : tensor<4x6xf32> -> tensor<4x6xi1>
    %18 = chlo.is_pos_inf %arg0 : tensor<4x6xf32> -> tensor<4x6xi1>
    %19 = chlo.is_neg_inf %arg0 : tensor<4x6xf32> -> tensor<4x6xi1>
    %20 = chlo.next_after %arg0, %arg0 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
    %21 = chlo.polygamma %arg0, %arg0 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
    %22 = chlo.zeta %arg0, %arg0 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
    %23 = chlo.mulhi %arg2, %arg2 : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
    return
  }
  func.func @structured(%arg0: tensor<4x6xf32>, %arg1: tensor<11x5xf32>, %arg2: tensor<3x5x7xf32>, %arg3: tensor<3xi32>, %arg4: tensor<11x7xf32>, %arg5: tensor<4xf32>) {
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 2, is_stable = false) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %0 = "chlo.ragged_dot"(%arg1, %arg2, %arg3) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
    %1 = "chlo.ragged_dot"(%arg1, %arg4, %arg3) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<11x7xf32>, tensor<3xi32>) -> tensor<3x5x7xf32>
    %2:2 = chlo.scan(%arg0) inits (%arg5) dimension=1  attributes {is_associative = true, is_reverse = false} {
    ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
      %6 = stablehlo.add %input, %carry : tensor<4xf32>
      stablehlo.return %6, %6 : tensor<4xf32>, tensor<4xf32>
    } : (tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
    %3:3 = chlo.scan(%arg0, %arg0) inits (%arg5, %arg3) dimension=0  attributes {is_reverse = true} {
    ^bb0(%input: tensor<6xf32>, %input_2: tensor<6xf32>, %carry: tensor<4xf32>, %carry_3: tensor<3xi32>):
      stablehlo.return %carry, %carry, %carry_3 : tensor<4xf32>, tensor<4xf32>, tensor<3xi32>
    } : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<3xi32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<3xi32>)
    %4:2 = chlo.scan() inits (%arg5) dimension=1  attributes {scan_dim_size = 8 : i64} {
    ^bb0(%carry: tensor<4xf32>):
      stablehlo.return %carry, %carry : tensor<4xf32>, tensor<4xf32>
    } : (tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
    %5 = chlo.scan(%arg0) inits () dimension=1  {
    ^bb0(%input: tensor<4xf32>):
      stablehlo.return %input : tensor<4xf32>
    } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return
  }
}
