// RUN: shardwise-opt %s -split-input-file -sdy-user-priority-propagate | FileCheck %s

// a's dimension has to wait, so b decides; x cannot shard two dimensions of c.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @lowerNumberGoesFirst
// CHECK-SAME: %arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
func.func @lowerNumberGoesFirst(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>},
                                %b: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<16x16xf32> {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{?}, {"x", ?}]>]
  // CHECK: stablehlo.exponential {{.*}}[<@mesh, [{?}, {"x", ?}]>]
  %c = stablehlo.add %a, %b : tensor<16x16xf32>
  %d = stablehlo.exponential %c : tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @withoutPriorities
func.func @withoutPriorities(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
                             %b: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<16x16xf32> {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  // CHECK: stablehlo.exponential {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  %c = stablehlo.add %a, %b : tensor<16x16xf32>
  %d = stablehlo.exponential %c : tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}
