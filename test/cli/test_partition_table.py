# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `make bench-partition`: each is partitioned, run and verified, but for those that are
listed here as refused, a list that must be exact. The table itself and its parser of HLO, which need no JAX."""

import json
import subprocess
import sys

import pytest
from conftest import BUILD, ROOT

BENCHMARK = ROOT / "benchmarks/partition"
sys.path.append(str(BENCHMARK))

import hlo  # noqa: E402
import measure  # noqa: E402
from rows import ROWS  # noqa: E402

PROGRAMS = {program.name: program for program in measure.table(ROWS)}

REFUSED = {}


def test_each_row_has_a_text_and_each_text_a_row():
    assert len(PROGRAMS) == len(ROWS) >= 100
    texts = [*BENCHMARK.glob("texts/*.mlir"), *BENCHMARK.glob("written/*.mlir")]
    assert sorted(path.stem for path in texts) == sorted(PROGRAMS)
    assert REFUSED.keys() <= PROGRAMS.keys()
    for row in ROWS:
        assert row.expert >= 0 and row.expert == int(row.expert) and row.why, row.name


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_is_partitioned_and_verified(name):
    report = measure.run_shardwise(BUILD / "bin/shardwise", PROGRAMS[name])
    if name in REFUSED:
        assert REFUSED[name] in report.get("refusal", ""), f"no longer refused: take {name} off the list"
    else:
        assert "refusal" not in report, report["refusal"]
        assert report["verified"] is True


def run_benchmark(*arguments):
    command = [sys.executable, BENCHMARK, "--tool", BUILD / "bin/shardwise", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_table_and_its_summary_are_printed_without_jax(tmp_path):
    figures = tmp_path / "figures.json"
    process = run_benchmark("--python", tmp_path / "none", "--only", "softmax*", "--only", "uneven_argument",
                            "--json", figures)
    assert process.returncode == 0, process.stderr
    assert "make test-export" in process.stderr
    lines = process.stdout.splitlines()
    assert lines[0].split()[:4] == ["program", "verified", "bytes", "XLA"]
    assert any(line.split()[:6] == ["softmax_of_cut_scores", "yes", "384", "-", "384", "-"] for line in lines)
    assert "2 programs" in lines
    entries = {entry["program"]: entry for entry in json.loads(figures.read_text())["programs"]}
    softmax = entries["softmax_of_cut_scores"]
    assert softmax["ratio_expert"] == 1 and softmax["xla"] is None
    assert softmax["shardwise"]["collectives"] == [
        {"kind": "all_reduce", "axes": '{"model"}', "count": 2, "bytes": 384}]


def test_patterns_without_programs_and_missing_tools_are_told(tmp_path):
    process = run_benchmark("--only", "nothing")
    assert process.returncode == 2 and "no program or idea matches nothing" in process.stderr
    process = run_benchmark("--tool", tmp_path / "none")
    assert process.returncode == 2 and "build it with `make build`" in process.stderr


HLO = """HloModule jit_f, num_partitions=8

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
}

%body (p: (s32[], f32[8,16])) -> (s32[], f32[8,16]) {
  %gathered = f32[8,16]{1,0} all-gather(%x), channel_id=1, replica_groups=[2,4]<=[8], dimensions={0}
}

%cond (p: (s32[], f32[8,16])) -> pred[] {
  %c = pred[] compare(%i, %n), direction=LT
}

ENTRY %main (p: f32[2,16]) -> f32[8,16] {
  %loop = (s32[], f32[8,16]{1,0}) while(%t), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"3"}}
  %both = (f32[4]{0}, bf16[2]{0}) all-reduce(%u, %v), replica_groups={{0,1},{2,3},{4,5},{6,7}}, to_apply=%sum
  %part = f32[4]{0} reduce-scatter(%w), replica_groups=mesh['x'=2,'y'=4] {'y':(1)2}, to_apply=%sum
  ROOT %next = f32[2,16]{1,0} collective-permute(%p), source_target_pairs={{0,1},{1,2}}
}
"""


def test_collectives_of_hlo_are_counted():
    found = {entry["kind"]: (entry["devices"], entry["count"], entry["bytes"])
             for entry in hlo.collectives_of(HLO, 8)}
    assert found == {"all_gather": (4, 3, 3 * 512 * 3 // 4), "all_reduce": (2, 1, 20), "reduce_scatter": (2, 1, 16),
                     "collective_permute": (8, 1, 128)}
