// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Text that is not sdy.

// P01: not a priority
// expected-error@+1 {{expecting priority in format 'p<number>', got: 'q1'}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}q1, {}]>})

// -----

// P01: no digits
// expected-error@+1 {{expecting priority in format 'p<number>', got: 'p'}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p, {}]>})

// -----

// P02: leading zero
// expected-error@+1 {{priority should not have leading zeros, got: 'p01'}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p01, {}]>})

// -----

// P03: beyond 64 bits
// expected-error@+1 {{expecting integer priority}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p9223372036854775808, {}]>})

// -----

// P04: neither symbol nor mesh
// expected-error@+1 {{expecting mesh or flat symbol}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<"m", [{}]>})

// -----

// P04: a full mesh attribute
// expected-error@+1 {{expecting mesh or flat symbol}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<#sdy.mesh<["x"=2]>, [{}]>})

// -----

// P04: nested symbol
// expected-error@+1 {{expected ','}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@a::@b, [{}]>})

// -----

// P05: no equal sign
// expected-error@+1 {{expected '='}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated{"x"}>})

// -----

// P05: empty list
// expected-error@+1 {{expected string}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={}>})

// -----

// P05: no quotes
// expected-error@+1 {{expected string}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={x}>})

// -----

// P06: word
// expected-error@+1 {{valid named axis list}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}], fancy={"x"}>})

// -----

// P06: repeated list
// expected-error@+1 {{valid named axis list}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"x"}, replicated={"y"}>})

// -----

// P06: trailing comma
// expected-error@+1 {{valid named axis list}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}],>})

// -----

// question mark without comma
// expected-error@+1 {{expected '}'}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x" ?}]>})

// -----

// question mark first
// expected-error@+1 {{expected '}'}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{?, "x"}]>})

// -----

// trailing comma in a dimension
// expected-error@+1 {{expected string}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x",}]>})

// -----

// dimensions are missing
// expected-error@+1 {{expected ','}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m>})

// -----

// alias of another kind
// expected-error@+1 {{expected an attribute of kind 'dimension_sharding'}}
func.func private @f(tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [#sdy.mesh<[]>]>})

// -----

// P10: symbol before i
// expected-error@+1 {{expecting symbol from 'i' to 'z'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([h])->([i]) {i=2}>}

// -----

// P11: z_ without digits
// expected-error@+1 {{expecting integer after 'z_'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([z_])->([i]) {i=2}>}

// -----

// P12: z_0
// expected-error@+1 {{positive integer without leading zeros}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([z_0])->([i]) {i=2}>}

// -----

// P12: leading zero
// expected-error@+1 {{positive integer without leading zeros}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([z_01])->([i]) {i=2}>}

// -----

// P13: too large
// expected-error@+1 {{symbol index too large}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([z_9223372036854775808])->([i]) {i=2}>}

// -----

// P14: sizes out of order
// expected-error@+1 {{ordered like an iota}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([i, j])->([i]) {j=2, i=2}>}

// -----

// P15: two symbols with one size
// expected-error@+1 {{expecting single factor symbol}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([i, j])->([i]) {ij=4}>}

// -----

// P16: not custom
// expected-error@+1 {{expected 'custom'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([i])->([i]) {i=2}, handmade>}

// -----

// P17: unknown group
// expected-error@+1 {{expected '>'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([i])->([i]) {i=2} broadcast={i}>}

// -----

// P17: groups out of order
// expected-error@+1 {{expected '>'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([i])->([i]) {i=2} permutation={i} reduction={i}>}

// -----

// P18: no operands
// expected-error@+1 {{expected '['}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<()->([i]) {i=2}>}

// -----

// P19: blank between dimensions
// expected-error@+1 {{expected ']'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([i j])->([i]) {i=2}>}

// -----

// the star of older text
// expected-error@+1 {{expected ']'}}
func.func private @f() attributes {r = #sdy.op_sharding_rule<([*])->([i]) {i=2}>}

// -----

// P20: no such direction
func.func @f(%t: tensor<8xf32>) {
  // expected-error@+1 {{enum values for attribute 'allowed_direction' [NONE, FORWARD, BACKWARD, BOTH]}}
  %0 = sdy.propagation_barrier %t allowed_direction=SIDEWAYS : tensor<8xf32>
  return
}

// -----

// all_to_all without brackets
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected '['}}
  %0 = sdy.all_to_all {"x"} 0->1 %t out_sharding=<@m, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all without axes
func.func @f(%t: tensor<8x8xf32>) {
  // expected-error@+1 {{expected at least one axis}}
  %0 = sdy.all_to_all [{}: 0->1] %t out_sharding=<@m, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

// a computation without terminator
func.func @f() {
  // expected-error@+1 {{region with 1 blocks}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {} : () -> ()
  return
}
