// RUN: shardwise-opt %s -sdy-remove-sharding-groups | FileCheck %s

// Groups go, wherever they stand; what they grouped stays as it is.

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  // CHECK-NEXT: %[[NEGATED:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
  // CHECK-NEXT: %[[CALLED:.*]] = sdy.named_computation<"f">(%[[NEGATED]]) (%arg1: tensor<8xf32>) {
  // CHECK-NEXT: sdy.return %arg1 : tensor<8xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[CALLED]]
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  %1 = sdy.named_computation<"f">(%0) (%p: tensor<8xf32>) {
    sdy.sharding_group %p group_id=1 : tensor<8xf32>
    sdy.return %p : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
