// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -sdy-convert-global-to-local

sdy.mesh @mesh = <["x"=2]>

func.func @unknownCall(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error @below {{'stablehlo.custom_call' op has no local form; leave its operands and results unsharded}}
  %0 = stablehlo.custom_call @foo(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @needsWhole(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error @below {{'stablehlo.cholesky' op operand 0 has a sharding that the op cannot work on; run shardwise-insert-partition-reshards first}}
  %0 = stablehlo.cholesky %a, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Every second position has an element, and every window reads one that has none.
func.func @noIntervals(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce_window' op operand 0 has a sharding that the op cannot work on; run shardwise-insert-partition-reshards first}}
  %0 = "stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>,
      window_dimensions = array<i64: 1>, window_strides = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @disagree(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) {
  // expected-error @below {{'stablehlo.add' op operand 1 has a sharding that the op cannot work on; run shardwise-insert-partition-reshards first}}
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Partial sums that are said to be whole.
func.func @forgottenReduction(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{'stablehlo.reduce' op result 0 has a sharding that the op cannot work on; run shardwise-insert-partition-reshards first}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @partialOperand(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  // expected-error @below {{'stablehlo.tanh' op operand 0 has a sharding that the op cannot work on; run shardwise-insert-partition-reshards first}}
  %0 = stablehlo.tanh %a : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @leftReshard(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @below {{'sdy.reshard' op changes a sharding and has no local form; run shardwise-insert-partition-reshards and sdy-reshard-to-collectives first}}
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// The columns of a reshape are parts of a product, which have to be equal.
func.func @unevenPart(%a: tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<12xf32> {
  // expected-error @below {{'stablehlo.reshape' op operand 0 has a sharding that the op cannot work on; run shardwise-insert-partition-reshards first}}
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6x2xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
