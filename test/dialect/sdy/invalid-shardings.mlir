// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Shardings that do not fit their value or their mesh.

// D08
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{should have a sharding attribute of type TensorShardingPerValueAttr}}
  %0 = "test.op"(%t) {sdy.sharding = #sdy.sharding<@m, [{}, {}]>} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D08 on a function
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{should have a sharding attribute of type TensorShardingPerValueAttr}}
func.func private @g() attributes {sdy.sharding = #sdy.sharding<@m, []>}

// -----

// D09
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{'func.func' op arg 0 - should have a sharding attribute of type TensorShardingAttr}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding_per_value<[]>})

// -----

// D09 on a result
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{'func.func' op result 0 - should have a sharding attribute of type TensorShardingAttr}}
func.func private @g() -> (tensor<8xf32> {sdy.sharding = "x"})

// -----

// D10
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{unknown mesh: @other}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}]>})

// -----

// D10: not a mesh
// expected-error@+1 {{unknown mesh: @g}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@g, [{}]>})
func.func private @g()

// -----

// D10: outer modules are not seen
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
module {
  // expected-error@+1 {{unknown mesh: @m}}
  func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>})
}

// -----

// D11
sdy.mesh @one = <[], device_ids=[0]>
// expected-error@+1 {{a maximal sharding must be rank 0 without replicated or unreduced axes}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@one, [{}, {}]>})

// -----

// D11: no result
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{result 0 - a sharding for no value must be rank 0}}
  "test.op"(%t) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<16x32xf32>) -> ()
  return
}

// -----

// D12
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{for a tuple of size 1}}
func.func private @f(tuple<tensor<8xf32>, tensor<8xf32>> {sdy.sharding = #sdy.sharding<@m, []>})

// -----

// D13
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{non-shaped tensors can only have a sharding with rank 0}}
func.func private @f(i32 {sdy.sharding = #sdy.sharding<@m, [{}]>})

// -----

// D14
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{only ranked tensors}}
func.func private @f(tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, []>})

// -----

// D15
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{sharding doesn't match tensor rank: 1 != 2}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>})

// -----

// D17
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{dim 1 is empty and closed}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}p1]>})

// -----

// D19
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{replicated axes are not ordered w.r.t. mesh}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"y", "x"}>})

// -----

// D19 of sub-axes
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{unreduced axes are not ordered w.r.t. mesh}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"z":(4)2, "z":(1)2}>})

// -----

// D20
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{unknown axis name: "w"}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"w"}, {}]>})

// -----

// D20: what is wrong with an argument is said where the argument is, with the name that was meant
sdy.mesh @m = <["data"=2, "tensor"=4]>
func.func @f(%arg0: tensor<16x32xf32>,
             // expected-error@+1 {{'func.func' op arg 1 - unknown axis name: "tensro" is not in the mesh ["data"=2, "tensor"=4]; did you mean "tensor"?}}
             %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"tensro"}, {}]>}) {
  return
}

// -----

// D20: two unknown names in an ordered list
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{unknown axis name: "v"}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"v", "u"}>})

// -----

// D20: the empty mesh has no axes
sdy.mesh @none = <[]>
// expected-error@+1 {{unknown axis name: "x"}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@none, [{"x"}, {}]>})

// -----

// D21
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{duplicate axis ref: "x"}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"x"}]>})

// -----

// D21 across lists
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{duplicate axis ref: "z":(2)2}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(2)2}, {}], unreduced={"z":(2)2}>})

// -----

// D22
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{can be merged: "z":(1)2, "z":(2)4}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)2, "z":(2)4}, {}]>})

// -----

// D23
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{both sub-axis and full-axis are used for axis name: "z"}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)2}, {"z"}]>})

// -----

// D24
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{pre-size must be at least 1: "z":(0)2}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(0)2}, {}]>})

// -----

// D25
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{must be greater than 1: "z":(2)1}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(2)1}, {}]>})

// -----

// D26
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{next pre-size 4*4 doesn't divide the size 8}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(4)4}, {}]>})

// -----

// D26: overflow
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{doesn't divide the size 8}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(9223372036854775807)2}, {}]>})

// -----

// D27
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{equal to the full axis size 8}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)8}, {}]>})

// -----

// D28
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
// expected-error@+1 {{overlapping sub-axes: "z":(1)4, "z":(2)4}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)4}, {"z":(2)4}]>})

// -----

// D29
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-note@+1 {{the parent that has this axis as manual}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>) {
    // expected-error@+1 {{operates on axis "x", which is already bound by a parent sdy.manual_computation}}
    %1 = sdy.sharding_constraint %a <@m, [{"y"}, {"x"}]> : tensor<8x32xf32>
    sdy.return %1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

// D30
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{result shardings don't match number of values: 1 shardings vs 2 values}}
  %0:2 = "test.op"(%t) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<8xf32>)
  return
}

// -----

// D30: no result
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{result shardings don't match number of values: 1 shardings vs 0 values}}
  "test.op"(%t) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16x32xf32>) -> ()
  return
}

// -----

// one result has no number
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{'test.op' op result - sharding doesn't match tensor rank: 1 != 2}}
  %0 = "test.op"(%t) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// several results have numbers
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{'test.op' op result 1 - sharding doesn't match tensor rank: 0 != 1}}
  %0:2 = "test.op"(%t) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>, <@m, []>]>} : (tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<8xf32>)
  return
}

// -----

// in dialect operations, with the symbols
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op sharding doesn't match tensor rank: 0 != 2}}
  %0 = sdy.sharding_constraint %t <@m, []> : tensor<16x32xf32>
  return
}

// -----

// D51
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // expected-error@+1 {{cannot introduce max unreduced axes, expected sum}}
  %0 = sdy.sharding_constraint %t <@m, [{}, {}], unreduced=max{"x"}> : tensor<16x32xf32>
  return
}

// -----

// D51 through a barrier
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.propagation_barrier %t allowed_direction=NONE : tensor<16x32xf32>
  // expected-error@+1 {{cannot introduce min unreduced axes, expected sum}}
  %1 = sdy.reshard %0 <@m, [{}, {}], unreduced=min{"x"}> : tensor<16x32xf32>
  return
}

// -----

// D54 of a reshard
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
  // expected-error@+1 {{cannot change the reduction operator of unreduced axes from max to sum}}
  %0 = sdy.reshard %t <@m, [{}, {}], unreduced={"x"}> : tensor<16x32xf32>
  return
}
