// RUN: shardwise-opt %s -sdy-drop-sharding-rules | FileCheck %s

// Rules that propagation attached go; those of the program, which are `custom`, stay.

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[NEGATED:[^ ]*]] = stablehlo.negate %arg0 : tensor<8xf32>
  // CHECK-NEXT: %[[CALLED:[^ ]*]] = stablehlo.custom_call @f(%[[NEGATED]]) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return %[[CALLED]]
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
  %1 = stablehlo.custom_call @f(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
