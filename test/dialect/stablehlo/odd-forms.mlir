// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corners of the canonical text: empty lists, rank 0, and when `reduce` is compact.
// RUN: shardwise-opt %s | FileCheck %s --strict-whitespace
// RUN: shardwise-opt %s | shardwise-opt | FileCheck %s --strict-whitespace
// RUN: shardwise-opt %s -mlir-print-op-generic | shardwise-opt | FileCheck %s --strict-whitespace
// RUN: shardwise-opt %s -mlir-print-debuginfo | shardwise-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @rankZero
// CHECK-SAME: (%[[X:.*]]: tensor<f32>)
func.func @rankZero(%x: tensor<f32>) {
  // CHECK-NEXT: "stablehlo.dynamic_slice"(%[[X]]) <{slice_sizes = array<i64>}> {a = 1 : i32} : (tensor<f32>) -> tensor<f32>
  %0 = "stablehlo.dynamic_slice"(%x) <{slice_sizes = array<i64>}> {a = 1 : i32} : (tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: stablehlo.slice %[[X]] [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.slice %x [] : (tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: stablehlo.pad %[[X]], %[[X]], low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.pad %x, %x, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: stablehlo.dot_general %[[X]], %[[X]], contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.dot_general %x, %x, contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @noOperands
func.func @noOperands(%p: tensor<i1>) {
  // CHECK-NEXT: stablehlo.after_all  : !stablehlo.token
  %0 = stablehlo.after_all  : !stablehlo.token
  // CHECK-NEXT: {{^}}    stablehlo.while(){{$}}
  // CHECK-NEXT: {{^}}    cond {
  // CHECK-NEXT: stablehlo.return %{{.*}} : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: stablehlo.return {{$}}
  // CHECK-NEXT: }
  stablehlo.while() cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return }
  // CHECK-NEXT: stablehlo.optimization_barrier(){{$}}
  stablehlo.optimization_barrier()
  // CHECK-NEXT: stablehlo.optimization_barrier {a}(){{$}}
  stablehlo.optimization_barrier {a}()
  // CHECK-NEXT: stablehlo.custom_call @"a b"() {has_side_effect = true} : () -> ()
  stablehlo.custom_call @"a b"() {has_side_effect = true} : () -> ()
  // CHECK-NEXT: stablehlo.composite "a.b" {decomposition = @impl} : () -> tensor<f32>
  %1 = stablehlo.composite "a.b" {decomposition = @impl, version = 0 : i32} : () -> tensor<f32>
  return
}
func.func private @impl() -> tensor<f32>

// CHECK-LABEL: func.func @whileAttributes
func.func @whileAttributes(%a: tensor<i32>, %p: tensor<i1>) {
  // CHECK-NEXT: stablehlo.while(%iterArg = %{{.*}}, %iterArg_0 = %{{.*}}) : tensor<i32>, tensor<i32> attributes {note = 1 : i32}
  %0:2 = stablehlo.while(%x = %a, %y = %a) : tensor<i32>, tensor<i32> attributes {note = 1 : i32}
   cond {
    stablehlo.return %p : tensor<i1>
  } do {
    // CHECK: } do {
    // CHECK-NEXT: stablehlo.return %iterArg_0, %iterArg : tensor<i32>, tensor<i32>
    stablehlo.return %y, %x : tensor<i32>, tensor<i32>
  }
  return
}

// CHECK-LABEL: func.func @reduceForms
func.func @reduceForms(%x: tensor<f32>, %y: tensor<4x6xf32>, %b: tensor<4x6xbf16>) {
  // A body over a wider type than the input keeps its region.
  // CHECK-NEXT: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [0, 1] {a} : (tensor<4x6xbf16>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: {{^}}     reducer(%[[L:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>)  {
  // CHECK-NEXT: stablehlo.add %[[L]], %[[R]] : tensor<f32>
  %0 = stablehlo.reduce(%b init: %x) across dimensions = [0, 1] {a} : (tensor<4x6xbf16>, tensor<f32>) -> tensor<f32>
   reducer(%l: tensor<f32>, %r: tensor<f32>)  {
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  // So does one with the arguments in another order.
  // CHECK: across dimensions = [0] :
  // CHECK-NEXT: reducer(%[[L:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>)  {
  // CHECK-NEXT: stablehlo.add %[[R]], %[[L]] : tensor<f32>
  %1 = stablehlo.reduce(%y init: %x) across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
   reducer(%l: tensor<f32>, %r: tensor<f32>)  {
    %s = stablehlo.add %r, %l : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  // And one that does not commute.
  // CHECK: across dimensions = [0] :
  // CHECK-NEXT: reducer(
  // CHECK-NEXT: stablehlo.subtract
  %2 = stablehlo.reduce(%y init: %x) across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
   reducer(%l: tensor<f32>, %r: tensor<f32>)  {
    %s = stablehlo.subtract %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] {a} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.reduce(%y init: %x) across dimensions = [1] {a} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%l: tensor<f32>, %r: tensor<f32>)  {
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK-NEXT: %cst = stablehlo.constant dense<0x7F800000> : tensor<2xf32>
  %0 = stablehlo.constant dense<0x7F800000> : tensor<2xf32>
  // CHECK-NEXT: %cst_0 = stablehlo.constant dense<> : tensor<0xf32>
  %1 = stablehlo.constant dense<> : tensor<0xf32>
  // CHECK-NEXT: %c = stablehlo.constant {note = 1 : i32} dense<true> : tensor<i1>
  %2 = stablehlo.constant {note = 1 : i32} dense<true> : tensor<i1>
  // CHECK-NEXT: %c_1 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %3 = stablehlo.constant dense<"0x0100000002000000"> : tensor<2xi32>
  // CHECK-NEXT: %cst_2 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %4 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return
}

// CHECK-LABEL: func.func @resultAccuracy
func.func @resultAccuracy(%x: tensor<4xf32>) {
  // CHECK-NEXT: stablehlo.exponential %{{.*}} : tensor<4xf32>
  %0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  // CHECK-NEXT: {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-04, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %1 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<TOLERANCE>, ulps = 3, rtol = 1.0e-4, atol = 1.0e-5>} : tensor<4xf32>
  // CHECK-NEXT: {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %2 = stablehlo.log %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @dotAlgorithm
func.func @dotAlgorithm(%x: tensor<2x2xf32>) {
  // CHECK-NEXT: contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> {note} : (
  %1 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> {note} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
