# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that JAX exported into test/programs, partitioned over their mesh: the outputs are
those that JAX computed, as far as the programs determine them."""

import pathlib

import pytest

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"
NAMES = sorted(path.parent.name for path in PROGRAMS.glob("*/model.mlir"))


def run(shardwise, name):
    folder = PROGRAMS / name
    return shardwise("run", folder / "model.mlir", "--inputs", folder / "inputs",
                     "--expect", folder / "outputs")


def test_there_are_programs():
    assert len(NAMES) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_partitioned_outputs_equal_those_of_jax(shardwise, name):
    process = run(shardwise, name)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "verified on 8 devices" in process.stdout
