// RUN: shardwise-opt %s -split-input-file -sdy-apply-sharding-constraints | FileCheck %s
// RUN: shardwise-opt %s -split-input-file -sdy-apply-sharding-constraints -sdy-op-priority-propagate | FileCheck %s --check-prefix=APPLIED
// RUN: shardwise-opt %s -split-input-file -sdy-op-priority-propagate | FileCheck %s --check-prefix=NOTAPPLIED

// A closed constraint binds its input; that it is closed would not propagate.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @closed
// APPLIED: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}]>}
// APPLIED: stablehlo.add {{.*}}[<@mesh, [{"x"}, {}]>]
// NOTAPPLIED: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
func.func @closed(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{"x"}, {}]>]
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @open
func.func @open(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add %arg0, %arg0 : tensor
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x", ?}, {?}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @twoOpinions
func.func @twoOpinions(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: stablehlo.add %arg0, %arg0 : tensor
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %d = sdy.sharding_constraint %v <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %c, %d : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Uses after a chain mean the value at its end.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @chain
func.func @chain(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: %[[V:.*]] = stablehlo.add
  // CHECK: %[[C:.*]] = sdy.sharding_constraint %[[V]]
  // CHECK: %[[D:.*]] = sdy.sharding_constraint %[[C]]
  // CHECK: stablehlo.negate %[[D]]
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %d = sdy.sharding_constraint %c <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %n = stablehlo.negate %v : tensor<8x8xf32>
  return %d, %n : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// All values of an edge share its sharding, so the constraint stands in for the value instead.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @edge
func.func @edge(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: %[[E:.*]] = sdy.data_flow_edge %{{.*}} : tensor<8x8xf32>
  // CHECK-NEXT: %[[C:.*]] = sdy.sharding_constraint %[[E]]
  // CHECK-NEXT: stablehlo.negate %[[C]]
  %b = stablehlo.optimization_barrier %a : tensor<8x8xf32>
  %e = sdy.data_flow_edge %b : tensor<8x8xf32>
  %n = stablehlo.negate %e : tensor<8x8xf32>
  %c = sdy.sharding_constraint %e <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %c, %n : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Arguments are written together: a later constraint sees what an earlier one gave.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @arguments
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}
// CHECK-SAME: %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}
func.func @arguments(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>,
                     %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %b <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %c <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
