# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`mpirun -n N shardwise reshard` writes what one process writes, and says it once."""

import json
import os

import numpy
import pytest

from conftest import BUILD


@pytest.mark.parametrize("processes", [2, 3, 6])
def test_files_are_those_of_one_process(mpirun, tmp_path, processes):
    whole = numpy.arange(70 * 33, dtype="f4").reshape(70, 33)
    numpy.save(tmp_path / "whole.npy", whole)
    command = [BUILD / "bin/shardwise", "reshard"]
    run = mpirun(processes, *command, tmp_path / "whole.npy", tmp_path / "a", "--mesh", '["x"=5]', "--to",
                 '[{}, {"x"}]', "--memory", "1KiB", "--json")
    assert run.returncode == 0, run.stdout
    # mpirun may have said something before.
    report = json.loads(run.stdout[run.stdout.index("{\n"):])
    assert (report["files"], report["read_bytes"], report["written_bytes"]) == (5, whole.nbytes, whole.nbytes)
    for position in range(5):
        assert (numpy.load(tmp_path / f"a/{position}.npy") == whole[:, 7 * position:7 * position + 7]).all()
    assert mpirun(processes, *command, tmp_path / "a", tmp_path / "b.npy").returncode == 0
    assert (numpy.load(tmp_path / "b.npy") == whole).all()
    run = mpirun(processes, *command, tmp_path / "a", tmp_path / "c", "--to", '[{"z"}, {}]')
    assert run.returncode != 0
    assert run.stdout.count('"z" is not in the mesh') == 1
    assert sorted(os.listdir(tmp_path)) == ["a", "b.npy", "whole.npy"]
