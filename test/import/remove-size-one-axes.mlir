// RUN: shardwise-opt %s -sdy-remove-size-one-axes | FileCheck %s

sdy.mesh @mesh = <["one"=1, "x"=2]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {}]>}
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1], replicated={"x"}>}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"one"}p2]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1], replicated={"one", "x"}>}) {
  return
}
