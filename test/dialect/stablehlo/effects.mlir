// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops generic passes may drop, merge and inline.
// RUN: shardwise-opt %s -split-input-file -cse -canonicalize | FileCheck %s
// RUN: shardwise-opt %s -split-input-file -inline | FileCheck %s --check-prefix=INLINE

// CHECK-LABEL: func.func @unused
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
// INLINE-LABEL: func.func @unused
func.func @unused(%x: tensor<4xf32>, %p: tensor<i1>, %s: tensor<f32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.custom_call @pure(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.partition_id : tensor<ui32>
  %3 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %9 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %9 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %4 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: stablehlo.custom_call @impure
  %5 = stablehlo.custom_call @impure(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: "stablehlo.all_gather"
  %6 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  // CHECK-NEXT: "stablehlo.collective_permute"
  %7 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // A branch with an effect stays.
  // CHECK-NEXT: "stablehlo.if"
  %8 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %9 = stablehlo.custom_call @impure(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %9 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK-NEXT: return
  return
}

// -----

// CHECK-LABEL: func.func @equal
func.func @equal(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) {
  // CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[T:.*]] = stablehlo.tanh
  // CHECK-DAG: %[[P:.*]] = "stablehlo.collective_permute"
  // CHECK-DAG: %[[Q:.*]] = "stablehlo.collective_permute"
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.tanh %x : tensor<4xf32>
  %2 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.constant dense<1.0> : tensor<f32>
  %5 = stablehlo.constant dense<1.0> : tensor<f32>
  // CHECK: return %[[T]], %[[T]], %[[P]], %[[Q]], %[[C]], %[[C]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// INLINE-LABEL: func.func @loop
func.func @loop(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  // INLINE: } do {
  // INLINE-NEXT: %[[N:.*]] = stablehlo.negate %iterArg
  // INLINE-NEXT: stablehlo.return %[[N]]
  %0 = stablehlo.while(%i = %x) : tensor<4xf32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = func.call @step(%i) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func private @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
