# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the time of a run goes: run --profile, --trace and --repeat."""

import json
import pathlib
import re
import resource

import pytest

from conftest import IS_SANITIZED

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRANSFORMER = ROOT / "examples/transformer_train/model.mlir"
SCAN = ROOT / "examples/rnn_scan/model.mlir"

# 2 * 64 * 128 * 32 flops on a device of two: the rows are cut.
PRODUCT = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<128x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<128x32xf32>) -> tensor<32xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x32xf32>) -> tensor<128x32xf32> loc("jit(f)/mlp/dot_general"("model.py":7:1))
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0] : (tensor<128x32xf32>, tensor<f32>) -> tensor<32xf32>
  return %s : tensor<32xf32>
}
"""


def run_json(shardwise, program, *arguments, stdin=None):
    process = shardwise("run", program, "--no-verify", "--json", *arguments, stdin=stdin)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_profile_has_every_op_with_its_work(shardwise):
    profile = run_json(shardwise, "-", "--profile", stdin=PRODUCT)["profile"]
    assert profile["devices"] == 2 and profile["seconds"] > 0
    assert profile["reachable"]["flops_per_second"] > 1e8 and profile["reachable"]["bytes_per_second"] > 1e8
    product, = [op for op in profile["ops"] if op["op"] == "dot_general"]
    assert product["flops"] == 2 * 64 * 128 * 32 and product["runs"] == 1
    assert product["place"] == "model.py:7 in mlp"
    assert product["bytes"] >= 4 * (64 * 128 + 128 * 32 + 64 * 32)
    total, = [op for op in profile["ops"] if op["op"] == "reduce_scatter"]
    assert total["received_bytes"] > 0 and 0 <= total["wait_seconds"] <= total["seconds"]
    assert [op["seconds"] for op in profile["ops"]] == sorted((op["seconds"] for op in profile["ops"]), reverse=True)


def test_profile_in_text(shardwise):
    process = shardwise("run", TRANSFORMER, "--no-verify", "--profile")
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  profile: "))
    assert "waiting for others" in lines[start] and "each of 8 devices reaches" in lines[start + 1]
    assert lines[start + 2].split() == ["time", "share", "waiting", "runs", "computed", "of", "best", "read+written", "of", "best", "op"]
    # The ops that take most are told, which without instrumented kernels are the products.
    assert ("dot_general" in process.stdout or IS_SANITIZED) and "more (--json has them)" in lines[-1]


def test_collectives_that_overlap_tell_for_how_long(shardwise, tmp_path):
    report = run_json(shardwise, TRANSFORMER, "--profile", "--trace", tmp_path / "trace.json")
    profile = report["profile"]
    hidden = [op for op in profile["ops"] if op["hidden_seconds"] > 0]
    assert hidden and all(op["op"].startswith("all_") for op in hidden)
    # A start and its wait are one run: as many as the report counts.
    assert sum(op["runs"] for op in profile["ops"] if op["op"] == "all_reduce") == \
        sum(one["count"] for one in report["collectives"] if one["kind"] == "all_reduce")
    assert profile["hidden_seconds"] == pytest.approx(sum(op["hidden_seconds"] for op in profile["ops"]))
    slices = [event for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if event["ph"] == "X"]
    for rank in range(8):
        starts = [event for event in slices if event["tid"] == rank and event["name"] == "all_reduce start"]
        waits = [event for event in slices if event["tid"] == rank and event["name"] == "all_reduce wait"]
        assert len(starts) == len(waits) > 0
        for start, wait in zip(starts, waits):
            assert start["cat"] == "collective" and start["args"]["received_bytes"] == 0
            assert wait["args"]["received_bytes"] > 0
            assert 0 < wait["args"]["hidden_us"] <= wait["ts"] + wait["dur"] - start["ts"]


def test_ops_of_a_loop_count_as_often_as_they_run(shardwise):
    ops = run_json(shardwise, SCAN, "--profile")["profile"]["ops"]
    assert max(op["runs"] for op in ops if op["op"] == "dot_general") == 16


def test_trace_has_a_track_for_each_device(shardwise, tmp_path):
    run_json(shardwise, TRANSFORMER, "--trace", tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"]
    assert trace["otherData"]["left_out"] == 0
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert names == {rank: f"device {rank}" for rank in range(8)}
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["tid"] for event in slices} == set(range(8))
    collectives = [event for event in slices if event["cat"] == "collective"]
    assert collectives and all("received_bytes" in event["args"] for event in collectives)
    assert any(event["name"] == "dot_general" and event["args"]["flops"] > 0 and event["args"]["source"] for event in slices)


def test_slices_of_a_track_nest(shardwise, tmp_path):
    run_json(shardwise, SCAN, "--trace", tmp_path / "trace.json")
    slices = [event for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if event["ph"] == "X"]
    for rank in range(8):
        open_until = []
        for event in sorted((one for one in slices if one["tid"] == rank), key=lambda one: (one["ts"], -one["dur"])):
            end = event["ts"] + event["dur"]
            while open_until and open_until[-1] <= event["ts"] + 1e-6:
                open_until.pop()
            assert not open_until or end <= open_until[-1] + 1e-6
            open_until.append(end)


def test_repeats_tell_median_and_spread(shardwise):
    report = run_json(shardwise, SCAN, "--repeat", "5")
    assert len(report["repeat_seconds"]) == 5
    assert report["run_seconds"] == sorted(report["repeat_seconds"])[2]
    process = shardwise("run", SCAN, "--no-verify", "--repeat", "3")
    assert "the median of 3 runs (" in process.stdout


def test_repeats_tell_seconds_of_all_processors(shardwise):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = run_json(shardwise, SCAN, "--repeat", "4")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    processors = report["repeat_processor_seconds"]
    assert len(processors) == 4 and min(processors) > 0
    # Reading, compiling and the first run take some as well.
    assert sum(processors) < command
    assert "repeat_processor_seconds" not in run_json(shardwise, SCAN)
    process = shardwise("run", SCAN, "--no-verify", "--repeat", "3")
    assert re.search(r"the median of 3 runs \(.*\), of all processors \d+\.\d{3} s", process.stdout), process.stdout


def test_mistakes_are_said(shardwise, tmp_path):
    process = shardwise("run", SCAN, "--no-verify", "--trace", tmp_path / "none/trace.json")
    assert process.returncode == 1 and "none/trace.json" in process.stderr
    assert shardwise("run", SCAN, "--repeat", "0").returncode == 2
