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

// Parts of an axis that had an axis of size 1 between them are one. (Shardy leaves them apart and then
// fails to verify what it wrote.)
// CHECK-LABEL: func.func @neighbours
// CHECK-SAME: <@parts, [{"x":(1)4, ?}]>
// CHECK-SAME: <@parts, [{"x"}]>
func.func @neighbours(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@parts, [{"x":(1)2, "one", "x":(2)2, ?}]>},
                 %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@parts, [{"x":(1)2, "one", "x":(2)4}]>}) {
  return
}

// The lists of collectives are what their shardings differ in. (Shardy leaves the lists as they are, and then
// fails to verify what it wrote.)
// CHECK-LABEL: func.func @collectives
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
func.func @collectives(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "one"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  %0 = sdy.all_gather [{"one"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}, {}] %[[G]] out_sharding=<@mesh, [{"x"}, {}]>
  %1 = sdy.all_slice [{"one"}, {}] %0 out_sharding=<@mesh, [{"x", "one"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[T:.*]] = sdy.all_to_all [{"x"}: 0->1] %[[S]] out_sharding=<@mesh, [{}, {"x"}]>
  %2 = sdy.all_to_all [{"x", "one"}: 0->1] %1 out_sharding=<@mesh, [{}, {"x", "one"}]> : tensor<8x8xf32>
  // CHECK-NOT: all_to_all
  %3 = sdy.all_to_all [{"one"}: 1->0] %2 out_sharding=<@mesh, [{"one"}, {"x"}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[U:.*]] = sdy.sharded_to_unreduced [{}, {"x"}] %[[T]] out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
  %4 = sdy.sharded_to_unreduced [{"one"}, {"x"}] %3 out_sharding=<@mesh, [{}, {}], unreduced={"one", "x"}> : tensor<8x8xf32>
  // CHECK-NEXT: %[[C:.*]] = sdy.reduce_scatter [{"x"}, {}] %[[U]] out_sharding=<@mesh, [{"x"}, {}]>
  %5 = sdy.reduce_scatter [{"x"}, {"one"}] %4 out_sharding=<@mesh, [{"x"}, {"one"}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[H:.*]] = sdy.all_gather [{"x"}, {}] %[[C]] out_sharding=<@mesh, [{}, {}]>
  %6 = sdy.all_gather [{"x"}, {"one"}] %5 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  // CHECK-NOT: replicated_to_unreduced
  %7 = sdy.replicated_to_unreduced {"one"} %6 out_sharding=<@mesh, [{}, {}], unreduced={"one"}> : tensor<8x8xf32>
  // CHECK-NEXT: %[[V:.*]] = sdy.replicated_to_unreduced {"x"} %[[H]] out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
  %8 = sdy.replicated_to_unreduced {"x"} %7 out_sharding=<@mesh, [{}, {}], unreduced={"one", "x"}> : tensor<8x8xf32>
  // CHECK-NEXT: %[[R:.*]] = sdy.all_reduce {"one", "x"} %[[V]] out_sharding=<@mesh, [{}, {}]>
  %9 = sdy.all_reduce {"one", "x"} %8 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: return %[[R]]
  return %9 : tensor<8x8xf32>
}
