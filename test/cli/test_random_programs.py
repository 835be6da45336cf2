# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs compute partitioned what they compute unpartitioned.

The environment variable SHARDWISE_RANDOM_PROGRAMS says how many programs run, SHARDWISE_TEST_SEED
of which seed. A failure prints the program, and how to generate it again.
"""

import json
import os
import subprocess

import pytest
import random_programs
from random_programs import RandomProgram

COUNT = int(os.environ.get("SHARDWISE_RANDOM_PROGRAMS", "150"))
SEED = int(os.environ.get("SHARDWISE_TEST_SEED", "1"))


def describe(program: RandomProgram, problem: str, process: subprocess.CompletedProcess) -> str:
    """What somebody needs to repeat a failure."""
    uneven = ", uneven=True" if program.uneven else ""
    return (f"{problem}: {program.family}, random_programs.generate({program.seed}, "
            f"{program.index}{uneven})\n{program.text}\nexit status {process.returncode}\n"
            f"{process.stderr}{process.stdout}")


def run(shardwise, program: RandomProgram, folder) -> subprocess.CompletedProcess:
    """Runs a program; one written per device is compared with the outputs of its counterpart."""
    if program.whole is None:
        return shardwise("run", "-", "--json", stdin=program.text)
    whole = shardwise("run", "-", "--no-verify", "--outputs", folder, stdin=program.whole)
    assert whole.returncode == 0, describe(program, "the global counterpart fails", whole)
    return shardwise("run", "-", "--json", "--expect", folder, stdin=program.text)


@pytest.mark.parametrize("uneven", [False, True], ids=["even", "uneven"])
@pytest.mark.parametrize("index", range(COUNT))
def test_random_program_keeps_its_values(shardwise, tmp_path, index, uneven):
    program = random_programs.generate(SEED, index, uneven)
    process = run(shardwise, program, tmp_path)
    assert process.returncode == 0, describe(program, "refused or wrong", process)
    assert json.loads(process.stdout)["verified"] is True, describe(program, "wrong", process)


def test_programs_are_the_same_for_the_same_seed_and_index():
    for index in range(len(random_programs.FAMILIES)):
        program = random_programs.generate(SEED, index)
        assert program == random_programs.generate(SEED, index)
        assert program.text != random_programs.generate(SEED + 1, index).text
