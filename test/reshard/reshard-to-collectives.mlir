// RUN: shardwise-opt %s -sdy-reshard-to-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "w"=8]>

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @move
func.func @move(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}]>
  %0 = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @swap
func.func @swap(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]>
  %0 = sdy.reshard %a <@mesh, [{"y"}, {"x"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced=max{"y"}>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK: sdy.all_reduce max {"y"} %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.reduce_scatter max [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]>
  %1 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// CHECK-LABEL: func @subAxis
func.func @subAxis(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{"w":(2)4}, {}] %arg0 out_sharding=<@mesh, [{"w":(1)2}, {}]>
  %0 = sdy.reshard %a <@mesh, [{"w":(1)2}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// A barrier moves nothing, whatever is written on it: what is resharded is the value behind it.
// CHECK-LABEL: func @behind_barriers
func.func @behind_barriers(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: %[[B:.*]] = sdy.propagation_barrier %arg0
  // CHECK-NEXT: %[[C:.*]] = sdy.propagation_barrier %[[B]]
  // CHECK-NEXT: %[[GATHER:.*]] = sdy.all_gather [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {}]>
  // CHECK-NEXT: %[[PART:.*]] = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {"y"}]>
  // CHECK-NEXT: %[[D:.*]] = sdy.propagation_barrier %[[GATHER]]
  // CHECK-NEXT: %[[SLICE:.*]] = sdy.all_slice [{"w"}, {}] %[[GATHER]] out_sharding=<@mesh, [{"w"}, {}]>
  // CHECK-NEXT: return %[[GATHER]], %[[PART]], %arg0, %[[SLICE]]
  %0 = sdy.propagation_barrier %a allowed_direction=BACKWARD : tensor<16x8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"w"}, {}]>]>} : tensor<16x8xf32>
  %2 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<16x8xf32>
  %3 = sdy.reshard %1 <@mesh, [{}, {"y"}]> : tensor<16x8xf32>
  %4 = sdy.reshard %1 <@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
  %5 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<16x8xf32>
  %6 = sdy.reshard %5 <@mesh, [{"w"}, {}]> : tensor<16x8xf32>
  return %2, %3, %4, %6 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// A partial value is combined behind a barrier as well.
// CHECK-LABEL: func @partial_behind_barrier
func.func @partial_behind_barrier(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  %0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<16x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Openness and reserved axes do not move anything.
// CHECK-LABEL: func @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{"x", ?}, {}], replicated={"y"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Axes that become unreduced: nothing is sent for them, and they wait in their dimension.
// CHECK-LABEL: func @becomesUnreduced
func.func @becomesUnreduced(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
  %0 = sdy.reshard %a <@mesh, [{}, {}], unreduced={"x"}> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %arg0 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}>
  %1 = sdy.reshard %a <@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<16x8xf32>
  // CHECK-NEXT: %[[SLICED:.*]] = sdy.all_slice [{}, {"w"}] %arg0 out_sharding=<@mesh, [{"x"}, {"w"}]>
  // CHECK-NEXT: %[[PART:.*]] = sdy.replicated_to_unreduced {"y"} %[[SLICED]] out_sharding=<@mesh, [{"x"}, {"w"}], unreduced={"y"}>
  // CHECK-NEXT: sdy.sharded_to_unreduced [{"x"}, {}] %[[PART]] out_sharding=<@mesh, [{}, {"w"}], unreduced={"x", "y"}>
  %2 = sdy.reshard %a <@mesh, [{}, {"w"}], unreduced={"x", "y"}> : tensor<16x8xf32>
  return %0, %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// Other sums are taken on the way, as if nothing became unreduced.
// CHECK-LABEL: func @unreducedElsewhere
func.func @unreducedElsewhere(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}) -> tensor<16x8xf32> {
  // CHECK-NEXT: %[[SUM:.*]] = sdy.reduce_scatter max [{}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {"x"}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %[[SUM]] out_sharding=<@mesh, [{}, {"x"}], unreduced={"y"}>
  %0 = sdy.reshard %a <@mesh, [{}, {"x"}], unreduced={"y"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// The operand must have a sharding, and the result one that is as open.
// CHECK-LABEL: func @unreducedOfOpen(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}], replicated={"y"}>},
// CHECK-SAME: %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
func.func @unreducedOfOpen(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}], replicated={"y"}>}, %b: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  // CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %arg0 out_sharding=<@mesh, [{"x", ?}, {?}], unreduced={"y"}>
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<16x8xf32>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %arg1 out_sharding=<@mesh, [{}, {}], unreduced={"y"}>
  %1 = sdy.reshard %b <@mesh, [{}, {}], unreduced={"y"}> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}
