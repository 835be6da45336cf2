# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`mpirun shardwise run`: the bits of the run in one process, one report, errors told once."""

import json

import pytest

from conftest import BUILD

TOOL = BUILD / "bin" / "shardwise"


def outputs(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


# Gradients and optimizer over 8 devices; expert parallelism would need exchanges, as does uneven data.
@pytest.mark.parametrize("example, processes", [("mlp_train", 2), ("transformer_train", 8),
                                                ("convnet_train", 3)])
def test_outputs_have_the_bits_of_one_process(mpirun, shardwise, examples, tmp_path, example, processes):
    program = examples / example / "model.mlir"
    alone = shardwise("run", program, "--seed", 7, "--json", "--no-verify", "--outputs",
                      tmp_path / "alone")
    assert alone.returncode == 0, alone.stderr
    together = mpirun(processes, TOOL, "run", program, "--seed", 7, "--json", "--no-verify", "--outputs",
                      tmp_path / "together")
    assert together.returncode == 0, together.stdout
    assert outputs(tmp_path / "together") == outputs(tmp_path / "alone")
    report, expected = json.loads(together.stdout), json.loads(alone.stdout)
    assert report["collectives"] == expected["collectives"]
    assert report["outputs"] == expected["outputs"]


def test_the_first_process_verifies_and_reports(mpirun, examples):
    done = mpirun(2, TOOL, "run", examples / "mlp_train" / "model.mlir", "--inputs",
                  examples / "mlp_train" / "inputs", "--expect", examples / "mlp_train" / "outputs",
                  "--rtol", "1e-4")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("verified") == 1, done.stdout


def test_errors_are_told_once(mpirun, examples):
    done = mpirun(2, TOOL, "run", examples / "mlp_train" / "model.mlir", "--inputs", "nowhere")
    assert done.returncode == 1
    assert done.stdout.count("shardwise: error:") == 1, done.stdout


def test_standard_input_is_refused(mpirun):
    done = mpirun(2, TOOL, "run", "-")
    assert done.returncode == 1
    assert done.stdout.count("several processes cannot read one standard input") == 1, done.stdout
