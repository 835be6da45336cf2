// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, branches, calls and barriers, in canonical text: printing gives back every byte, also after the generic form and
// after bytecode.
// RUN: grep -v '^//' %s > %t.mlir
// RUN: echo "" >> %t.mlir
// RUN: shardwise-opt %t.mlir | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -mlir-print-op-generic | shardwise-opt | diff %t.mlir -
// RUN: shardwise-opt %t.mlir -emit-bytecode | shardwise-opt | diff %t.mlir -
module {
  func.func @control(%arg0: tensor<i32>, %arg1: tensor<4xf32>, %arg2: tensor<i1>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %3 = stablehlo.compare  LT, %iterArg, %arg0,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %4 = func.call @step(%iterArg_0) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %3, %4 : tensor<i32>, tensor<4xf32>
    }
    %1 = "stablehlo.if"(%arg2) ({
      stablehlo.return %0#1 : tensor<4xf32>
    }, {
      %3 = stablehlo.negate %0#1 : tensor<4xf32>
      stablehlo.return %3 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %2 = "stablehlo.case"(%arg0) ({
      stablehlo.return %1 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @step(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = stablehlo.optimization_barrier %arg0, %arg0 : tensor<4xf32>, tensor<4xf32>
    return %0#0 : tensor<4xf32>
  }
}
