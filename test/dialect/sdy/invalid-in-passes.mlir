// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -sdy-sharding-group-import -sdy-manual-axes-cleanup

// Rules on several ops together, which the passes check that depend on them.

// D95
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @groupInsideAndOutside(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{the other member is here}}
  sdy.sharding_group %a group_id=7 : tensor<8xf32>
  %r = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>]
      manual_axes={"x"} (%b: tensor<4xf32>) {
    // expected-error@+1 {{cannot cross the border of a manual computation: group 7}}
    sdy.sharding_group %b group_id=7 : tensor<4xf32>
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// D96
func.func @shapesOfAGroup(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-note@+1 {{the group has a value of type 'tensor<8xf32>' here}}
  sdy.sharding_group %a group_id=7 : tensor<8xf32>
  // expected-error@+1 {{type 'tensor<4xf32>' into group 7, whose values must all have the same shape}}
  sdy.sharding_group %b group_id=7 : tensor<4xf32>
  return
}

// -----

// D97
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @manualAxesOfNothing() {
  // expected-error@+1 {{has manual_axes but neither inputs nor outputs}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    sdy.return
  } : () -> ()
  return
}
