// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -sdy-verify-unreduced-axes

// Unreduced axes that disappear without an op that combines them, or that are not what they say.

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

// A place without sharding takes what comes to it, and passes it on.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @passedOn(%b: tensor<8xf32>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.add %b, %a : tensor<8xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<8xf32>
  %2 = sdy.all_reduce {"x"} %1 out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{operand 0 to result 0 - dropped unreduced axis "x"}}
  %3 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// D51 of an op: any may be declared to give a sum; what it gives otherwise must be what it computes.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @declared(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %zero = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [], unreduced={"y"}>]>} dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}], unreduced={"y"}>]>} : tensor<8x8xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x", "y"}>]>} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{result 0 - cannot introduce max unreduced axes, expected sum}}
  %3 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}], unreduced=max{"y"}>]>} : tensor<8x8xf32>
  return
}

// -----

// D98, of every op that reduces: sums, maxima and minima along "x".
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @functions(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{result 0 is declared unreduced by max along "x", but what the devices compute there combines by sum}}
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  // expected-error@+1 {{result 0 is declared unreduced by sum along "x", but what the devices compute there combines by max}}
  %2 = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  // expected-error@+1 {{declared unreduced by max along "x", but what the devices compute there combines by min}}
  %3 = stablehlo.reduce(%a init: %zero) applies stablehlo.minimum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  // expected-error@+1 {{declared unreduced by min along "x", but what the devices compute there combines by sum}}
  %4 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=min{"x"}>]>} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Calls and returns. What has no sharding is whole if nothing partial came to it.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func private @callee(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  // expected-error@+1 {{operand 0 to the function's result - cannot add new unreduced axis: "x"}}
  return %a : tensor<8xf32>
}
func.func @caller(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %b = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{operand 1 to the callee's argument - dropped unreduced axis "x"}}
  %0 = call @callee(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{the callee's result to result 0 - dropped unreduced axis "x"}}
  %1 = call @callee(%a, %b) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{operand 1 to the function's result - dropped unreduced axis "x"}}
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two calls that both want the partial value, and a result without sharding.
sdy.mesh @m = <["x"=8]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) -> tensor<16x8xf32> {
  %0 = call @foo(%arg0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = call @foo(%0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
func.func private @foo(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  return %arg0 : tensor<16x8xf32>
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
  %1 = "stablehlo.optimization_barrier"(%b) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D52 of manual axes: what comes in partial goes out partial, or the body exchanges values.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @manual(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x", "y"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{}], unreduced={"x", "y"}>] out_shardings=[<@m, [{}], unreduced={"x", "y"}>] manual_axes={"x", "y"} (%l: tensor<8xf32>) {
    %n = stablehlo.negate %l : tensor<8xf32>
    sdy.return %n : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.manual_computation(%a) in_shardings=[<@m, [{}], unreduced={"x", "y"}>] out_shardings=[<@m, [{}], unreduced={"x"}>] manual_axes={"x", "y"} (%l: tensor<8xf32>) {
    %n = stablehlo.negate %l : tensor<8xf32>
    // expected-error@+1 {{operand 0 to the result of the computation - dropped unreduced axis "y" without a reshard}}
    sdy.return %n : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2:2 = sdy.manual_computation(%a, %b) in_shardings=[<@m, [{}], unreduced={"x", "y"}>, <@m, [{}], unreduced=max{"x"}>] out_shardings=[<@m, [{}], unreduced={"y"}>, <@m, [{}], replicated={"x"}>] manual_axes={"x"} (%l: tensor<8xf32>, %k: tensor<8xf32>) {
    %n = "stablehlo.all_reduce"(%l) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"y"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %t = stablehlo.add %k, %k : tensor<8xf32>
    // expected-error@+1 {{operand 1 to the result of the computation - dropped unreduced axis "x" without a reshard}}
    sdy.return %n, %t : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %3 = sdy.manual_computation(%b) in_shardings=[<@m, [{}], unreduced=max{"x"}>] out_shardings=[<@m, [{}], unreduced={"x"}>] manual_axes={"x"} (%l: tensor<8xf32>) {
    // expected-error@+1 {{cannot change the reduction operator of unreduced axes from max to sum}}
    sdy.return %l : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // Each device gives its own part of a sum.
  %4 = sdy.manual_computation(%1) in_shardings=[<@m, [{}], unreduced={"x"}>] out_shardings=[<@m, [{}], unreduced={"x", "y"}>] manual_axes={"x", "y"} (%l: tensor<8xf32>) {
    sdy.return %l : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// D99: only partial values are reduced. A whole one would be added up as often as it is there.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @reduced(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}, %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  // expected-error@+1 {{reduces along "x", but the operand is not partial along it}}
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{reduces along "y", but the operand is not partial along it}}
  %1 = sdy.all_reduce {"x", "y"} %b out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{reduces along "y", but the operand is not partial along it}}
  %2 = sdy.reduce_scatter [{"y"}] %a out_sharding=<@m, [{"y"}]> : tensor<8xf32>
  // As sdy-insert-explicit-reshards leaves it: the sum over a cut dimension is partial.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@m, [{}]> : tensor<8xf32>
  // expected-error@+1 {{reduces along "y", but the operand is not partial along it}}
  %5 = sdy.all_reduce {"y"} %3 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}

// -----

// What a function returns without sharding is what comes to that, wherever the function stands.
sdy.mesh @m = <["x"=8]>
func.func @silent(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = call @outer(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{the callee's result to result 0 - dropped unreduced axis "x"}}
  %1 = call @outer(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @outer(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}], unreduced={"x"}> : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
