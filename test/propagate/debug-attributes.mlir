// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges "-sdy-apply-sharding-constraints=debug-sharding-origins=true debug-propagation-edge-sharding=true" "-sdy-user-priority-propagate=debug-sharding-origins=true debug-propagation-edge-sharding=true" | FileCheck %s
// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges "-sdy-user-priority-propagate=debug-sharding-origins=true debug-propagation-edge-sharding=true" "-sdy-sink-data-flow-edges=sink-debug-sharding-origins=true sink-debug-propagation-edge-sharding=true" | FileCheck %s --check-prefix=SINK
// RUN: shardwise-opt %s -split-input-file -sdy-add-data-flow-edges "-sdy-user-priority-propagate=debug-sharding-origins=true debug-propagation-edge-sharding=true" "-sdy-sink-data-flow-edges=sink-debug-sharding-origins=true sink-debug-propagation-edge-sharding=true" -sdy-remove-propagation-debug-info | FileCheck %s --check-prefix=REMOVED
// REMOVED-NOT: origin
// REMOVED-NOT: propagation_edges

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Steps are numbered over the module. Those of function results are all on result 0.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<8x8xf32> {{[^)%]*}}sdy.sharding_origins = {x = "self", y = "output: 1"}
// CHECK-SAME: %arg1: tensor<8x8xf32> {{[^)%]*}}sdy.sharding_origins = {x = "input: 0", y = "output: 1"}
// CHECK-SAME: sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"y" = result-0 -> [operand-0]}]}, {step-2 = [{"x" = operand-0 -> [result-0]}]}, {step-5 = [{"y" = operand-0 -> [result-0]}]}]>
// CHECK-SAME: sdy.sharding_origins = {x = "input: 0", y = "self"}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) {
  // CHECK: stablehlo.add {{.*}}sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [operand-1, result-0]}]}, {step-4 = [{"y" = result-0 -> [operand-0, operand-1]}]}]>
  // CHECK-SAME: sdy.sharding_origins = [{x = "input: 0", y = "output: 1"}]
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  // CHECK: stablehlo.negate {{.*}}{step-3 = [{"x" = operand-0 -> [result-0]}, {"y" = result-0 -> [operand-0]}]}
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// An annotated op that is no constraint gets a name when its axes are used elsewhere.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @annotated_op
// CHECK-SAME: sdy.sharding_origins = {x = "op_0"}
// CHECK-SAME: sdy.sharding_origins = {x = "op_0"}
func.func @annotated_op(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.negate {{.*}}sdy.sharding_origin_name = "op_0", sdy.sharding_origins = [{x = "self"}]
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The step that copies a closed constraint to its input counts as well.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @constraint
// CHECK-SAME: sdy.sharding_origins = {x = "constraint_0"}
func.func @constraint(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.negate {{.*}}step-2
  %0 = stablehlo.negate %a : tensor<8xf32>
  // CHECK: sdy.sharding_constraint {{.*}}step-0 = [{"x" = result-0 -> [operand-0]}]
  // CHECK-SAME: sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {x = "self"}
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Sources of an edge are numbered over operands and terminators.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @loop
func.func @loop(%a: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  // SINK: stablehlo.while{{.*}}sdy.block_arg_propagation_edges = [], sdy.block_arg_sharding_origins = []
  // SINK-SAME: sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-{{[0-9]+}} = [{"x" = operand-1 -> [operand-0]}]}]>]
  // SINK-SAME: sdy.result_sharding_origins = [{x = "constraint_0"}]
  %r:2 = stablehlo.while(%i = %a, %k = %n) : tensor<8xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %m = stablehlo.negate %i : tensor<8xf32>
    %d = sdy.sharding_constraint %m <@mesh, [{"x", ?}]> : tensor<8xf32>
    stablehlo.return %d, %k : tensor<8xf32>, tensor<i32>
  }
  // CHECK: sdy.data_flow_edge {{.*}}sdy.propagation_edges = #sdy.propagation_edges<[{step-{{[0-9]+}} = [{"x" = operand-1 -> [operand-0]}]}]>, sdy.sharding_origins = {x = "constraint_0"}
  return %r#0 : tensor<8xf32>
}

// -----

// Manual computations name each of their shardings.
sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-LABEL: func.func @manual
func.func @manual(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %y = stablehlo.negate %x : tensor<16x8xf32>
  // CHECK: sdy.manual_computation
  // CHECK: sdy.data_flow_edge {{.*}}sdy.sharding_origins = {a = "self", b = "self"}
  // CHECK: stablehlo.tanh {{.*}}sdy.sharding_origins = [{b = "mc_0_input: 0"}]
  // CHECK: sdy.sharding_origin_name = "mc_0"
  // SINK: sdy.manual_computation
  // SINK: sdy.block_arg_sharding_origins = [{a = "self", b = "self"}]
  // SINK-SAME: sdy.result_sharding_origins = [{a = "self", b = "mc_0_input: 0"}]
  %m = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"a", "b", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg: tensor<8x8xf32>) {
    %t = stablehlo.tanh %arg : tensor<8x8xf32>
    sdy.return %t : tensor<8x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %m : tensor<16x8xf32>
}

// -----

// An argument of a body shows the manual axes that a step brings, and does not store them. That is a step nevertheless.
sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @shown_and_not_stored
func.func @shown_and_not_stored(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}, %y: tensor<8x8xf32>) {
  // CHECK: sdy.manual_computation{{.*}} in_shardings=[<@mesh, [{}, {"a", ?}]>, <@mesh, [{"a"}, {"b"}]>]
  // CHECK: sdy.data_flow_edge {{.*}}sharding=<@mesh, [{}, {?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"b" = operand-0 -> [result-0]}]}]>
  %m = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{}, {"a", ?}]>, <@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a", "b"} (%p: tensor<8x4xf32>, %q: tensor<4x4xf32>) {
    sdy.return %p : tensor<8x4xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x4xf32>
  return
}
