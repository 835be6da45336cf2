# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The head of `shardwise explain`: memory, work, transfers over each axis and time of a device."""

import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ["examples/mlp_train", "examples/rnn_scan", "examples/rnn_train", "examples/transformer_train",
            "test/programs/experts", "test/programs/manual_axis", "test/programs/manual_pipeline"]

# Two products and their gradients' worth of names: a batch over {"data"}, weights over {"model"}.
STEP = """sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%p: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>} loc("params['w1']"),
                %q: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>} loc("params['w2']"),
                %m: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>} loc("m['w1']"),
                %x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("batch['x']")) -> tensor<32x64xf32> {
  %h = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %n = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %s = stablehlo.add %h, %n : tensor<32x128xf32>
  %y = stablehlo.dot_general %s, %q, contracting_dims = [1] x [0] : (tensor<32x128xf32>, tensor<128x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
"""
FORGOTTEN = STEP.replace('[{"data"}, {}]>} loc("batch', '[{}, {}]>} loc("batch')


def report(shardwise, text, *arguments):
    process = shardwise("explain", "-", "--json", *arguments, stdin=text)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def first_lines(shardwise, text, *arguments):
    process = shardwise("explain", "-", "--width", "200", *arguments, stdin=text)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()[:10]


def bytes_of(memory, kind):
    return sum(row["bytes"] for row in memory["by_kind"] if row["kind"] == kind)


@pytest.mark.parametrize("program", PROGRAMS)
def test_memory_is_that_of_the_run(shardwise, program):
    model = ROOT / program / "model.mlir"
    memory = json.loads(shardwise("explain", model, "--json", "--suggest", "0").stdout)["memory"]
    ran = json.loads(shardwise("run", model, "--json", "--no-verify").stdout)
    assert memory["peak_bytes"] == ran["peak_bytes_per_device"]
    assert sum(row["bytes"] for row in memory["by_kind"]) == memory["peak_bytes"]
    live = sum(entry["bytes"] for entry in memory["peak_live"])
    assert live + bytes_of(memory, "gaps") + bytes_of(memory, "constants") == memory["peak_bytes"]
    curve = memory["curve"]
    assert max(curve["bytes"]) == memory["peak_bytes"] - bytes_of(memory, "gaps")
    columns = [curve[kind] for kind in curve if kind not in ("step", "bytes")]
    assert [sum(row) for row in zip(*columns)] == curve["bytes"]
    assert curve["step"] == sorted(set(curve["step"])) and curve["step"][-1] < memory["num_steps"]


def test_arguments_are_told_by_what_they_are(shardwise):
    memory = report(shardwise, STEP)["memory"]
    assert bytes_of(memory, "parameters") == 2 * 64 * 64 * 4
    assert bytes_of(memory, "optimizer_state") == 64 * 64 * 4
    assert bytes_of(memory, "inputs") == 8 * 64 * 4
    labels = {entry["label"]: entry["kind"] for entry in memory["peak_live"] if entry["label"]}
    assert labels == {"params['w1']": "parameters", "params['w2']": "parameters",
                      "m['w1']": "optimizer_state", "batch['x']": "inputs"}


def test_work_is_counted_and_nothing_is_done_twice(shardwise):
    work = report(shardwise, STEP)["work"]
    assert work["program_flops"] == 3 * 2 * 32 * 64 * 128
    assert work["flops"] * 8 == work["program_flops"]
    assert (work["repeated"], work["by_axes"], work["text"]) == (1.0, [], "")
    assert any("no two devices do the same" in line for line in first_lines(shardwise, STEP))


def test_a_forgotten_batch_is_told_and_the_edit_cures_it(shardwise):
    work = report(shardwise, FORGOTTEN)["work"]
    assert (work["repeated"], work["uncut_input"]) == (4.0, "batch['x']")
    (told,) = [line for line in first_lines(shardwise, FORGOTTEN) if line.startswith("work:")]
    assert 'groups of 4 devices do the same work: nothing is cut over {"data"}' in told
    assert "batch['x'] is not sharded over it: shard its dimension 0" in told
    assert report(shardwise, STEP)["work"]["flops"] * 4 == work["flops"]


def test_everything_on_every_device(shardwise):
    text = FORGOTTEN.replace('{"model"}', "{}")
    (told,) = [line for line in first_lines(shardwise, text) if line.startswith("work:")]
    assert "all 8 devices do the same work" in told


def test_what_does_not_fit_is_told(shardwise, tmp_path):
    small = tmp_path / "small.json"
    preset = json.loads((ROOT / "shardwise/planner/presets/h100-nvlink-ib.json").read_text())
    preset["device"]["memory_bytes"] = 1000
    small.write_text(json.dumps(preset))
    memory = report(shardwise, STEP, "--topology", small)["memory"]
    assert (memory["limit_bytes"], memory["fits"]) == (1000, False)
    assert any("DOES NOT FIT in 1000 B" in line for line in first_lines(shardwise, STEP, "--topology", small))
    assert any(", fits in 80" in line or ", fits in 74" in line
               for line in first_lines(shardwise, STEP, "--topology", "h100-nvlink-ib"))
    assert report(shardwise, STEP)["memory"]["fits"] is None


@pytest.mark.parametrize("program", PROGRAMS)
def test_traffic_is_that_of_the_transfers(shardwise, program):
    explained = json.loads(shardwise("explain", ROOT / program / "model.mlir", "--json", "--suggest", "0",
                                     "--topology", "h100-nvlink-ib").stdout)
    assert sum(row["received_bytes"] for row in explained["traffic"]) == sum(
        transfer["received_bytes"] for transfer in explained["transfers"])
    assert len({(row["axes"], row["kind"]) for row in explained["traffic"]}) == len(explained["traffic"])
    summary = explained["summary"]
    assert summary["work_seconds"] == pytest.approx(summary["compute_seconds"] + summary["memory_seconds"])
    assert summary["overlapped_seconds"] <= summary["seconds"]
    assert summary["bound_by"] in ("compute", "memory", "transfers")


def test_what_ops_hand_on_is_not_in_memory(shardwise):
    """A chain of element-wise ops reads what it begins with and writes what it ends with."""
    begin = "func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {\n"
    one = begin + "  %0 = stablehlo.tanh %x : tensor<1024xf32>\n  return %0 : tensor<1024xf32>\n}"
    two = begin + ("  %0 = stablehlo.tanh %x : tensor<1024xf32>\n  %1 = stablehlo.negate %0 : tensor<1024xf32>\n"
                   "  return %1 : tensor<1024xf32>\n}")
    seconds = [report(shardwise, text, "--topology", "h100-nvlink-ib")["summary"]["memory_seconds"]
               for text in (one, two)]
    assert seconds[0] == pytest.approx(seconds[1]) and seconds[0] > 0


def test_rows_scattered_into_a_table_cost_no_more_than_the_table(shardwise):
    """Who scatters 64 rows does not go through a table of 100,000 rows for each of them."""
    text = """func.func @main(%t: tensor<100000x16xf32>, %i: tensor<64x1xi32>, %u: tensor<64x16xf32>) -> tensor<100000x16xf32> {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100000x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<100000x16xf32>
  return %0 : tensor<100000x16xf32>
}"""
    explained = report(shardwise, text, "--topology", "h100-nvlink-ib")
    rate = explained["topology"]["device"]["vector_flops_per_s"]
    assert explained["summary"]["compute_seconds"] <= 2 * 1_600_000 / rate
    assert explained["summary"]["work_seconds"] > 0


def mlp(x, constraint=None, rows=16384, names=("x", "w1", "w2")):
    """A gradient step of two products, whose hidden values a helper may constrain; outputs are as the weights."""
    constrain = ""
    hidden = "%1"
    if constraint:
        constrain = f'  %c = sdy.sharding_constraint %1 <@mesh, {constraint}> : tensor<{rows}x4096xf32> loc("m.py":10:0)\n'
        hidden = "%c"
    return f"""sdy.mesh @mesh = <["data"=4, "tensor"=2]>
func.func @main(%x: tensor<{rows}x1024xf32> {{sdy.sharding = #sdy.sharding<@mesh, {x}>}} loc("{names[0]}"), %w1: tensor<1024x4096xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"tensor"}}]>}} loc("{names[1]}"), %w2: tensor<4096x1024xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"tensor"}}, {{}}]>}} loc("{names[2]}"))
    -> (tensor<1024x4096xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"tensor"}}]>}}, tensor<4096x1024xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"tensor"}}, {{}}]>}}) {{
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<{rows}x1024xf32>, tensor<1024x4096xf32>) -> tensor<{rows}x4096xf32> loc("m.py":8:0)
  %1 = stablehlo.tanh %0 : tensor<{rows}x4096xf32>
{constrain}  %2 = stablehlo.dot_general {hidden}, %w2, contracting_dims = [1] x [0] : (tensor<{rows}x4096xf32>, tensor<4096x1024xf32>) -> tensor<{rows}x1024xf32> loc("m.py":12:0)
  %3 = stablehlo.dot_general {hidden}, %2, contracting_dims = [0] x [0] : (tensor<{rows}x4096xf32>, tensor<{rows}x1024xf32>) -> tensor<4096x1024xf32>
  %4 = stablehlo.dot_general %2, %w2, contracting_dims = [1] x [1] : (tensor<{rows}x1024xf32>, tensor<4096x1024xf32>) -> tensor<{rows}x4096xf32>
  %5 = stablehlo.multiply %4, %0 : tensor<{rows}x4096xf32>
  %6 = stablehlo.dot_general %x, %5, contracting_dims = [0] x [0] : (tensor<{rows}x1024xf32>, tensor<{rows}x4096xf32>) -> tensor<1024x4096xf32>
  return %6, %3 : tensor<1024x4096xf32>, tensor<4096x1024xf32>
}}
"""


def head(shardwise, program):
    process = shardwise("explain", "-", "--width", "200", stdin=program)
    assert process.returncode == 0, process.stderr
    return "\n".join(process.stdout.splitlines()[:10]), process.stdout


def test_weights_with_short_names_are_no_batch(shardwise):
    """Positional arguments `w1` and `w2` are larger than the batch, and no data: `x` is what nobody sharded."""
    first, _ = head(shardwise, mlp("[{}, {}]"))
    assert "x is not sharded over it: shard its dimension 0" in first
    assert 'best change: annotate x with [{"data"}, {}]: arithmetic 75 % less' in first
    cured, _ = head(shardwise, mlp('[{"data"}, {}]'))
    assert "no two devices do the same" in cured


def test_a_constraint_that_replicates_the_batch_is_the_best_change(shardwise):
    first, _ = head(shardwise, mlp('[{"data"}, {}]', constraint="[{}, {}]"))
    assert 'best change: change the constraint at m.py:10 to [{"data"}, {?}]: ' in first
    # So the edit does what is said of it.
    cured, text = head(shardwise, mlp('[{"data"}, {}]', constraint='[{"data"}, {?}]'))
    assert "no two devices do the same" in cured and "best change" not in cured, text


def test_axes_have_no_pattern_where_no_parameter_is_known(shardwise):
    unknown = mlp('[{"data"}, {}]', names=("a", "b", "c"))
    assert "parallel" not in head(shardwise, unknown)[1]
    assert '"data" is data parallel' in head(shardwise, mlp('[{"data"}, {}]'))[1]


@pytest.mark.parametrize("donation, donated", [
    ("tf.aliasing_output = 0 : i32", 64 * 64 * 4), ("jax.buffer_donor = true", 64 * 64 * 4), ("mhlo.other = 1", 0)])
def test_results_in_donated_arguments_are_told(shardwise, donation, donated):
    program = f"""sdy.mesh @mesh = <["x"=2]>
func.func @main(%w: tensor<128x64xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>, {donation}}}, %b: tensor<8xf32>)
    -> (tensor<128x64xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}, tensor<8xf32>) {{
  %0 = stablehlo.add %w, %w : tensor<128x64xf32>
  %1 = stablehlo.add %b, %b : tensor<8xf32>
  return %0, %1 : tensor<128x64xf32>, tensor<8xf32>
}}
"""
    assert json.loads(shardwise("explain", "-", "--json", stdin=program).stdout)["memory"]["donated_bytes"] == donated
    told = "XLA puts 16.0 KiB of these results into donated arguments" in shardwise("explain", "-", stdin=program).stdout
    assert told == (donated > 0)
