# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `--help` says is complete and true: its examples run as they are written."""

import json
import os
import re
import subprocess

import numpy
import pytest

from conftest import BUILD, ROOT

COMMANDS = ["run", "eval", "propagate", "partition", "explain", "plan", "reshard", "measure"]


def help_of(*command):
    return subprocess.run([BUILD / "bin/shardwise", *command, "--help"], text=True,
                          capture_output=True, check=True).stdout


def examples_of(text):
    return [line.strip() for line in re.split(r"^Examples?:$", text, flags=re.MULTILINE)[1].splitlines()
            if line.strip()]


EXAMPLES = [line for command in [[], *([name] for name in COMMANDS)]
            for line in examples_of(help_of(*command))]


def test_every_command_is_listed_with_exit_codes():
    text = help_of()
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", text, re.MULTILINE)
    assert "Exit codes: 0 success; 1 the input was refused" in text


def write_tensors(folder):
    """What the examples of `reshard` begin with."""
    numpy.save(folder / "whole.npy", numpy.zeros((8, 8)))
    (folder / "shards").mkdir()
    for position in range(4):
        numpy.save(folder / f"shards/{position}.npy", numpy.zeros((2, 8)))
    (folder / "shards/index.json").write_text(json.dumps(
        {"mesh": '["x"=4]', "sharding": '[{"x"}, {}]', "shape": [8, 8], "dtype": "f64"}))
    (folder / "model").mkdir()
    header = b'{"a":{"dtype":"F32","shape":[8],"data_offsets":[0,32]}}'.ljust(56)
    (folder / "model/model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(32))
    (folder / "specs.json").write_text(json.dumps({"tensors": [{"name": "*", "to": '[{"x"}]'}]}))


@pytest.mark.parametrize("line", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run(tmp_path, line):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    write_tensors(tmp_path)
    environment = dict(os.environ, PATH=f"{BUILD}/bin:{os.environ['PATH']}")
    process = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=tmp_path, text=True,
                             capture_output=True, env=environment)
    assert process.returncode == 0, process.stdout + process.stderr
    assert '"error"' not in process.stdout
