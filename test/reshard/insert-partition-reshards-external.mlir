// RUN: shardwise-opt %s -shardwise-insert-partition-reshards -verify-diagnostics
//
// A call of a function without a body is refused, whatever shardings say of its operands.

sdy.mesh @mesh = <["x"=4]>

func.func private @external(tensor<8xf32>) -> tensor<8xf32>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @below {{calls "external", which has no body that could be partitioned}}
  %0 = func.call @external(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
