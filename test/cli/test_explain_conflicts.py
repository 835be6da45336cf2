# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shardwise explain: conflicts, who wins them, and the changes that it tries."""

import json
import pathlib

import pytest

from explained import MATMUL, conflict_program, explain, only_conflict

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("lhs_shape, rhs_shape, winner", [("64x8", "8x16", "%a"),
                                                          ("16x8", "8x64", "%b")])
def test_the_larger_source_wins(shardwise, lhs_shape, rhs_shape, winner):
    conflict = only_conflict(shardwise, conflict_program('[{"x"}, {?}]', '[{?}, {"x"}]',
                                                         lhs_shape, rhs_shape))
    assert conflict["obstacle"] == "other_dimension"
    assert conflict["rule"] == "larger_source"
    assert conflict["winner"]["origin"]["value"] == winner
    assert conflict["loser"]["origin"]["value"] == ({"%a", "%b"} - {winner}).pop()
    assert conflict["received_bytes"] > 0


def test_equal_sources_go_by_order(shardwise):
    conflict = only_conflict(shardwise, conflict_program('[{"x"}, {?}]', '[{?}, {"x"}]', "8x8", "8x8"))
    assert conflict["rule"] == "source_order"
    assert conflict["winner"]["origin"]["value"] == "%a"


def test_user_priority_wins(shardwise):
    conflict = only_conflict(shardwise, conflict_program('[{"x"}p1, {?}]', '[{?}, {"x"}]'))
    assert conflict["rule"] == "user_priority"
    assert conflict["winner"]["origin"]["value"] == "%b"


OP_PRIORITY = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<64x64xf32>,
                %d: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<64x64xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = stablehlo.add %c, %d : tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}
"""


def test_element_wise_ops_go_first(shardwise):
    conflict = only_conflict(shardwise, OP_PRIORITY)
    assert (conflict["op"], conflict["rule"]) == ("dot_general", "op_priority")
    assert conflict["winner"]["origin"]["value"] == "%d"


def test_closed_dimension(shardwise):
    text = "-> (tensor".join(part.replace("[{?}, {}]", "[{}, {}]") if number else part
                             for number, part in enumerate(MATMUL.split("-> (tensor")))
    conflict = only_conflict(shardwise, text)
    assert (conflict["obstacle"], conflict["rule"]) == ("closed", "none")
    assert conflict["winner"]["origin"]["what"] == "result 0"


def test_two_axes_on_one_factor(shardwise):
    text = """sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
  %c = stablehlo.add %a, %b : tensor<8xf32>
  return %c : tensor<8xf32>
}
"""
    conflict = only_conflict(shardwise, text)
    assert conflict["obstacle"] == "other_axes"
    assert {conflict["winner"]["axes"], conflict["loser"]["axes"]} == {'{"x"}', '{"y"}'}


@pytest.mark.parametrize("command", [["run", "--no-verify"], ["propagate"], ["partition"]])
def test_conflicts_of_other_commands_are_remarks(shardwise, command):
    text = conflict_program('[{"x"}, {?}]', '[{?}, {"x"}]')
    name, *options = command
    process = shardwise(name, "-", *options, "--conflicts", stdin=text)
    assert process.returncode == 0
    assert "-:4:8: remark: dot_general receives" in process.stderr
    assert "to change it:" in process.stderr
    assert "remark" not in shardwise(name, "-", *options, stdin=text).stderr


def test_a_change_that_saves_bytes_is_suggested_and_true(shardwise):
    text = conflict_program('[{"x"}, {?}]', '[{?}, {"x"}]')
    suggestion, *_ = explain(shardwise, text)["suggestions"]
    assert suggestion["received_bytes"]["after"] < suggestion["received_bytes"]["before"]
    assert suggestion["flops"]["after"] <= suggestion["flops"]["before"]
    assert "changes that save bytes" in shardwise("explain", "-", stdin=text).stdout
    assert explain(shardwise, text, "--suggest", "0")["suggestions"] == []
    # What is suggested is done by hand: the report of the changed program agrees.
    what, sharding = suggestion["edit"].split(" with ")
    assert what.startswith("annotate argument"), suggestion
    value = what.split()[-1]
    changed = "\n".join(
        line[:line.index("[{")] + sharding + line[line.index(">}"):] if value + ":" in line else line
        for line in text.splitlines())
    after = explain(shardwise, changed)
    assert sum(t["received_bytes"] for t in after["transfers"]) == suggestion["received_bytes"]["after"]


def test_annotations_of_calls_are_not_tried(shardwise):
    """Import makes a constraint of what is written on a call; the program as written has none to change."""
    model = ROOT / "test/conformance/pipeline/076_calls.mlir"
    report = json.loads(shardwise("explain", model, "--json").stdout)
    winners = [conflict["winner"]["origin"]["what"] for conflict in report["conflicts"]]
    assert "constraint" in winners
    assert report["edits_tried"] > 0 and report["suggestions"]
    assert not any(suggestion["edit"].startswith("annotate constraint") for suggestion in report["suggestions"])


def test_axes_of_size_one_keep_the_names_of_others_right(shardwise):
    text = conflict_program('[{"x"}, {?}]', '[{?}, {"x"}]')
    plain = explain(shardwise, text)
    padded = explain(shardwise, text.replace('["x"=2', '["one"=1, "x"=2'))
    assert plain["conflicts"] == padded["conflicts"]
    assert plain["suggestions"] == padded["suggestions"] != []
    text = MATMUL.replace('["data"=4', '["one"=1, "data"=4')
    (transfer,) = explain(shardwise, text)["transfers"]
    assert 'which is on {"model"}' in transfer["because"]
