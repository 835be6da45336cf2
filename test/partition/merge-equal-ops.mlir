// RUN: shardwise-opt %s -shardwise-merge-equal-ops | FileCheck %s
// The same outcome as that of MLIR's own pass:
// RUN: shardwise-opt %s -shardwise-merge-equal-ops -o %t.merged
// RUN: shardwise-opt %s -cse -o %t.cse
// RUN: diff %t.merged %t.cse

sdy.mesh @mesh = <["x"=4]>

// What differs in an attribute, a type or an operand stays; operands of a sum in the other order are equal.
// CHECK-LABEL: func @alike
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK-NEXT: %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00>
// CHECK-NEXT: %[[LOW:.*]] = stablehlo.slice %arg0 [0:2]
// CHECK-NEXT: %[[HIGH:.*]] = stablehlo.slice %arg0 [2:4]
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[LOW]], %[[HIGH]]
// CHECK-NEXT: %[[AB:.*]] = stablehlo.subtract %[[LOW]], %[[HIGH]]
// CHECK-NEXT: %[[BA:.*]] = stablehlo.subtract %[[HIGH]], %[[LOW]]
// CHECK-NEXT: %[[NARROW:.*]] = stablehlo.convert %[[SUM]] : (tensor<2xf32>) -> tensor<2xf16>
// CHECK-NEXT: %[[WIDE:.*]] = stablehlo.convert %[[SUM]] : (tensor<2xf32>) -> tensor<2xf64>
// CHECK-NEXT: return %[[ONE]], %[[ONE]], %[[TWO]], %[[SUM]], %[[SUM]], %[[AB]], %[[BA]], %[[NARROW]], %[[WIDE]]
func.func @alike(%a: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf16>, tensor<2xf64>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
  %2 = stablehlo.constant dense<2.0> : tensor<f32>
  %3 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %4 = stablehlo.slice %a [2:4] : (tensor<4xf32>) -> tensor<2xf32>
  %5 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %6 = stablehlo.add %3, %4 : tensor<2xf32>
  %7 = stablehlo.add %4, %5 : tensor<2xf32>
  %8 = stablehlo.subtract %3, %4 : tensor<2xf32>
  %9 = stablehlo.subtract %4, %3 : tensor<2xf32>
  %10 = stablehlo.convert %6 : (tensor<2xf32>) -> tensor<2xf16>
  %11 = stablehlo.convert %7 : (tensor<2xf32>) -> tensor<2xf64>
  return %0, %1, %2, %6, %7, %8, %9, %10, %11 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf16>, tensor<2xf64>
}

// A body sees what stands before its op, but neither what stands behind nor what other bodies have.
// CHECK-LABEL: func @bodies
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK-NEXT: stablehlo.while(%{{.*}} = %arg0)
// CHECK: do {
// CHECK-NEXT: stablehlo.exponential
// CHECK-NEXT: stablehlo.add %{{.*}}, %[[ONE]]
// CHECK: stablehlo.while(%{{.*}} = %arg0)
// CHECK: do {
// CHECK-NEXT: stablehlo.exponential
// CHECK: %[[LAST:.*]] = stablehlo.exponential %arg0
// CHECK-NEXT: stablehlo.multiply %[[LAST]], %[[ONE]]
func.func @bodies(%a: tensor<f32>, %go: tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.while(%s = %a) : tensor<f32>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %4 = stablehlo.exponential %a : tensor<f32>
      %5 = stablehlo.constant dense<1.0> : tensor<f32>
      %6 = stablehlo.add %4, %5 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }
  %2 = stablehlo.while(%s = %a) : tensor<f32>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %4 = stablehlo.exponential %a : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }
  %3 = stablehlo.exponential %a : tensor<f32>
  %4 = stablehlo.multiply %3, %0 : tensor<f32>
  return %1, %2, %4 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Ops with equal bodies are equal; a sum and a maximum are not.
// CHECK-LABEL: func @reductions
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add
// CHECK-NEXT: %[[MAX:.*]] = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum
// CHECK-NEXT: return %[[SUM]], %[[SUM]], %[[MAX]]
func.func @reductions(%a: tensor<4xf32>, %init: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%a init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Who sends twice has sent twice; what nobody uses goes, but for what has an effect, and what is used by what goes.
// CHECK-LABEL: func @effects
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: %[[A:.*]] = stablehlo.custom_call @draw()
// CHECK-NEXT: %[[B:.*]] = stablehlo.custom_call @draw()
// CHECK-NEXT: stablehlo.custom_call @log
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @effects(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.negate %a : tensor<f32>
  %1 = stablehlo.exponential %0 : tensor<f32>
  %2 = stablehlo.custom_call @draw() {has_side_effect = true} : () -> tensor<f32>
  %3 = stablehlo.custom_call @draw() {has_side_effect = true} : () -> tensor<f32>
  %4 = stablehlo.custom_call @log(%a) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  return %2, %3 : tensor<f32>, tensor<f32>
}
