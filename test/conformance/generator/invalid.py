# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folder invalid: texts that must be rejected."""

import random
import re

from .shardings import AXIS_NAME_SETS
from .roundtrip import in_func

T = "tensor<16x32xf32>"


def on_arg(sharding, kind=T):
    return ("%%t: %s {sdy.sharding = %s}" % (kind, sharding), "")


def sh(text):
    return on_arg("#sdy.sharding<" + text + ">")


def body(text, arg="%t: " + T):
    return (arg, text)


def sharded(dims, text):
    return ("%%t: %s {sdy.sharding = #sdy.sharding<@m, %s>}" % (T, dims), text)


def rule(text, kind=T):
    return body("%%a = stablehlo.tanh %%t {sdy.sharding_rule = %s} : %s" % (text, kind), "%t: " + kind)


def orule(text):
    return rule("#sdy.op_sharding_rule<" + text + ">")


def manual(clauses, block, inner, types, dims=None):
    text = "%%a = sdy.manual_computation(%%t) %s (%s) {\n%s\n} : %s" % (clauses, block, inner, types)
    return sharded(dims, text) if dims else body(text)


M = 'sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>'
TT = "(%s) -> %s" % (T, T)

INVALID = [
    # Parsing of shardings.
    ("priority_word", sh('@m, [{"x"}q1, {}]')), ("priority_digits", sh('@m, [{"x"}p, {}]')),
    ("priority_zero", sh('@m, [{"x"}p01, {}]')), ("priority_big", sh('@m, [{"x"}p99999999999999999999, {}]')),
    ("no_mesh", sh('[{"x"}, {}]')), ("mesh_string", sh('"m", [{"x"}, {}]')),
    ("mesh_nested_symbol", sh('@m::@n, [{"x"}, {}]')), ("mesh_attr", sh('#sdy.mesh<["x"=2]>, [{"x"}, {}]')),
    ("replicated_no_equals", sh('@m, [{}, {}], replicated{"x"}')), ("replicated_empty", sh("@m, [{}, {}], replicated={}")),
    ("replicated_unquoted", sh("@m, [{}, {}], replicated={x}")),
    ("replicated_twice", sh('@m, [{}, {}], replicated={"x"}, replicated={"y"}')),
    ("unreduced_twice", sh('@m, [{}, {}], unreduced={"x"}, unreduced=max{"y"}')),
    ("unreduced_word", sh('@m, [{}, {}], unreduced=prod{"x"}')), ("trailing_comma", sh("@m, [{}, {}],")),
    ("open_no_comma", sh('@m, [{"x" ?}, {}]')), ("open_first", sh('@m, [{?, "x"}, {}]')),
    ("dim_trailing_comma", sh('@m, [{"x",}, {}]')), ("axis_unquoted", sh("@m, [{x}, {}]")),
    ("sub_axis_no_size", sh('@m, [{"z":(2)}, {}]')), ("sub_axis_no_parens", sh('@m, [{"z":2}, {}]')),
    ("dims_missing", sh("@m")), ("dims_braces", sh('@m, {{"x"}, {}}')),
    ("dims_no_brace", sh('@m, ["x", {}]')),
    # Meshes.
    ("mesh_size_zero", 'sdy.mesh @bad = <["a"=0]>'), ("mesh_size_negative", 'sdy.mesh @bad = <["a"=2, "b"=-1]>'),
    ("device_negative", 'sdy.mesh @bad = <["a"=2], device_ids=[-1, 0]>'),
    ("maximal_two", "sdy.mesh @bad = <[], device_ids=[0, 1]>"), ("axis_twice", 'sdy.mesh @bad = <["a"=2, "a"=4]>'),
    ("device_count", 'sdy.mesh @bad = <["a"=2, "b"=2], device_ids=[0, 1, 2]>'),
    ("device_permutation", 'sdy.mesh @bad = <["a"=2, "b"=2], device_ids=[0, 1, 2, 4]>'),
    ("device_repeated", 'sdy.mesh @bad = <["a"=4], device_ids=[3, 2, 2, 0]>'),
    ("device_empty", 'sdy.mesh @bad = <["a"=2], device_ids=[]>'), ("mesh_trailing", 'sdy.mesh @bad = <["a"=2,]>'),
    ("mesh_no_size", 'sdy.mesh @bad = <["a"]>'), ("mesh_in_func", body('sdy.mesh @inner = <["a"=2]>')),
    ("mesh_redefined", M),
    # Verification of shardings.
    ("op_plain", body('%%a = stablehlo.tanh %%t {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>} : %s' % T)),
    ("arg_per_value", on_arg('#sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>')), ("arg_string", on_arg('"x"')),
    ("mesh_unknown", sh('@nowhere, [{"x"}, {}]')),
    ("mesh_unknown_constraint", body('%%a = sdy.sharding_constraint %%t <@nowhere, [{"x"}, {}]> : %s' % T)),
    ("mesh_is_func", sh("@main, [{}, {}]")), ("maximal_dims", sh("@one, [{}, {}]")),
    ("maximal_replicated", sh('mesh<[], device_ids=[0]>, [], replicated={"x"}')),
    ("tuple_two", on_arg("#sdy.sharding<@m, []>", "tuple<tensor<4xf32>, tensor<4xf32>>")),
    ("token_dims", on_arg("#sdy.sharding<@m, [{}]>", "!stablehlo.token")), ("unranked", on_arg("#sdy.sharding<@m, [{}]>", "tensor<*xf32>")),
    ("rank_arg", sh('@m, [{"x"}]')), ("rank_arg_many", sh("@m, [{}, {}, {}]")),
    ("rank_op", body('%%a = stablehlo.tanh %%t {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : %s' % T)),
    ("rank_constraint", body("%%a = sdy.sharding_constraint %%t <@m, []> : %s" % T)),
    ("closed_empty_priority", sh('@m, [{"x"}, {}p1]')), ("replicated_order", sh('@m, [{}, {}], replicated={"y", "x"}')),
    ("replicated_sub_order", sh('@m, [{}, {}], replicated={"z":(4)2, "z":(1)2}')),
    ("unreduced_order", sh('@m, [{}, {}], unreduced={"z", "x"}')), ("axis_unknown", sh('@m, [{"q"}, {}]')),
    ("axis_unknown_replicated", sh('@m, [{}, {}], replicated={"q"}')), ("axis_repeated", sh('@m, [{"x"}, {"x"}]')),
    ("axis_repeated_dim", sh('@m, [{"x", "x"}, {}]')), ("axis_repeated_replicated", sh('@m, [{"x"}, {}], replicated={"x"}')),
    ("axis_repeated_unreduced", sh('@m, [{}, {}], replicated={"y"}, unreduced={"y"}')),
    ("mergeable", sh('@m, [{"z":(1)2, "z":(2)4}, {}]')), ("mergeable_replicated", sh('@m, [{}, {}], replicated={"z":(1)2, "z":(2)2}')),
    ("full_and_sub", sh('@m, [{"z"}, {"z":(1)2}]')), ("sub_pre_zero", sh('@m, [{"z":(0)2}, {}]')),
    ("sub_size_one", sh('@m, [{"z":(2)1}, {}]')), ("sub_not_dividing", sh('@m, [{"z":(1)3}, {}]')),
    ("sub_beyond", sh('@m, [{"y":(4)2}, {}]')), ("sub_full", sh('@m, [{"y":(1)4}, {}]')),
    ("sub_overlap", sh('@m, [{"z":(1)4}, {"z":(2)4}]')), ("sub_overlap_replicated", sh('@m, [{"z":(1)4}, {}], replicated={"z":(2)2}')),
    ("count_op", body('%%a = stablehlo.tanh %%t {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>, <@m, [{}, {}]>]>} : %s' % T)),
    ("count_zero", body("%%a = stablehlo.tanh %%t {sdy.sharding = #sdy.sharding_per_value<[]>} : %s" % T)),
    ("no_result_dims", body('stablehlo.custom_call @f(%%t) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (%s) -> ()' % T)),
    # Sharding rules.
    ("rule_type", rule('"no rule"')), ("rule_letter", orule("([a, j])->([i, j]) {i=16, j=32}")),
    ("rule_no_digits", orule("([z_, j])->([i, j]) {i=16, j=32}")), ("rule_zero_index", orule("([z_0, j])->([i, j]) {i=16, j=32}")),
    ("rule_index_big", orule("([z_9223372036854775808, j])->([i, j]) {i=16, j=32}")),
    ("rule_size_order", orule("([i, j])->([i, j]) {j=32, i=16}")), ("rule_size_gap", orule("([i, j])->([i, j]) {i=16, k=32}")),
    ("rule_size_compound", orule("([i, j])->([i, j]) {ij=512}")), ("rule_suffix", orule("([i, j])->([i, j]) {i=16, j=32}, special")),
    ("rule_group_order", orule("([i, j])->([i, j]) {i=16, j=32} permutation={i} need_replication={j}")),
    ("rule_group_unknown", orule("([i, j])->([i, j]) {i=16, j=32} broadcast={i}")),
    ("rule_no_operands", orule("()->([i, j]) {i=16, j=32}")), ("rule_blank", orule("([i j])->([i, j]) {i=16, j=32}")),
    ("rule_operand_count", orule("([i, j], [i, j])->([i, j]) {i=16, j=32}")),
    ("rule_result_count", orule("([i, j])->([i, j], [i, j]) {i=16, j=32}")), ("rule_rank", orule("([i])->([i, j]) {i=16, j=32}")),
    ("rule_dynamic", rule("#sdy.op_sharding_rule<([i, j])->([i, j]) {i=16, j=32}>", "tensor<16x?xf32>")),
    ("rule_no_factor", orule("([i, ])->([i, j]) {i=16, j=32}")), ("rule_factor_range", orule("([i, k])->([i, j]) {i=16, j=32}")),
    ("rule_reused", orule("([i, i])->([i, j]) {i=16, j=32}")), ("rule_compound_one", orule("([i, jk])->([i, j]) {i=16, j=32, k=1}")),
    ("rule_unused", orule("([i, j])->([i, j]) {i=16, j=32, k=4}")),
    ("rule_unsorted", orule("([i, j])->([i, j]) {i=16, j=32} need_replication={j, i}")),
    ("rule_repeated", orule("([i, j])->([i, j]) {i=16, j=32} permutation={i, i}")),
    ("rule_group_range", orule("([i, j])->([i, j]) {i=16, j=32} blocked_propagation={k}")),
    ("rule_two_kinds", orule("([i, j])->([i, j]) {i=16, j=32} need_replication={i} permutation={i}")),
    ("rule_reduction_result", orule("([i, j])->([i, j]) {i=16, j=32} reduction={j}")),
    # Collectives.
    ("gather_unsharded", body('%%a = sdy.all_gather [{"x"}, {}] %%t out_sharding=<@m, [{}, {}]> : %s' % T)),
    ("gather_mesh", sharded('[{"x"}, {}]', '%%a = sdy.all_gather [{"x"}, {}] %%t out_sharding=<@other, [{}, {}]> : %s' % T)),
    ("gather_lists", sharded('[{"x"}, {}]', '%%a = sdy.all_gather [{"x"}] %%t out_sharding=<@m, [{}, {}]> : %s' % T)),
    ("gather_not_suffix", sharded('[{"x", "y"}, {}]', '%%a = sdy.all_gather [{"x"}, {}] %%t out_sharding=<@m, [{"y"}, {}]> : %s' % T)),
    ("gather_result", sharded('[{"x", "y"}, {}]', '%%a = sdy.all_gather [{"y"}, {}] %%t out_sharding=<@m, [{}, {}]> : %s' % T)),
    ("gather_repeated", sharded('[{"x"}, {"y"}]', '%%a = sdy.all_gather [{"x"}, {"x"}] %%t out_sharding=<@m, [{}, {"y"}]> : %s' % T)),
    ("slice_result", sharded('[{"x"}, {}]', '%%a = sdy.all_slice [{"y"}, {}] %%t out_sharding=<@m, [{"y", "x"}, {}]> : %s' % T)),
    ("slice_unmerged", sharded('[{"z":(1)2}, {}]', '%%a = sdy.all_slice [{"z":(2)4}, {}] %%t out_sharding=<@m, [{"z":(1)2}, {}]> : %s' % T)),
    ("a2a_empty", sharded('[{"x"}, {}]', '%%a = sdy.all_to_all [] %%t out_sharding=<@m, [{"x"}, {}]> : %s' % T)),
    ("a2a_range", sharded('[{"x"}, {}]', '%%a = sdy.all_to_all [{"x"}: 0->2] %%t out_sharding=<@m, [{}, {"x"}]> : %s' % T)),
    ("a2a_same", sharded('[{"x"}, {}]', '%%a = sdy.all_to_all [{"x"}: 0->0] %%t out_sharding=<@m, [{"x"}, {}]> : %s' % T)),
    ("a2a_swap", sharded('[{"x"}, {"y"}]', '%%a = sdy.all_to_all [{"x"}: 0->1, {"y"}: 1->0] %%t out_sharding=<@m, [{"y"}, {"x"}]> : %s' % T)),
    ("a2a_result", sharded('[{"x"}, {"y"}]', '%%a = sdy.all_to_all [{"x"}: 0->1] %%t out_sharding=<@m, [{}, {"x", "y"}]> : %s' % T)),
    ("a2a_old_form", sharded('[{"x"}, {}]', '%%a = sdy.all_to_all {"x"} 0->1 %%t out_sharding=<@m, [{}, {"x"}]> : %s' % T)),
    ("permute_size", sharded('[{"x"}, {}]', '%%a = sdy.collective_permute %%t out_sharding=<@m, [{"y"}, {}]> : %s' % T)),
    ("permute_axes", sharded('[{"x"}, {}]', '%%a = sdy.collective_permute %%t out_sharding=<@other, [{}, {}]> : %s' % T)),
    ("permute_same_order", sharded('[{"x"}, {}]', '%%a = sdy.collective_permute %%t out_sharding=<@again, [{"x"}, {}]> : %s' % T)),
    ("reduce_order", sharded('[{}, {}], unreduced={"x", "y"}', '%%a = sdy.all_reduce {"y", "x"} %%t out_sharding=<@m, [{}, {}]> : %s' % T)),
    ("reduce_dims", sharded('[{"x"}, {}]', '%%a = sdy.all_reduce {"y"} %%t out_sharding=<@m, [{}, {}]> : %s' % T)),
    ("reduce_overlap", sharded('[{"x"}, {}]', '%%a = sdy.all_reduce {"x"} %%t out_sharding=<@m, [{"x"}, {}]> : %s' % T)),
    ("reduce_new", sharded('[{"x"}, {}]', '%%a = sdy.all_reduce {"y"} %%t out_sharding=<@m, [{"x"}, {}], unreduced={"z"}> : %s' % T)),
    ("reduce_kind", sharded('[{}, {}], unreduced=max{"y"}', '%%a = sdy.all_reduce {"y"} %%t out_sharding=<@m, [{}, {}]> : %s' % T)),
    ("scatter_kind", sharded('[{}, {}], unreduced={"y"}', '%%a = sdy.reduce_scatter max [{"y"}, {}] %%t out_sharding=<@m, [{"y"}, {}]> : %s' % T)),
    ("s2u_kind", sharded('[{"x"}, {}]', '%%a = sdy.sharded_to_unreduced [{"x"}, {}] %%t out_sharding=<@m, [{}, {}], unreduced=max{"x"}> : %s' % T)),
    ("s2u_list", sharded('[{"x"}, {}]', '%%a = sdy.sharded_to_unreduced [{"x"}, {}] %%t out_sharding=<@m, [{}, {}]> : %s' % T)),
    ("r2u_dims", sharded('[{"x"}, {}]', '%%a = sdy.replicated_to_unreduced {"y"} %%t out_sharding=<@m, [{"x", ?}, {}], unreduced={"y"}> : %s' % T)),
    ("r2u_empty", sharded('[{"x"}, {}]', '%%a = sdy.replicated_to_unreduced {} %%t out_sharding=<@m, [{"x"}, {}]> : %s' % T)),
    ("r2u_overlap", sharded('[{"x"}, {}]', '%%a = sdy.replicated_to_unreduced {"x"} %%t out_sharding=<@m, [{"x"}, {}]> : %s' % T)),
    ("r2u_list", sharded('[{"x"}, {}]', '%%a = sdy.replicated_to_unreduced {"y"} %%t out_sharding=<@m, [{"x"}, {}]> : %s' % T)),
    ("constraint_introduces", sharded('[{"x"}, {}]', '%%a = sdy.sharding_constraint %%t <@m, [{"x"}, {}], unreduced=max{"y"}> : %s' % T)),
    ("reshard_changes_kind", sharded('[{"x"}, {}], unreduced=min{"y"}', '%%a = sdy.reshard %%t <@m, [{"x"}, {}], unreduced=max{"y"}> : %s' % T)),
    # Regions, edges, barriers.
    ("manual_counts", manual('in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>, <@m, [{}, {}]>] manual_axes={"x"}', "%b: tensor<8x32xf32>", "sdy.return %b : tensor<8x32xf32>", TT)),
    ("manual_in_count", manual('in_shardings=[] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"}', "%b: tensor<8x32xf32>", "sdy.return %b : tensor<8x32xf32>", TT)),
    ("manual_free_first", manual('in_shardings=[<@m, [{"y", "x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"}', "%b: tensor<8x32xf32>", "sdy.return %b : tensor<8x32xf32>", TT)),
    ("manual_shape", manual('in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"}', "%b: tensor<16x32xf32>", "sdy.return %b : tensor<16x32xf32>", TT)),
    ("manual_shape_free", manual('in_shardings=[<@m, [{"x", "y"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"}', "%b: tensor<2x32xf32>", "sdy.return %b : tensor<2x32xf32>", TT)),
    ("manual_result_shape", manual('in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{}, {"x"}]>] manual_axes={"x"}', "%b: tensor<8x32xf32>", "sdy.return %b : tensor<8x32xf32>", TT)),
    ("manual_two_meshes", manual('in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@other, [{}, {}]>] manual_axes={"x"}', "%b: tensor<8x32xf32>", "sdy.return %b : tensor<8x32xf32>", "(%s) -> tensor<8x32xf32>" % T)),
    ("manual_unknown", manual('in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"q"}', "%b: " + T, "sdy.return %b : " + T, TT)),
    ("manual_bound_axis", manual('in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"}', "%b: tensor<8x32xf32>", '%c = sdy.sharding_constraint %b <@m, [{"x"}, {}]> : tensor<8x32xf32>\nsdy.return %c : tensor<8x32xf32>', TT)),
    ("manual_bound_sub_axis", manual('in_shardings=[<@m, [{"z"}, {}]>] out_shardings=[<@m, [{"z"}, {}]>] manual_axes={"z"}', "%b: tensor<2x32xf32>", '%c = stablehlo.tanh %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"z":(1)2}]>]>} : tensor<2x32xf32>\nsdy.return %c : tensor<2x32xf32>', TT)),
    ("manual_nested_axis", manual('in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"}', "%b: tensor<8x32xf32>", '%c = sdy.manual_computation(%b) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%d: tensor<4x32xf32>) {\n  sdy.return %d : tensor<4x32xf32>\n} : (tensor<8x32xf32>) -> tensor<8x32xf32>\nsdy.return %c : tensor<8x32xf32>', TT)),
    ("manual_not_divisible", body('%a = sdy.manual_computation(%t) in_shardings=[<@m, [{"y"}]>] out_shardings=[<@m, [{}]>] manual_axes={"y"} (%b: tensor<2xf32>) {\nsdy.return %b : tensor<2xf32>\n} : (tensor<6xf32>) -> tensor<2xf32>', "%t: tensor<6xf32>")),
    ("manual_captures", body('%%a = sdy.manual_computation() in_shardings=[] out_shardings=[<@m, [{}, {}]>] manual_axes={} () {\nsdy.return %%t : %s\n} : () -> %s' % (T, T))),
    ("manual_no_clause", body('%%a = sdy.manual_computation(%%t) in_shardings=[<@m, [{}, {}]>] manual_axes={} (%%b: %s) {\nsdy.return %%b : %s\n} : %s' % (T, T, TT))),
    ("barrier_both", body("%%a = sdy.propagation_barrier %%t allowed_direction=BOTH : %s" % T)),
    ("barrier_word", body("%%a = sdy.propagation_barrier %%t allowed_direction=SIDEWAYS : %s" % T)),
    ("named_arg_count", body('%%a = sdy.named_computation<"f">(%%t) () {\n%%c = stablehlo.constant dense<1.0> : tensor<4xf32>\nsdy.return %%c : tensor<4xf32>\n} : (%s) -> tensor<4xf32>' % T)),
    ("named_arg_type", body('%%a = sdy.named_computation<"f">(%%t) (%%b: tensor<8xf32>) {\nsdy.return %%b : tensor<8xf32>\n} : (%s) -> tensor<8xf32>' % T)),
    ("named_result_type", body('%%a = sdy.named_computation<"f">(%%t) (%%b: %s) {\nsdy.return %%b : %s\n} : (%s) -> tensor<4xf32>' % (T, T, T))),
    ("named_sharding_count", body('%%a = sdy.named_computation<"f">(%%t) in_shardings=[] (%%b: %s) {\nsdy.return %%b : %s\n} : %s' % (T, T, TT))),
    ("edge_two_uses", body("%%o = stablehlo.optimization_barrier %%t : %s\n%%e = sdy.data_flow_edge %%o : %s\n%%u = stablehlo.tanh %%o : %s" % (T, T, T))),
    ("edge_of_sdy", body("%%o = sdy.propagation_barrier %%t allowed_direction=NONE : %s\n%%e = sdy.data_flow_edge %%o : %s" % (T, T))),
    ("edge_dynamic", body("%e = sdy.data_flow_edge %t : tensor<?xf32>", "%t: tensor<?xf32>")),
    ("edge_rank", body("%%o = stablehlo.optimization_barrier %%t : %s\n%%e = sdy.data_flow_edge %%o sharding=<@m, [{}]> : %s" % (T, T))),
    ("func_edge_owner", body("%%o = stablehlo.tanh %%t : %s\n%%e = sdy.func_data_flow_edge %%o : %s" % (T, T))),
    ("func_edge_uses", body("%%e = sdy.func_data_flow_edge %%t : %s\n%%u = stablehlo.tanh %%t : %s" % (T, T))),
    ("group_no_id", body("sdy.sharding_group %%t : %s" % T)), ("group_old_form", body("sdy.sharding_group %%t, id=0 : %s" % T)),
    ("group_unranked", body("sdy.sharding_group %t group_id=0 : tensor<*xf32>", "%t: tensor<*xf32>")),
    ("constant_type", body("%c = sdy.constant dense<1> : tensor<?xi32>")),
    ("constraint_type", body('%%a = "sdy.sharding_constraint"(%%t) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : (%s) -> tensor<16x32xi32>' % T)),
    # Debug attributes.
    ("edges_step", body('%%a = stablehlo.tanh %%t {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}, {step-0 = [{"y" = operand-0 -> [result-0]}]}]>} : %s' % T)),
    ("edges_self", body('%%a = stablehlo.tanh %%t {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-0]}]}]>} : %s' % T)),
    ("edges_unsharded", body('%%a = stablehlo.tanh %%t {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : %s' % T)),
    ("edges_index", sharded('[{"x"}, {}]', '%%a = stablehlo.tanh %%t {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-3]}]}]>} : %s' % T)),
    # Passes that report errors.
    ("group_shapes", ("%%t: %s, %%u: tensor<8xf32>" % T, "sdy.sharding_group %%t group_id=0 : %s\nsdy.sharding_group %%u group_id=0 : tensor<8xf32>" % T), "-sdy-sharding-group-import"),
    ("group_crosses", ("%t: " + T, 'sdy.sharding_group %%t group_id=0 : %s\n%%a = sdy.manual_computation(%%t) in_shardings=[<@m, [{}, {}], replicated={"x"}>] out_shardings=[<@m, [{}, {}], replicated={"x"}>] manual_axes={"x"} (%%b: %s) {\nsdy.sharding_group %%b group_id=0 : %s\nsdy.return %%b : %s\n} : %s' % (T, T, T, T, TT)), "-sdy-sharding-group-import"),
    ("manual_no_values", ("%t: " + T, 'sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {\n%c = stablehlo.constant dense<1.0> : tensor<4xf32>\nsdy.return\n} : () -> ()'), "-sdy-manual-axes-cleanup"),
    ("dynamic_propagate", ("%t: tensor<?xf32>", "%a = stablehlo.tanh %t : tensor<?xf32>\n%b = sdy.propagation_barrier %a allowed_direction=NONE : tensor<?xf32>"), "-sdy-basic-propagate"),
]


def gen_invalid(rng, index, seed):
    order = list(range(len(INVALID)))
    random.Random("%s/invalid-order" % seed).shuffle(order)
    entry = INVALID[order[index % len(order)]]
    name, what = entry[0], entry[1]
    args = entry[2] if len(entry) > 2 else ""
    lines = [M, 'sdy.mesh @other = <["u"=8, "v"=8]>', 'sdy.mesh @again = <["x"=2, "y"=4, "z"=8]>',
             "sdy.mesh @one = <[], device_ids=[0]>"]
    if isinstance(what, str):
        lines.insert(rng.randint(1, 3), what)
        what = ("%t: " + T, "")
    filler = ['func.func @fine%d(%%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {\n  return\n}'
              % i for i in range(rng.randint(0, 2))]
    lines += filler
    lines.append(in_func(what[0], what[1]))
    text = "\n".join(lines)
    names = dict(zip("xyz", rng.choice(AXIS_NAME_SETS)))
    text = re.sub(r'"([xyz])"', lambda m: '"%s"' % names[m.group(1)], text)
    return name, args, text, {"mode": "error"}
