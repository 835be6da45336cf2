// RUN: shardwise-opt %s -split-input-file -sdy-user-priority-propagate | FileCheck %s --check-prefixes=CHECK,LEVELS
// RUN: shardwise-opt %s -split-input-file -sdy-basic-propagate | FileCheck %s --check-prefixes=CHECK,BASIC
// Dead ops go in the first round. What only they used goes with them, however often they use it, and where it
// has not spread a sharding before, it never does.

sdy.mesh @mesh = <["x"=2]>

// The product is used twice in one branch and by both operands in the other. At the first level it may not
// spread yet, without levels it may.
// CHECK-LABEL: func.func @dead_branches
// LEVELS-SAME: %arg1: tensor<4x4xf32>,
// BASIC-SAME: %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>},
// CHECK-NEXT: return
func.func @dead_branches(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<4x4xf32>, %p: tensor<i1>, %c: tensor<4x4xf32>) {
  %dot = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %if = "stablehlo.if"(%p) ({
    %s = stablehlo.sqrt %dot : tensor<4x4xf32>
    %r = stablehlo.remainder %s, %dot : tensor<4x4xf32>
    stablehlo.return %c : tensor<4x4xf32>
  }, {
    %w = stablehlo.power %dot, %dot : tensor<4x4xf32>
    stablehlo.return %c : tensor<4x4xf32>
  }) : (tensor<i1>) -> tensor<4x4xf32>
  return
}
