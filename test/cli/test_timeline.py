# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When a device would do what: explain --perfetto, and the modelled step in the head."""

import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ["examples/mlp_train", "examples/rnn_scan", "examples/transformer_train", "test/programs/experts",
            "test/programs/manual_axis", "test/programs/manual_pipeline"]
TRANSFORMER = ROOT / "examples/transformer_train/model.mlir"
WORK, FIRST_LINK = 1, 10

# Two layers whose weights are gathered for use: the second gather hides behind the first product.
GATHERED = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<16384x1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %v: tensor<1024x1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("params['v']"),
                %w: tensor<1024x1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("params['w']"))
    -> (tensor<16384x1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %a = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<16384x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<16384x1024xbf16>
  %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<16384x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<16384x1024xbf16>
  return %b : tensor<16384x1024xbf16>
}
"""


def timeline_of(shardwise, tmp_path, program, *arguments, stdin=None):
    """The timeline, and the report on the same program."""
    file = tmp_path / "step.json"
    process = shardwise("explain", program, "--json", "--suggest", "0", "--topology", "h100-nvlink-ib", "--perfetto", file,
                        *arguments, stdin=stdin)
    assert process.returncode == 0, process.stderr
    return json.loads(file.read_text()), json.loads(process.stdout)


def slices(timeline, track=None):
    return [event for event in timeline["traceEvents"] if event["ph"] == "X" and track in (None, event["tid"])]


@pytest.mark.parametrize("program", PROGRAMS)
def test_lanes_do_not_overlap_and_add_up_to_the_report(shardwise, tmp_path, program):
    timeline, report = timeline_of(shardwise, tmp_path, ROOT / program / "model.mlir")
    about, summary = timeline["otherData"], report["summary"]
    tracks = {event["tid"] for event in slices(timeline)}
    assert tracks <= {WORK} | {FIRST_LINK + axis for axis in range(report["mesh"].count("="))}
    for track in tracks:
        lane = slices(timeline, track)
        # Exactly: what comes next begins where this ends, or later. Nanoseconds, so rounding is none.
        ends = [round(1000 * event["ts"]) + round(1000 * event["dur"]) for event in lane]
        assert all(round(1000 * after["ts"]) >= end for end, after in zip(ends, lane[1:]))
        assert all(event["dur"] == pytest.approx(1e6 * event["args"]["seconds"], abs=0.0011)
                   for event in lane if "joint" not in event["args"])
    own = [event for event in slices(timeline) if "joint" not in event["args"]]
    work = sum(event["args"]["seconds"] for event in own if event["tid"] == WORK)
    moved = [event for event in own if event["tid"] != WORK]
    assert work == pytest.approx(summary["work_seconds"])
    assert sum(event["args"]["seconds"] for event in moved) == pytest.approx(summary["transfer_seconds"])
    assert sum(event["args"]["received_bytes"] for event in moved) == summary["received_bytes"]
    assert sum(event["args"].get("flops", 0) for event in own) == (
        0 if report["work"]["counts"] == "elements" else report["work"]["flops"])
    end = max(event["ts"] + event["dur"] for event in slices(timeline))
    assert end == pytest.approx(1e6 * summary["scheduled_seconds"], abs=0.001)
    assert about["seconds"] == summary["scheduled_seconds"] and about["left_out"] == 0
    # A schedule is between the two bounds.
    assert summary["overlapped_seconds"] <= summary["scheduled_seconds"] * (1 + 1e-9)
    assert summary["scheduled_seconds"] <= summary["seconds"] * (1 + 1e-9)
    assert summary["exposed_seconds"] == pytest.approx(summary["scheduled_seconds"] - summary["work_seconds"], abs=1e-15)


def test_slices_say_where_and_why(shardwise, tmp_path):
    timeline, report = timeline_of(shardwise, tmp_path, TRANSFORMER)
    names = {event["args"]["name"] for event in timeline["traceEvents"] if event["name"] == "thread_name"}
    assert names == {"work", "links data, 4 devices", "links model, 2 devices"}
    for event in slices(timeline):
        if event["tid"] == WORK or "joint" in event["args"]:
            continue
        told = report["transfers"][event["args"]["transfer"] - 1]
        assert (event["args"]["why"], event["args"]["place"]) == (told["because"], told["place"])
        assert event["name"].startswith(event["cat"].removeprefix("collective,") + " {")
    product = next(event for event in slices(timeline, WORK) if event["name"] == "dot_general")
    assert product["args"]["flops"] > 0 and product["args"]["place"].startswith(f"{TRANSFORMER}:")


def test_arrows_lead_into_and_out_of_transfers(shardwise, tmp_path):
    timeline, _ = timeline_of(shardwise, tmp_path, TRANSFORMER)
    arrows = {}
    for event in timeline["traceEvents"]:
        if event["ph"] in "sf":
            arrows.setdefault(event["id"], {})[event["ph"]] = event
    assert arrows
    for arrow in arrows.values():
        assert arrow["s"]["ts"] <= arrow["f"]["ts"] and {arrow["s"]["tid"], arrow["f"]["tid"]} != {WORK}
        for end in arrow.values():  # There is a slice where it ends.
            assert any(event["ts"] <= end["ts"] + 1e-9 <= event["ts"] + event["dur"] + 2e-9
                       for event in slices(timeline, end["tid"]))


def test_a_gather_hides_behind_the_product_before(shardwise, tmp_path):
    timeline, report = timeline_of(shardwise, tmp_path, "-", stdin=GATHERED)
    first, second = slices(timeline, FIRST_LINK)
    products = slices(timeline, WORK)
    assert first["name"] == second["name"] == 'all_gather {"x"}' and len(products) == 2
    assert first["ts"] == 0 and products[0]["ts"] == first["dur"]
    assert second["ts"] == first["dur"] and second["ts"] + second["dur"] < products[1]["ts"]
    assert report["summary"]["exposed_seconds"] == pytest.approx(first["args"]["seconds"])
    text = shardwise("explain", "-", "--topology", "h100-nvlink-ib", "--width", "200", stdin=GATHERED).stdout
    (told,) = [line for line in text.splitlines() if line.startswith("modelled for h100-nvlink-ib: ")]
    assert "of it " in told and "waiting for transfers; " in told and "if nothing overlaps" in told


def test_memory_is_that_of_the_report(shardwise, tmp_path):
    timeline, report = timeline_of(shardwise, tmp_path, TRANSFORMER)
    counters = [event for event in timeline["traceEvents"] if event["ph"] == "C"]
    curve = report["memory"]["curve"]
    assert [round(sum(event["args"].values()) * 2**20) for event in counters] == curve["bytes"]
    times = [event["ts"] for event in counters]
    assert times == sorted(times) and times[-1] <= max(event["ts"] + event["dur"] for event in slices(timeline))
    assert times[-1] > 0


def test_loops_are_there_once_with_the_time_of_all_runs(shardwise, tmp_path):
    timeline, _ = timeline_of(shardwise, tmp_path, ROOT / "examples/rnn_scan/model.mlir")
    product = next(event for event in slices(timeline, WORK) if event["args"].get("flops", 0) and event["args"]["runs"] == 16)
    assert product["name"].endswith(" (16 times)")


def test_events_are_in_order_and_small(shardwise, tmp_path):
    timeline, _ = timeline_of(shardwise, tmp_path, TRANSFORMER)
    events = timeline["traceEvents"]
    keys = [(event["pid"], event.get("tid", 0), event["ts"]) for event in events if event["ph"] != "M"]
    assert keys == sorted(keys)
    again, _ = timeline_of(shardwise, tmp_path, TRANSFORMER)
    assert again == timeline


@pytest.mark.parametrize("arguments,message", [
    ([], "name one with --topology"),
    (["--topology", "tpu-v5e", "--mesh", "data=8,model=1", "--mesh", "data=2,model=4"], "one --mesh at most"),
    (["--topology", "tpu-v5e", "--diff", TRANSFORMER], "excludes"),
    (["--topology", "tpu-v5e", "--value", "%1"], "excludes"),
])
def test_what_has_no_timeline_is_refused(shardwise, tmp_path, arguments, message):
    process = shardwise("explain", TRANSFORMER, "--perfetto", tmp_path / "none.json", *arguments)
    assert process.returncode in (1, 2) and message in process.stderr
    assert not (tmp_path / "none.json").exists()
