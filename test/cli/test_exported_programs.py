# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that JAX exported into test/programs, partitioned over their mesh: the outputs are
those that JAX computed, within the tolerances of `shardwise run` unless said here."""

import pathlib

import pytest

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"
NAMES = sorted(path.parent.name for path in PROGRAMS.glob("*/model.mlir"))

# A gradient that is a bf16 sum over `data`: partial sums are rounded before they are added.
RELATIVE_TOLERANCES = {"mlp_bf16": 2e-2}

def run(shardwise, name):
    folder = PROGRAMS / name
    tolerance = ["--rtol", RELATIVE_TOLERANCES[name]] if name in RELATIVE_TOLERANCES else []
    return shardwise("run", folder / "model.mlir", "--inputs", folder / "inputs",
                     "--expect", folder / "outputs", *tolerance)


def test_there_are_programs():
    assert len(NAMES) >= 20
    assert set(RELATIVE_TOLERANCES) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_partitioned_outputs_equal_those_of_jax(shardwise, name):
    process = run(shardwise, name)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "verified on 8 devices" in process.stdout
