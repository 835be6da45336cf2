// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// What other implementations leave unchecked, or crash on: refused, see docs/design.

// sub-axes of a list that overlap
sdy.mesh @m = <["x"=16]>
func.func @f(%t: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{overlapping sub-axes: "x":(1)4, "x":(2)4}}
  %0 = sdy.all_reduce {"x":(1)4, "x":(2)4} %t out_sharding=<@m, [{}]> : tensor<4xf32>
  return
}

// -----

// a sub-axis of a list that does not divide its axis
sdy.mesh @m = <["x"=16]>
func.func @f(%t: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  // expected-error@+1 {{doesn't divide the size 16}}
  %0 = sdy.all_reduce {"x":(1)5} %t out_sharding=<@m, [{}]> : tensor<4xf32>
  return
}

// -----

// two unknown axes in an ordered list
sdy.mesh @m = <["x"=2, "y"=2]>
// expected-error@+1 {{unknown axis name: "p"}}
func.func @f(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"p", "q"}>}) { return }

// -----

// a maximal sharding of a ranked value in a manual computation
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @f(%t: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{cannot have a maximal sharding in a manual computation}}
  %o = sdy.manual_computation(%t) in_shardings=[<@one, []>] out_shardings=[<@one, []>] manual_axes={} (%l: tensor<16xf32>) {
    sdy.return %l : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %o : tensor<16xf32>
}

// -----

// a negative factor size
func.func @f(%t: tensor<16xf32>) {
  // expected-error@+1 {{has factor i=-5, but sizes of factors cannot be negative}}
  %0 = stablehlo.negate %t {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=-5}>} : tensor<16xf32>
  return
}

// -----

// several symbols where a group has one
// expected-error@+1 {{expecting single factor symbol. Received: 'ki'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([i, k])->([i]) {i=2, j=1, k=2} reduction={ki}>}
