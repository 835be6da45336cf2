# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers of a whole dimension that an op forces, in the reports of `explain` and `run`; and gathers that
are asked for or chosen, which are none."""

import json

import pytest

SORT = """sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
"""

# Nothing is known of a map, and half of the operand is asked for.
MAP = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>):
    %1 = stablehlo.negate %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
"""

# A reverse in a loop of three; the loop carries its operand cut.
LOOP = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %u: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %v = %a) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %c1 : tensor<i32>
    %s = "stablehlo.sort"(%v) <{dimension = 0 : i64}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %1 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %w = stablehlo.add %s, %u : tensor<8xf32>
    stablehlo.return %n, %w : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
"""

ASKED = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {}]> : tensor<16x8xf32>
  %1 = stablehlo.tanh %0 : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
"""

# A weight cut over the axis of the batch is gathered: the product could sum over it as well.
WEIGHT = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4096x8xf32>, tensor<8x8xf32>) -> tensor<4096x8xf32>
  return %0 : tensor<4096x8xf32>
}
"""

# Rows become columns: they are cut before and whole behind, but nothing is gathered.
MOVED = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {"x"}]> : tensor<16x16xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %2 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
"""


def json_of(shardwise, command, text):
    process = shardwise(command, "-", "--json", stdin=text)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def forced(shardwise, text):
    """What `explain` lists, once it is sure that `run` lists the same."""
    explained = json_of(shardwise, "explain", text)
    run = json_of(shardwise, "run", text)["forced_gathers"]
    gathers = explained["forced_gathers"]
    same = ("op", "place", "source", "value", "dimension", "axes", "because")
    assert [[gather[key] for key in same] for gather in gathers] == [[gather[key] for key in same] for gather in run]
    for gather, of_run in zip(gathers, run):
        assert gather["received_bytes"] == of_run["bytes_received_per_device"]
        assert gather["received_bytes"] == explained["transfers"][gather["transfer"]]["received_bytes"]
    return gathers


@pytest.mark.parametrize("text, op, value, dim, axes, num_bytes", [
    (SORT.replace('8x64', '1x64').replace('[{"x"}, {"y"}]', '[{}, {"y"}]'), "sort", "%a", 1, '{"y"}', 64 * 4 * 3 // 4),
    (MAP, "map", "%a", 0, '{"x"}', 16 * 8 * 4 * 3 // 4),
    (LOOP, "sort", "%a", 0, '{"x"}', 8 * 4 // 2),
], ids=["sort", "map", "loop"])
def test_ops_that_need_a_whole_dimension_are_listed(shardwise, text, op, value, dim, axes, num_bytes):
    (gather,) = forced(shardwise, text)
    assert (gather["op"], gather["value"], gather["dimension"], gather["axes"]) == (op, value, dim, axes)
    assert gather["received_bytes"] == num_bytes
    assert gather["because"] == f"{op} needs all of dimension {dim} of {value}, which is on {axes}"
    line = text.split(f'"stablehlo.{op}"')[0].count("\n") + 1
    assert gather["place"].startswith(f"-:{line}:")


@pytest.mark.parametrize("text", [ASKED, WEIGHT, MOVED], ids=["asked", "weight", "moved"])
def test_gathers_that_are_asked_for_or_chosen_are_not(shardwise, text):
    explained = json_of(shardwise, "explain", text)
    assert explained["transfers"] and forced(shardwise, text) == []
    assert "an op forces" not in shardwise("explain", "-", stdin=text).stdout
    assert "an op forces" not in shardwise("run", "-", stdin=text).stdout


def test_both_reports_have_a_section(shardwise):
    text = shardwise("explain", "-", "--width", 120, stdin=MAP).stdout
    assert ("gathers of a whole dimension that an op forces\n"
            "          384 B  map needs all of dimension 0 of %a, which is on {\"x\"} (transfer 1)\n") in text
    text = shardwise("run", "-", stdin=MAP).stdout
    assert "gathers of a whole dimension that an op forces:\n" in text
    assert "384 B  map needs all of dimension 0 of %a, which is on {\"x\"}, -:3:8" in text


def test_layers_that_are_alike_are_one_row_of_the_explanation(shardwise):
    chain = "\n".join(
        f"""  %s{i} = "stablehlo.map"(%a{i}) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%x: tensor<f32>):
    %1 = stablehlo.negate %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }}) : (tensor<16xf32>) -> tensor<16xf32>
  %a{i + 1} = stablehlo.add %s{i}, %u : tensor<16xf32>""" for i in range(12))
    text = f"""sdy.mesh @mesh = <["x"=4]>
func.func @main(%a0: tensor<16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}, %u: tensor<16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) -> (tensor<16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) {{
{chain}
  return %a12 : tensor<16xf32>
}}
"""
    assert len(forced(shardwise, text)) == 12
    report = " ".join(shardwise("explain", "-", stdin=text).stdout.split())
    assert "576 B map needs all of dimension 0 of %a0, which is on {\"x\"} (12 alike) (transfer 1)" in report
    assert "2 more (--json has them)" in shardwise("run", "-", stdin=text).stdout


def test_conflicts_and_gathers_come_from_one_propagation(shardwise):
    """Warnings are there once: as remarks with --conflicts, else as those of the compilation."""
    plain = shardwise("run", "-", stdin=MAP)
    remarks = shardwise("run", "-", "--conflicts", stdin=MAP)
    assert plain.stdout.count("map needs all") == remarks.stdout.count("map needs all") == 1
    for process in (plain, remarks):
        assert process.stderr.count("shardings do not pass") == 1, process.stderr
