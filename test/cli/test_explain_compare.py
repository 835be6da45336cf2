# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""explain on other meshes, beside another program, and with a condition for continuous integration."""

import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MLP = ROOT / "examples/mlp_train/model.mlir"
TRANSFORMER = ROOT / "examples/transformer_train/model.mlir"


def test_other_sizes_are_those_of_a_program_written_with_them(shardwise, tmp_path):
    text = MLP.read_text()
    assert '"data"=4, "model"=2' in text
    other = tmp_path / "other.mlir"
    other.write_text(text.replace('"data"=4, "model"=2', '"data"=2, "model"=4'))
    tried = json.loads(shardwise("explain", MLP, "--mesh", "data=2,model=4", "--json", "--suggest", "0").stdout)
    written = json.loads(shardwise("explain", other, "--json", "--suggest", "0").stdout)
    assert tried["mesh"] == '<["data"=2, "model"=4]>'
    for key in ("memory", "work", "traffic"):
        assert (json.dumps(tried[key]).replace(str(MLP), "").replace(MLP.name, "")
                == json.dumps(written[key]).replace(str(other), "").replace(other.name, ""))


@pytest.mark.parametrize("sizes, words", [
    ("dtaa=2", 'no mesh has an axis "dtaa"; there is "data", "model"'),
    ("data", "expected sizes of axes, as in data=8,tensor=4"),
    ("data=0", "expected sizes of axes")])
def test_wrong_sizes_are_refused(shardwise, sizes, words):
    process = shardwise("explain", MLP, "--mesh", sizes)
    assert process.returncode == 1 and words in process.stderr


def test_manual_computations_have_the_sizes_they_were_exported_with(shardwise):
    process = shardwise("explain", ROOT / "test/programs/manual_pipeline/model.mlir", "--mesh", "x=4")
    assert process.returncode == 1 and "export it again" in " ".join(process.stderr.split())


def test_several_meshes_are_a_table(shardwise):
    process = shardwise("explain", MLP, "--mesh", "data=8,model=1", "--mesh", "data=1,model=8")
    assert process.returncode == 0, process.stderr
    head, *rows = process.stdout.splitlines()
    assert head.split()[-4:] == ["as", "written", "data=8,model=1", "data=1,model=8"]
    assert any(row.startswith("memory.peak_bytes") for row in rows)
    report = json.loads(shardwise("explain", MLP, "--mesh", "data=8,model=1", "--mesh", "data=1,model=8", "--json").stdout)
    assert report["schema"] == "shardwise.explain-comparison/1"
    assert [program["name"] for program in report["programs"]] == ["as written", "data=8,model=1", "data=1,model=8"]
    (peak,) = [row for row in report["rows"] if row["what"] == "memory.peak_bytes"]
    alone = json.loads(shardwise("explain", MLP, "--mesh", "data=1,model=8", "--json", "--suggest", "0").stdout)
    assert peak["values"][2] == alone["memory"]["peak_bytes"]


def test_two_programs_are_compared(shardwise, tmp_path):
    other = tmp_path / "other.mlir"
    other.write_text(MLP.read_text().replace('"data"=4, "model"=2', '"data"=2, "model"=4'))
    process = shardwise("explain", MLP, "--diff", other)
    assert process.returncode == 0, process.stderr
    assert "second / first" in process.stdout and "transfers that differ, most first" in process.stdout
    report = json.loads(shardwise("explain", MLP, "--diff", other, "--json", "--topology", "tpu-v5e").stdout)
    assert any(row["what"] == "summary.seconds" and len(row["values"]) == 2 for row in report["rows"])
    for row in report["transfers"]:
        assert row["received_bytes"][0] != row["received_bytes"][1]


def test_a_program_does_not_differ_from_itself(shardwise):
    process = shardwise("explain", TRANSFORMER, "--diff", TRANSFORMER)
    assert process.returncode == 0 and process.stdout.endswith("\nno difference\n")


@pytest.mark.parametrize("condition, code, words", [
    ("memory.peak_bytes > 1GiB", 0, ""),
    ("memory.peak_bytes > 1KiB", 1, "--fail-if: memory.peak_bytes > 1KiB (is "),
    ("work.repeated > 9 or count(conflicts) > 1000", 0, ""),
    ("memory.peak > 1", 2, "the report has no peak there; it has "),
    ("summary.seconds > 1", 2, "summary needs --topology"), ("nonsense", 2, "the report has no nonsense there"),
    ("memory > 1", 2, "condition 'memory > 1': object and 1.0 cannot be compared"),
    ("devices.count > 1", 2, "the report has no count there; it has 8"),
    ("memory.peak_bytes =< 1", 2, "expected >, >=, <")])
def test_conditions_decide_how_it_ends(shardwise, condition, code, words):
    process = shardwise("explain", MLP, "--suggest", "0", "--fail-if", condition)
    assert process.returncode == code and words in " ".join(process.stderr.split())
    assert "memory: " in process.stdout


def test_conditions_are_about_the_comparison_with_diff(shardwise):
    process = shardwise("explain", MLP, "--diff", MLP, "--fail-if", "count(transfers) > 0")
    assert process.returncode == 0, process.stderr
