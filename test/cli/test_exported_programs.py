# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that JAX exported into test/programs, partitioned over their mesh: the outputs are
those that JAX computed, within the tolerances of `shardwise run` unless said here."""

import pathlib

import pytest

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"
NAMES = sorted(path.parent.name for path in PROGRAMS.glob("*/model.mlir"))

# A gradient that is a bf16 sum over `data`: partial sums are rounded before they are added.
RELATIVE_TOLERANCES = {"mlp_bf16": 2e-2}

# What is refused today, and what the refusal names.
REFUSED = {
    "cholesky_solve": "lapack_spotrf_ffi",
    "fft_filter": "stablehlo.fft",
    "linear_solve": "lapack_sgetrf_ffi",
    "random_streams": "chlo.next_after",
    "special_functions": "chlo.digamma",
}


def run(shardwise, name):
    folder = PROGRAMS / name
    tolerance = ["--rtol", RELATIVE_TOLERANCES[name]] if name in RELATIVE_TOLERANCES else []
    return shardwise("run", folder / "model.mlir", "--inputs", folder / "inputs",
                     "--expect", folder / "outputs", *tolerance)


def test_there_are_programs():
    assert len(NAMES) >= 20
    assert set(REFUSED) | set(RELATIVE_TOLERANCES) <= set(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSED])
def test_partitioned_outputs_equal_those_of_jax(shardwise, name):
    process = run(shardwise, name)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "verified on 8 devices" in process.stdout


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused_is_named_at_its_line(shardwise, name):
    process = run(shardwise, name)
    assert process.returncode == 1
    first = process.stderr.splitlines()[0]
    assert f"{name}/model.mlir:" in first and REFUSED[name] in first
