# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise partition --form`: what each form says, and how long it is. Values are compared in
test/xla."""

import json
import re
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks" / "forms"))
import layered_programs  # noqa: E402

PROGRAMS = sorted([*(ROOT / "examples").glob("*/model.mlir"),
                   *(ROOT / "test/programs").glob("*/model.mlir")])
NAMES = [path.parent.name for path in PROGRAMS]
FORMS = ["stablehlo", "xla-replicas", "xla-shard-map", "sdy", "mlir-shard"]
WRITTEN = sorted((ROOT / "benchmarks/partition").glob("*/*.mlir"))


def partition(shardwise, path, form, *options):
    process = shardwise("partition", path, "--form", form, *options)
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_unknown_forms_are_refused_with_those_that_are_known(shardwise):
    process = shardwise("partition", PROGRAMS[0], "--form", "xla")
    assert process.returncode == 2
    assert all(form in process.stderr for form in FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_help_tells_every_form(shardwise, form):
    text = shardwise("partition", "--help").stdout
    assert re.search(rf"^  {form} +\w", text, re.MULTILINE) and text.count(form) >= 2


def test_the_default_is_stablehlo(shardwise):
    assert partition(shardwise, PROGRAMS[0], "stablehlo") == shardwise(
        "partition", PROGRAMS[0]).stdout


@pytest.mark.parametrize("path", PROGRAMS, ids=NAMES)
@pytest.mark.parametrize("form", ["xla-replicas", "xla-shard-map"])
def test_forms_for_xla_have_nothing_of_sdy(shardwise, path, form):
    text = partition(shardwise, path, form)
    assert "sdy" not in text and "mesh" not in text
    own, other = ("replica", "partition")[::1 if form == "xla-replicas" else -1]
    assert f"stablehlo.{other}_id" not in text
    assert f"mhlo.num_{own}s = 8" in text and f"mhlo.num_{other}s = 1" in text


def check_lowered_sdy(shardwise, shardwise_opt, folder, path):
    """`sdy` is a stage on the way to `stablehlo`, also as text; what one refuses the other does."""
    expected = shardwise("partition", path)
    local = shardwise("partition", path, "--form", "sdy")
    assert (local.returncode, local.stderr) == (expected.returncode, expected.stderr)
    if expected.returncode != 0:
        return
    (folder / "local.mlir").write_text(local.stdout)
    lowered = shardwise_opt(folder / "local.mlir",
                            "-pass-pipeline=builtin.module(shardwise-lower-local-collectives,"
                            "shardwise-shorten-lives,shardwise-merge-equal-ops,shardwise-combine-collectives)")
    assert lowered.returncode == 0, lowered.stderr
    assert lowered.stdout.strip() == expected.stdout.strip()


@pytest.mark.parametrize("path", PROGRAMS, ids=NAMES)
def test_sdy_lowered_is_stablehlo(shardwise, shardwise_opt, tmp_path, path):
    check_lowered_sdy(shardwise, shardwise_opt, tmp_path, path)


@pytest.mark.parametrize("path", WRITTEN, ids=[path.stem for path in WRITTEN])
def test_sdy_of_the_benchmark_lowered_is_stablehlo(shardwise, shardwise_opt, tmp_path, path):
    check_lowered_sdy(shardwise, shardwise_opt, tmp_path, path)


@pytest.mark.parametrize("make", [layered_programs.three_axes, layered_programs.one_axis])
def test_the_length_of_sdy_does_not_grow_with_the_devices(shardwise, tmp_path, make):
    texts = {}
    for devices in (8, 512, 65536):
        (tmp_path / "model.mlir").write_text(make(devices, 1))
        texts[devices] = partition(shardwise, tmp_path / "model.mlir", "sdy")
    # Everything that it is about is in there.
    for kind in ("all_gather", "all_reduce", "all_slice", "all_to_all", "collective_permute",
                 "fetch_interval"):
        assert f"sdy.{kind}" in texts[65536], kind
    assert not re.search(r"source_target_pairs|replica_groups", texts[65536])
    assert len(texts[512]) <= 1.1 * len(texts[8])
    assert len(texts[65536]) <= 1.1 * len(texts[8])


def test_sdy_is_no_program_to_partition(shardwise, tmp_path):
    text = partition(shardwise, ROOT / "examples/mlp_train/model.mlir", "sdy")
    (tmp_path / "local.mlir").write_text(text)
    for command in ("run", "partition", "explain"):
        process = shardwise(command, tmp_path / "local.mlir")
        assert process.returncode == 1
        assert "is of a per-device program; give the program that it was made from" in process.stderr


# Its reversal along a cut dimension is a permute that is no rotation.
WITHOUT_SHARD_FORM = {"bits"}


@pytest.mark.parametrize("path", PROGRAMS, ids=NAMES)
def test_mlir_shard(shardwise, shardwise_opt, tmp_path, path):
    if path.parent.name in WITHOUT_SHARD_FORM:
        process = shardwise("partition", path, "--form", "mlir-shard")
        assert process.returncode == 1
        assert "it is not a rotation of all devices along one axis" in process.stderr
        return
    text = partition(shardwise, path, "mlir-shard")
    assert "sdy" not in text and "replica_groups" not in text and "partition_id" not in text
    (tmp_path / "local.mlir").write_text(text)
    again = shardwise_opt(tmp_path / "local.mlir")
    assert again.returncode == 0, again.stderr
    assert again.stdout.strip() == text.strip()


def test_mlir_shard_refuses_parts_of_axes(shardwise, tmp_path):
    (tmp_path / "model.mlir").write_text("""sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %a : tensor<8xf32>
}
""")
    process = shardwise("partition", tmp_path / "model.mlir", "--form", "mlir-shard")
    assert process.returncode == 1
    assert "not those along whole axes of the grid; use another form" in process.stderr


def test_shardings_file(shardwise, tmp_path):
    path = tmp_path / "shardings.json"
    program = ROOT / "examples/mlp_train/model.mlir"
    assert partition(shardwise, program, "stablehlo", "--shardings", path) == partition(
        shardwise, program, "stablehlo")
    border = json.loads(path.read_text())
    assert border["form"] == "stablehlo" and border["devices"] == 8
    assert border["mesh"] == {"axes": {"data": 4, "model": 2}}
    assert border["arguments"][2] == {
        "dtype": "f32", "global_shape": [32, 64], "local_shape": [32, 32], "spec": [[], ["model"]]}
    assert border["results"][0]["name"] == "[0]['b1']"


def test_shardings_file_that_cannot_be_written(shardwise, tmp_path):
    process = shardwise("partition", PROGRAMS[0], "--shardings", tmp_path / "no/such/folder.json")
    assert process.returncode == 1 and "no/such/folder.json" in process.stderr
