// RUN: shardwise-opt %s -shardwise-propagation-pipeline | FileCheck %s
// RUN: shardwise-opt %s -sdy-propagation-pipeline | FileCheck %s --check-prefixes=CHECK,SDY

// Named computations are one function only where they compute the same. The same goes for calls of a function of
// that name.

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK: %[[NEGATED:.*]] = call @[[F:.*]](%arg0)
  // CHECK: %[[EXPONENTIAL:.*]] = call @[[G:.*]](%[[NEGATED]])
  // CHECK: %[[AGAIN:.*]] = call @[[F]](%[[EXPONENTIAL]])
  // SDY: call @[[H:.*]](%[[AGAIN]])
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<8xf32>) {
    %4 = stablehlo.negate %b : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"f">(%0) (%b: tensor<8xf32>) {
    %4 = stablehlo.exponential %b : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.named_computation<"f">(%1) (%b: tensor<8xf32>) {
    %4 = stablehlo.negate %b : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @f(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @[[F]](
// CHECK-NEXT: stablehlo.negate
// CHECK: func.func private @[[G]](
// CHECK-NEXT: stablehlo.exponential
// SDY: func.func private @[[H]](
// SDY-NEXT: stablehlo.tanh
// CHECK-NOT: func.func
