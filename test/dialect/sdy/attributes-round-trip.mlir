// RUN: shardwise-opt %s | FileCheck %s
// RUN: shardwise-opt %s | shardwise-opt | FileCheck %s
// RUN: shardwise-opt %s -mlir-print-op-generic | shardwise-opt | FileCheck %s
// RUN: shardwise-opt %s -emit-bytecode | shardwise-opt | FileCheck %s

// Every attribute in every spelling that is accepted, and the one that is printed.

#mesh_alias = #sdy.mesh<["x"=2, "y"=4, "z"=12]>
#axis_alias = #sdy<axis_ref"x">
#dim_alias = #sdy<dimension_sharding{"x", ?}p1>
#sharding_alias = #sdy.sharding<@aliased, [{"y":(2)2}]>
#mapping_alias = #sdy<tensor_mapping[i, j]>

// CHECK: sdy.mesh @aliased = <["x"=2, "y"=4, "z"=12]>
sdy.mesh @aliased = #mesh_alias
// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]>
// CHECK: sdy.mesh @maximal = <[], device_ids=[5]>
sdy.mesh @maximal = <[], device_ids=[ 5 ]>
// CHECK: sdy.mesh @maximal_zero = <[], device_ids=[0]>
sdy.mesh @maximal_zero = <[], device_ids=[0]>
// Identity order is dropped.
// CHECK: sdy.mesh @identity = <["a"=2, "b"=2]>
sdy.mesh @identity = <["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>
// CHECK: sdy.mesh @reversed = <["a"=2], device_ids=[1, 0]> {note = "reversed"}
sdy.mesh @reversed = <["a"=2], device_ids=[1,0]> {note = "reversed"}
// CHECK: sdy.mesh @quoted = <["an \22axis\22"=8]>
sdy.mesh @quoted = <["an \"axis\""=8]>

// CHECK-LABEL: func.func private @shardings
func.func private @shardings(
  // CHECK-SAME: #sdy.sharding<@aliased, [{"x"}, {}]>
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{"x"}, {}]>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{"y":(1)2, ?}p2, {?}]>
  tensor<8x8xf32> {sdy.sharding = #sdy<sharding< @aliased,[{"y" : ( 1 ) 2, ?} p2, {?}]>>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{}, {}], replicated={"x", "y":(1)2}, unreduced={"z"}>
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{}, {}], unreduced={"z"}, replicated={"x", "y":(1)2}>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{}], unreduced={"x"}>
  tensor<8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{}], unreduced=sum{"x"}>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{}], unreduced={"x"}>
  tensor<8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{}], unreduced{"x"}>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{}], unreduced=max{"x"}>
  tensor<8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{}], unreduced=max{"x"}>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{"x"}p0, {?}p9223372036854775807], replicated={"z":(3)2}, unreduced=min{"y"}>
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{"x"}p0, {?}p9223372036854775807], replicated={"z":(3)2}, unreduced=min{"y"}>},
  // CHECK-SAME: #sdy.sharding<@maximal, []>
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@maximal, []>},
  // CHECK-SAME: #sdy.sharding<mesh<["x"=2]>, [{"x"}]>
  tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>},
  // CHECK-SAME: #sdy.sharding<mesh<[], device_ids=[3]>, []>
  tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>},
  // A dimension size need not be divisible.
  // CHECK-SAME: #sdy.sharding<@aliased, [{"z"}]>
  tensor<5xf32> {sdy.sharding = #sdy.sharding<@aliased, [{"z"}]>},
  // Sub-axes need not coexist, and a minor one may come first.
  // CHECK-SAME: #sdy.sharding<@aliased, [{"z":(3)2}, {"z":(1)2}]>
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{"z":(3)2}, {"z":(1)2}]>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{"y":(2)2, "y":(1)2}]>
  tensor<8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{"y":(2)2, "y":(1)2}]>})

// Aliases and full forms inside other attributes.
// CHECK-LABEL: func.func private @nested_aliases
func.func private @nested_aliases(
  // CHECK-SAME: #sdy.sharding<@aliased, [{"x", ?}p1, {"y"}], replicated={"z"}>
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@aliased, [#dim_alias, {"y"}], replicated={"z"}>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{"x", "y"}]>
  tensor<8xf32> {sdy.sharding = #sdy.sharding<@aliased, [{#axis_alias, #sdy<axis_ref"y">}]>},
  // CHECK-SAME: #sdy.sharding<@aliased, [{"y":(2)2}]>
  tensor<8xf32> {sdy.sharding = #sharding_alias})

// CHECK-LABEL: @alone
func.func @alone() attributes {
  // CHECK-SAME: a0 = #sdy<mesh_axis"x"=3>
  a0 = #sdy<mesh_axis"x"=3>,
  // CHECK-SAME: a1 = #sdy<sub_axis_info(2)4>
  a1 = #sdy<sub_axis_info(2)4>,
  // CHECK-SAME: a2 = #sdy<axis_ref"z":(2)4>
  a2 = #sdy<axis_ref"z":(2)4>,
  // CHECK-SAME: a3 = #sdy<dimension_sharding{"x", ?}p3>
  a3 = #sdy<dimension_sharding{"x", ?}p3>,
  // CHECK-SAME: a4 = #sdy.sharding_per_value<[<@m, [{}]>, <mesh<[]>, [{?}]>]>
  a4 = #sdy.sharding_per_value<[<@m, [{}]>, <mesh<[]>, [{?}]>]>,
  // CHECK-SAME: a5 = #sdy.sharding_per_value<[]>
  a5 = #sdy.sharding_per_value<[]>,
  // CHECK-SAME: a6 = #sdy<manual_axes{"x", "y"}>
  a6 = #sdy<manual_axes{"x", "y"}>,
  // CHECK-SAME: a7 = #sdy<axis_ref_list{"x", "z":(2)2}>
  a7 = #sdy<axis_ref_list{"x", "z":(2)2}>,
  // CHECK-SAME: a8 = #sdy<list_of_axis_ref_lists[{"x"}, {}, {"y", "z":(1)4}]>
  a8 = #sdy<list_of_axis_ref_lists[{"x"}, {}, {"y", "z":(1)4}]>,
  // CHECK-SAME: a9 = #sdy<all_to_all_param{"x", "y"}: 0->2>
  a9 = #sdy<all_to_all_param{"x", "y"}: 0->2>} {
  return
}

// CHECK-LABEL: @alone_too
func.func @alone_too() attributes {
  // CHECK-SAME: b0 = #sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: -2->3]>
  b0 = #sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: -2->3]>,
  // CHECK-SAME: b1 = #sdy<tensor_mapping[i, jk]>
  b1 = #sdy<tensor_mapping[i, jk]>,
  // CHECK-SAME: b2 = #sdy<dim_mapping ij>
  b2 = #sdy<dim_mapping ij>,
  // CHECK-SAME: b3 = #sdy<edge_value_ref operand-2>
  b3 = #sdy<edge_value_ref operand-2>,
  // CHECK-SAME: b4 = #sdy<axis_to_propagation_details{"x" = result-0 -> [operand-0, operand-1]}>
  b4 = #sdy<axis_to_propagation_details{"x" = result-0 -> [operand-0, operand-1]}>,
  // CHECK-SAME: b5 = #sdy<propagation_one_step{step-3 = [{"y":(1)2 = result-0 -> [operand-0]}]}>
  b5 = #sdy<propagation_one_step{step-3 = [{"y":(1)2 = result-0 -> [operand-0]}]}>,
  // CHECK-SAME: b6 = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}, {step-3 = [{"y" = result-0 -> [operand-0]}]}]>
  b6 = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}, {step-3 = [{"y" = result-0 -> [operand-0]}]}]>,
  // CHECK-SAME: b7 = #sdy.mesh<["x"=2]>
  b7 = #sdy.mesh<["x"=2], device_ids=[0, 1]>} {
  return
}

// CHECK-LABEL: @rules
func.func @rules() attributes {
  // CHECK-SAME: r0 = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>
  r0 = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>,
  // CHECK-SAME: r1 = #sdy.op_sharding_rule<([ij])->([i, j]) {i=3, j=5}>
  r1 = #sdy.op_sharding_rule<([ij])->([i, j]) {i=3, j=5}>,
  // CHECK-SAME: r2 = #sdy.op_sharding_rule<([], [i])->([i]) {i=7} need_replication={i} blocked_propagation={i}, custom>
  r2 = #sdy.op_sharding_rule<([], [i])->([i]) {i=7} reduction={} need_replication={i} permutation={} blocked_propagation={i}, custom>,
  // CHECK-SAME: r3 = #sdy.op_sharding_rule<([])->([])>
  r3 = #sdy.op_sharding_rule<([])->([]) {}>,
  // CHECK-SAME: r4 = #sdy.op_sharding_rule<([zz_1, z_8z_9, z_2i])->([i])>
  r4 = #sdy.op_sharding_rule<([zz_1, z_8z_9, z_2i])->([i])>,
  // CHECK-SAME: r5 = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=-1, j=0} permutation={i, j}>
  r5 = #sdy.op_sharding_rule<(#mapping_alias)->([i, j]) {i=-1, j=0} permutation={i, j}>} {
  return
}
