// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -sdy-verify-unreduced-axes

// Unreduced axes that appear or disappear without an op that may do so.

// What is right passes.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @right(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
                 %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>} : tensor<8x4xf32>
  %2 = sdy.reshard %1 <@m, [{"y"}, {}], unreduced={"x"}> : tensor<8x4xf32>
  %3 = sdy.reduce_scatter [{"x"}, {}] %2 out_sharding=<@m, [{"y", "x"}, {}]> : tensor<8x4xf32>
  %4 = sdy.sharded_to_unreduced [{"x"}, {}] %3 out_sharding=<@m, [{"y"}, {}], unreduced={"x"}> : tensor<8x4xf32>
  %5 = sdy.all_reduce {"x"} %4 out_sharding=<@m, [{"y"}, {}]> : tensor<8x4xf32>
  %6 = sdy.replicated_to_unreduced {"x"} %5 out_sharding=<@m, [{"y"}, {}], unreduced={"x"}> : tensor<8x4xf32>
  %7 = sdy.manual_computation(%6) in_shardings=[<@m, [{"y"}, {}], unreduced={"x"}>] out_shardings=[<@m, [{"y"}, {}], unreduced={"x"}>] manual_axes={"y"} (%l: tensor<2x4xf32>) {
    %n = stablehlo.negate %l {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>} : tensor<2x4xf32>
    sdy.return %n : tensor<2x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %8 = sdy.reshard %7 <@m, [{}, {}]> : tensor<8x4xf32>
  return %8 : tensor<8x4xf32>
}

// -----

// D52
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @dropped(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  // expected-error@+1 {{operand 0 to result 0 - dropped unreduced axis "x" without a reshard; insert an sdy.reshard or an sdy.all_reduce before}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : tensor<8xf32>
  return
}

// -----

// D52 of a value without sharding
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @undecided(%b: tensor<8xf32>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x", "y"}>}) {
  // expected-error@+1 {{operand 1 to result 0 - dropped unreduced axis "x"}}
  %0 = stablehlo.add %b, %a : tensor<8xf32>
  return
}

// -----

// D50 of an op
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @invented(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{result 0 - cannot add new unreduced axis: "y"}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"y"}>]>} : tensor<8xf32>
  return
}

// -----

// D50 of a contraction: it is along x
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @contraction(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}, %b: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-error@+1 {{result 0 - cannot add new unreduced axis: "y"}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x", "y"}>]>} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8xf32>
  return
}

// -----

// D54 of an op
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @kind(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  // expected-error@+1 {{cannot change the reduction operator of unreduced axes from sum to max}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
  return
}

// -----

// D51 of a value without sharding
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @introduced(%a: tensor<8xf32>) {
  // expected-error@+1 {{operand to result - cannot introduce max unreduced axes, expected sum}}
  %0 = sdy.reshard %a <@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
  return
}

// -----

// A gather that drops, one that invents, a permute that drops a part, a slice along them.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @collectives(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}], unreduced={"y"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  // expected-error@+1 {{dropped unreduced axis "y" without a reshard}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{cannot add new unreduced axis: "y"}}
  %1 = sdy.all_gather [{"x"}] %b out_sharding=<@m, [{}], unreduced={"y"}> : tensor<8xf32>
  // expected-error@+1 {{dropped unreduced axis "y":(2)2 without a reshard}}
  %2 = sdy.collective_permute %a out_sharding=<@m, [{"x"}], unreduced={"y":(1)2}> : tensor<8xf32>
  // expected-error@+1 {{dropped unreduced axis "x" without a reshard}}
  %3 = sdy.all_slice [{"x"}] %c out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return
}

// -----

// An all_reduce that drops others, and conversions of partial maxima.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @reductions(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x", "y"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}], unreduced=max{"y"}>}, %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min{"y"}>}) {
  // expected-error@+1 {{dropped unreduced axis "y" without a reshard}}
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{cannot change the reduction operator of unreduced axes from max to sum}}
  %1 = sdy.sharded_to_unreduced [{"x"}] %b out_sharding=<@m, [{}], unreduced={"x", "y"}> : tensor<8xf32>
  // expected-error@+1 {{cannot change the reduction operator of unreduced axes from min to sum}}
  %2 = sdy.replicated_to_unreduced {"x"} %c out_sharding=<@m, [{}], unreduced={"x", "y"}> : tensor<8xf32>
  return
}

// -----

// Calls and returns.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func private @callee(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  // expected-error@+1 {{operand 0 to the function's result - cannot add new unreduced axis: "x"}}
  return %a : tensor<8xf32>
}
func.func @caller(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error@+1 {{operand 0 to the callee's argument - dropped unreduced axis "x"}}
  %0 = call @callee(%a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{the callee's result to result 0 - dropped unreduced axis "x"}}
  %2 = call @callee(%1) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{operand 1 to the function's result - dropped unreduced axis "x"}}
  return %2, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Computations: into the body, out of it, around a loop.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @regions(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}], unreduced={"x"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  // expected-error@+1 {{operand 0 to the argument of the body - dropped unreduced axis "x"}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"y"}]>] out_shardings=[<@m, [{"y"}], unreduced={"x"}>] manual_axes={"y"} (%l: tensor<2xf32>) {
    // expected-error@+1 {{operand 0 to the result of the computation - cannot add new unreduced axis: "x"}}
    sdy.return %l : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{operand 0 to the result of the computation - dropped unreduced axis "x"}}
  %1 = stablehlo.optimization_barrier %b : tensor<8xf32>
  return
}
