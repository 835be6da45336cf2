# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise.torch` under mpirun: every process runs the same Python program and has some of the devices."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT, skip_without_package

if importlib.util.find_spec("torch") is None:
    pytest.skip("PyTorch is not installed; `make setup-optional` does it", allow_module_level=True)

skip_without_package()

EXAMPLE = ROOT / "examples/torch/train_mpi.py"
PACKAGE = {"PYTHONPATH": str(BUILD / "python"), "SHARDWISE_NUM_DEVICES": "8"}

#: Uneven shards, shards that are read, steps on the host, a mask that only values tell.
MORE = """
import json, sys
import numpy, torch
import shardwise.torch as xs
torch.set_num_threads(1)
xs.use_spmd()
mesh = xs.Mesh(numpy.arange(8), (4, 2), ("x", "y"))
t = xs.mark_sharding((torch.arange(63.0).reshape(9, 7) % 5).to(xs.device()), mesh, ("x", "y"))
out = [(t @ t.T).tolist(), [one.data.tolist() for one in t.local_shards], t[t > 3].tolist()]
for size in range(4, 9):
    out.append((t[:size] * 2).sum(0).tolist())
if len(sys.argv) > 2 and xs.mpi_processes()[0] == 1:
    t = t + 1
out.append((t - 1).sum().item())
if xs.mpi_processes()[0] == 0:
    json.dump(out, open(sys.argv[1], "w"))
"""


def alone(*command, **environment):
    return subprocess.run([sys.executable, *map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **PACKAGE, **environment}, timeout=180)


def test_pages_have_the_command():
    """That of the next test."""
    command = f"    PYTHONPATH=build/python mpirun -n 4 .venv/bin/python {EXAMPLE.relative_to(ROOT)}\n"
    assert all(command in (ROOT / page).read_text() for page in ["docs/mpi.md"])


def test_losses_have_the_bits_of_one_process(mpirun, tmp_path):
    done = alone(EXAMPLE, tmp_path / "one.json")
    assert done.returncode == 0, done.stdout
    done = mpirun(4, sys.executable, EXAMPLE, tmp_path / "four.json", **PACKAGE)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("loss") == 1 and "8 devices in 4 processes" in done.stdout
    losses = json.loads((tmp_path / "four.json").read_text())
    assert losses == json.loads((tmp_path / "one.json").read_text()) and len(losses) == 20


def test_values_and_shards_are_known_in_all(mpirun, tmp_path):
    program = tmp_path / "more.py"
    program.write_text(MORE)
    assert alone(program, tmp_path / "one.json").returncode == 0
    done = mpirun(3, sys.executable, program, tmp_path / "three.json", **PACKAGE)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "three.json").read_text() == (tmp_path / "one.json").read_text()


def test_programs_that_part_are_told(mpirun, tmp_path):
    program = tmp_path / "more.py"
    program.write_text(MORE)
    done = mpirun(2, sys.executable, program, tmp_path / "out.json", "part", **PACKAGE)
    assert done.returncode != 0 and "must run the same Python program on the same data" in done.stdout, done.stdout


def test_without_the_plug_in(tmp_path):
    # Sharded: small steps on whole tensors run on the host, in each process.
    done = alone("-c", "import torch, shardwise.torch as xs; mesh = xs.get_1d_mesh('x'); xs.use_spmd(); "
                 "print(xs.mark_sharding(torch.ones(8).to(xs.device()), mesh, ('x',)).add(1).tolist())",
                 OMPI_COMM_WORLD_SIZE="2", SHARDWISE_PLUGINS=str(tmp_path))
    assert done.returncode != 0
    assert "this is one of several processes" in done.stdout and "libopenmpi-dev" in done.stdout
