// RUN: shardwise-opt %s -split-input-file -sdy-sink-data-flow-edges | FileCheck %s

// Owners without an edge, edges without a sharding, and edges of values that own none.

sdy.mesh @mesh = <["a"=2, "b"=2]>
// Once an edge has a sharding, what has no edge, or none with a sharding, is open.
// CHECK-LABEL: func.func @results_without_edge
func.func @results_without_edge(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>, <@mesh, [{"a", ?}, {}]>]>}
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {?}]>, <@mesh, [{?}, {}]>]>} %a, %b : tensor<8x4xf32>, tensor<8x4xf32>
  %1 = sdy.data_flow_edge %0#1 sharding=<@mesh, [{"a", ?}, {}]> : tensor<8x4xf32>
  return %0#0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
// CHECK-LABEL: func.func @edges_without_sharding
func.func @edges_without_sharding(%a: tensor<8xf32>, %c: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>, <@mesh, [{?}]>]>
  %0:3 = "stablehlo.case"(%c) ({
    stablehlo.return %a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>, <@mesh, [{"b"}]>]>} : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2, %0#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// If no edge has one, nothing was decided: the op keeps its own.
// CHECK-LABEL: func.func @no_sharding_at_all
func.func @no_sharding_at_all(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[B:.*]]:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>]>}
  // CHECK-NEXT: return %[[B]]#0, %[[B]]#1
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>]>} %a, %b : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 : tensor<8xf32>
  return %1, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// A token has no edge. It has no dimension that could be open.
// CHECK-LABEL: func.func @tokens
func.func @tokens(%a: tensor<8xf32>, %t: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token) {
  // CHECK: stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, []>]>}
  %0:2 = stablehlo.optimization_barrier %a, %t : tensor<8xf32>, !stablehlo.token
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  return %1, %0#1 : tensor<8xf32>, !stablehlo.token
}

// The open ones are on the mesh of the first edge that has one.
sdy.mesh @other = <["a"=4]>
// CHECK-LABEL: func.func @two_meshes
func.func @two_meshes(%a: tensor<8xf32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
  // CHECK: stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@other, [{?}]>, <@other, [{"a"}]>, <@mesh, []>]>}
  %0:3 = stablehlo.optimization_barrier %a, %a, %s : tensor<8xf32>, tensor<8xf32>, tensor<f32>
  %1 = sdy.data_flow_edge %0#1 sharding=<@other, [{"a"}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#2 sharding=<@mesh, []> : tensor<f32>
  return %0#0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<f32>
}

// Arguments of loop bodies own no edge, nor do results of ops through which shardings do not flow this way.
// CHECK-LABEL: func.func @no_owners
// CHECK-NOT: sdy.data_flow_edge
// CHECK-NOT: sdy.sharding =
func.func @no_owners(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0:2 = stablehlo.while(%i = %a, %j = %b) : tensor<8xf32>, tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    // CHECK: do
    // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[I:.*]], %[[J:.*]] : tensor<8xf32>
    // CHECK-NEXT: stablehlo.return %[[SUM]], %[[J]]
    %1 = sdy.data_flow_edge %i sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %j : tensor<8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8xf32>
    stablehlo.return %3, %2 : tensor<8xf32>, tensor<8xf32>
  }
  // CHECK: %[[T:.*]] = stablehlo.tanh
  // CHECK-NEXT: return %{{.*}}, %[[T]]
  %4 = stablehlo.tanh %0#1 : tensor<8xf32>
  %5 = sdy.data_flow_edge %4 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  return %0#0, %5 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The manual axes of a manual computation are no decision of propagation: they stay.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
// CHECK-LABEL: func.func @manual_arguments
func.func @manual_arguments(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: in_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{"b"}], replicated={"a"}>] out_shardings=[<@mesh, [{"c"}], replicated={"a"}>, <@mesh, [{"a", ?}]>]
  %0:2 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"a", "c"}]>, <@mesh, [{"c"}], replicated={"a"}>] out_shardings=[<@mesh, [{"c"}], replicated={"a"}>, <@mesh, [{"a", ?}]>] manual_axes={"a"} (%x: tensor<4xf32>, %y: tensor<8xf32>) {
    %1 = sdy.data_flow_edge %x : tensor<4xf32>
    %2 = sdy.data_flow_edge %y sharding=<@mesh, [{"b"}]> : tensor<8xf32>
    sdy.return %2, %1 : tensor<8xf32>, tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %3 = sdy.data_flow_edge %0#0 : tensor<8xf32>
  return %3, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func @manual_results
func.func @manual_results(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: in_shardings=[<@mesh, [{"a", "b"}]>, <@mesh, [{?}], replicated={"a"}>] out_shardings=[<@mesh, [{"b"}], replicated={"a"}>, <@mesh, [{"a", ?}]>, <@mesh, [{?}], replicated={"a"}>]
  %0:3 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"a", "c"}]>, <@mesh, [{"c"}], replicated={"a"}>] out_shardings=[<@mesh, [{"c"}], replicated={"a"}>, <@mesh, [{"a", "c"}]>, <@mesh, [{"c"}], replicated={"a"}>] manual_axes={"a"} (%x: tensor<4xf32>, %y: tensor<8xf32>) {
    %1 = sdy.data_flow_edge %x sharding=<@mesh, [{"b"}]> : tensor<4xf32>
    sdy.return %y, %1, %y : tensor<8xf32>, tensor<4xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %2 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"b"}], replicated={"a"}> : tensor<8xf32>
  return %2, %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func @named
func.func @named(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: in_shardings=[<@mesh, [{?}]>, <@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]
  %0:2 = sdy.named_computation<"f">(%a, %b) in_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>] (%x: tensor<8xf32>, %y: tensor<8xf32>) {
    %2 = sdy.data_flow_edge %y sharding=<@mesh, [{"b"}]> : tensor<8xf32>
    sdy.return %x, %2 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
}
