// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locations written in the text reach the ops, also those that a compact reduce rebuilds.
// RUN: shardwise-opt %s -mlir-print-debuginfo -mlir-print-local-scope -mlir-print-op-generic | FileCheck %s

// CHECK-LABEL: sym_name = "f"
func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<f32> {
  // CHECK: "stablehlo.reduce"
  // CHECK: "stablehlo.add"({{.*}} loc("jit(f)/reduce_sum")
  // CHECK-NEXT: "stablehlo.return"({{.*}} loc("jit(f)/reduce_sum")
  // CHECK-NEXT: }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("jit(f)/reduce_sum")
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("jit(f)/reduce_sum")
  return %0 : tensor<f32>
}
