// RUN: shardwise-opt %s -split-input-file -sdy-user-priority-propagate -verify-diagnostics | FileCheck %s

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @barrier
// CHECK-SAME: %arg1: tensor<8xf32>,
// CHECK-SAME: %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>})
func.func @barrier(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>, %c: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: sdy.propagation_barrier %arg0 allowed_direction=BACKWARD : tensor<8xf32>
  // CHECK: sdy.propagation_barrier %arg1 allowed_direction=FORWARD {{.*}}[<@mesh, [{"x", ?}]>]
  // CHECK: sdy.propagation_barrier %arg2 allowed_direction=BACKWARD {{.*}}[<@mesh, [{"x", ?}]>]
  %0 = sdy.propagation_barrier %a allowed_direction=BACKWARD : tensor<8xf32>
  %1 = sdy.propagation_barrier %b allowed_direction=FORWARD : tensor<8xf32>
  %2 = sdy.propagation_barrier %c allowed_direction=BACKWARD : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @group
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
func.func @group(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<8x8xf32>) {
  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @disagreement
func.func @disagreement(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
                        %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) {
  // CHECK: %[[A:.*]] = sdy.sharding_constraint %arg0
  // CHECK: sdy.sharding_group %[[A]] group_id=0
  // expected-warning @+1 {{group 0 has members with different shardings}}
  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8x8xf32>
  return
}

// -----

func.func @gap(%a: tensor<8xf32>) {
  // expected-error @+1 {{has group id 3, but ids must be 0, 1, ...; run sdy-sharding-group-import}}
  sdy.sharding_group %a group_id=3 : tensor<8xf32>
  return
}

// -----

// A group of loop arguments does not pass on what their loop's results, which store the shardings,
// get later.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @group_of_loop_arguments
func.func @group_of_loop_arguments(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: stablehlo.while{{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>
  %r:2 = stablehlo.while(%i = %a, %j = %b) : tensor<8xf32>, tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    sdy.sharding_group %i group_id=0 : tensor<8xf32>
    sdy.sharding_group %j group_id=0 : tensor<8xf32>
    %d = sdy.sharding_constraint %i <@mesh, [{"x", ?}]> : tensor<8xf32>
    stablehlo.return %i, %j : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
