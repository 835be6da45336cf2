# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`jax.lax.ragged_all_to_all` as JAX writes it: tokens go to the experts that they chose. XLA for CPUs
cannot run it, so NumPy says what comes out."""

import json
import re

import numpy as np
import pytest

DEVICES, ROWS, ROOM, FEATURES = 4, 8, 16, 3

LISTS = ", ".join(["tensor<4x4xi32>"] * 4)
# What jax.jit(jax.shard_map(..)).lower(..).as_text() prints.
PROGRAM = """
module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<32x3xf32>, %arg1: tensor<64x3xf32>, %arg2: tensor<4x4xi32>, %arg3: tensor<4x4xi32>, %arg4: tensor<4x4xi32>, %arg5: tensor<4x4xi32>) -> (tensor<64x3xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg6: tensor<8x3xf32>, %arg7: tensor<16x3xf32>, %arg8: tensor<1x4xi32>, %arg9: tensor<1x4xi32>, %arg10: tensor<1x4xi32>, %arg11: tensor<1x4xi32>) {
      %1 = stablehlo.reshape %arg8 : (tensor<1x4xi32>) -> tensor<4xi32>
      %2 = stablehlo.reshape %arg9 : (tensor<1x4xi32>) -> tensor<4xi32>
      %3 = stablehlo.reshape %arg10 : (tensor<1x4xi32>) -> tensor<4xi32>
      %4 = stablehlo.reshape %arg11 : (tensor<1x4xi32>) -> tensor<4xi32>
      %5 = stablehlo.custom_call @ragged_all_to_all(%arg6, %arg7, %1, %2, %3, %4) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}} : (tensor<8x3xf32>, tensor<16x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<16x3xf32>
      sdy.return %5 : tensor<16x3xf32>
    } : (tensor<32x3xf32>, tensor<64x3xf32>, LISTS) -> tensor<64x3xf32>
    return %0 : tensor<64x3xf32>
  }
}
""".replace("LISTS", LISTS)
# Features are cut by the partitioner, along an axis that is not manual.
WITH_A_FREE_AXIS = (PROGRAM.replace('[{"x"}, {}]', '[{"x"}, {?}]').replace('["x"=4]', '["x"=4, "y"=3]').replace("= 4 : i32, mhlo", "= 12 : i32, mhlo")
                    .replace("%arg0: tensor<32x3xf32>",
                             '%arg0: tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}')
                    .replace("[[0, 1, 2, 3]]> : tensor<1x4xi64>",
                             "[[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]> : tensor<3x4xi64>"))


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return path


def inputs():
    """Rows, output and lists of a random dispatch: by device, then by the device of the other side."""
    random = np.random.default_rng(7)
    rows = random.normal(size=(DEVICES * ROWS, FEATURES)).astype(np.float32)
    output = np.full((DEVICES * ROOM, FEATURES), -1, np.float32)
    sizes = random.multinomial(ROWS - 1, [1 / DEVICES] * DEVICES, size=DEVICES)
    sizes[1] = 0, 4, 0, 2
    starts = np.cumsum(sizes, 1) - sizes
    places = np.cumsum(sizes, 0) - sizes
    assert sizes.sum(0).max() <= ROOM
    return rows, output, *(part.astype(np.int32) for part in (starts, sizes, places, sizes.T))


def expected(rows, output, starts, sizes, places, _):
    result = output.reshape(DEVICES, ROOM, FEATURES).copy()
    for source in range(DEVICES):
        for target in range(DEVICES):
            start, size, place = (part[source, target] for part in (starts, sizes, places))
            block = rows[source * ROWS + start:][:size]
            result[target, place:place + size] = block
    return result.reshape(output.shape)


def write(folder, arrays):
    folder.mkdir()
    for number, array in enumerate(arrays):
        np.save(folder / f"{number}.npy", array)
    return folder


@pytest.mark.parametrize("text", [PROGRAM, WITH_A_FREE_AXIS], ids=["manual", "free_axis"])
def test_rows_go_where_the_lists_say(shardwise, tmp_path, text):
    (tmp_path / "program.mlir").write_text(text)
    arrays = inputs()
    process = shardwise("run", tmp_path / "program.mlir", "--inputs", write(tmp_path / "in", arrays),
                        "--expect", write(tmp_path / "out", [expected(*arrays)]), "--json")
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["verified"] and report["compared_with"] == "reference"
    entry, = (entry for entry in report["collectives"] if entry["kind"] == "ragged_all_to_all")
    # What the busiest device receives from others: of three devices along "y", a feature each.
    sizes = arrays[3]
    features = FEATURES if text is PROGRAM else 1
    assert entry["bytes_received_per_device"] == (sizes.sum(0) - sizes.diagonal()).max() * features * 4
    assert entry["count"] == 1


def test_eval_knows_it(shardwise, program, tmp_path):
    arrays = inputs()
    process = shardwise("eval", program, "--inputs", write(tmp_path / "in", arrays), "--expect",
                        write(tmp_path / "out", [expected(*arrays)]))
    assert process.returncode == 0, process.stderr


def test_sizes_that_do_not_agree_are_named(shardwise, program, tmp_path):
    arrays = list(inputs())
    arrays[5] = arrays[5].copy()
    arrays[5][2, 1] += 1
    process = shardwise("run", program, "--inputs", write(tmp_path / "in", arrays))
    assert process.returncode == 1
    assert re.search(r"ragged_all_to_all: rank 1 sends \d+ rows to rank 2, which expects \d+ by its recv_sizes",
                     process.stderr)


@pytest.mark.parametrize("form", ["stablehlo", "xla-replicas", "xla-shard-map", "sdy"])
def test_forms_keep_it(shardwise, program, form):
    process = shardwise("partition", program, "--form", form)
    assert process.returncode == 0, process.stderr
    call, = re.findall(r"custom_call @ragged_all_to_all.*", process.stdout)
    assert "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>" in call
    # Ids are those of replicas where there is no channel.
    assert ("channel_id" in call) == (form != "xla-replicas")


def test_the_dialect_shard_has_no_such_collective(shardwise, program):
    process = shardwise("partition", program, "--form", "mlir-shard")
    assert process.returncode == 1
    assert "cannot be said in MLIR's dialect shard: the dialect has no such collective" in process.stderr


def test_explain_says_that_bytes_are_a_bound(shardwise, program):
    process = shardwise("explain", program)
    assert process.returncode == 0, process.stderr
    # No more than the 16 rows of the result can be received.
    assert re.search(r'192 B +ragged_all_to_all {"x"}', process.stdout)
    text = " ".join(process.stdout.split())
    assert ("because it is written in the program; how many rows it sends depends on data, these "
            "bytes are the most") in text


def test_outside_of_a_manual_computation_it_is_refused_by_name(shardwise, tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text("""
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %l: tensor<4xi32>) -> tensor<8x3xf32> {
  %0 = stablehlo.custom_call @ragged_all_to_all(%a, %a, %l, %l, %l, %l) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}} : (tensor<8x3xf32>, tensor<8x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
""")
    for command in ("partition", "explain"):
        process = shardwise(command, path)
        assert process.returncode == 1
        assert "program.mlir:4:8: error:" in process.stderr
        assert ("'ragged_all_to_all' is between devices, of which a global program knows nothing; "
                "write it in an sdy.manual_computation (jax.shard_map)") in process.stderr


def test_operands_that_do_not_fit_are_refused(shardwise, program):
    program.write_text(PROGRAM.replace("replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>",
                                       "replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>"))
    process = shardwise("partition", program)
    assert process.returncode == 1
    assert ("takes lists with as many elements for each device of a group, got 4 for 3 devices"
            in process.stderr)
