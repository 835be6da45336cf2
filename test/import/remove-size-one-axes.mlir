// RUN: shardwise-opt %s -sdy-remove-size-one-axes | FileCheck %s

sdy.mesh @mesh = <["one"=1, "x"=2]>
sdy.mesh @parts = <["x"=8, "one"=1]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {}]>}
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1], replicated={"x"}>}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"one"}p2]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1], replicated={"one", "x"}>}) {
  return
}

// Parts of an axis that had an axis of size 1 between them are one. (The reference tool leaves them apart and then
// fails to verify what it wrote.)
// CHECK-LABEL: func.func @neighbours
// CHECK-SAME: <@parts, [{"x":(1)4, ?}]>
// CHECK-SAME: <@parts, [{"x"}]>
func.func @neighbours(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@parts, [{"x":(1)2, "one", "x":(2)2, ?}]>},
                 %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@parts, [{"x":(1)2, "one", "x":(2)4}]>}) {
  return
}
