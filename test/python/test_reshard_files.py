# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise.reshard_files` does what the tool does, and refuses what is none."""

import os
import signal
import subprocess
import sys

import numpy
import pytest

from python_package import PACKAGE, shardwise as package
from shardwise import Mesh, Sharding

WHOLE = numpy.arange(60, dtype="f4").reshape(10, 6)
MESH = Mesh({"x": 4})


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numpy.save("whole.npy", WHOLE)
    return tmp_path


def test_there_and_back(here):
    report = package.reshard_files("whole.npy", here / "a", MESH, to=("x", None), checksum=True)
    assert (report.tensors, report.files, report.tensor_bytes, report.recovered) == (1, 4, 240, False)
    for position, index in Sharding(("x", None)).indices(MESH, WHOLE.shape).items():
        assert (numpy.load(here / f"a/{position}.npy") == WHOLE[index]).all()
    assert package.reshard_files("a", "b.safetensors", checksum=True, sync=True).verified_files == 4
    package.reshard_files("b.safetensors", "c", to_mesh=Mesh({"y": 3}), form="npy", memory=64,
                          specs={"tensors": [{"name": "t*", "to": Sharding((None, "y")),
                                              "segments": {"dim": 1, "sizes": [4, 2]}}]})
    unused = package.reshard_files("b.safetensors", "d", to_mesh=Mesh({"y": 3}), to=("y", None), specs={"tensors": [{"name": "q*"}]})
    assert unused.unused_patterns == ("q*",)
    assert (numpy.load("c/0.npy") == WHOLE[:, [0, 1, 4]]).all()
    package.reshard_files("c", "hf", form="huggingface", file_size=1)
    package.reshard_files("hf", "back.npy")
    assert (numpy.load("back.npy") == WHOLE).all()


def test_progress_and_exceptions_in_it(here):
    numpy.save("large.npy", numpy.zeros((1 << 10, 1 << 13), "f8"))
    calls = []
    package.reshard_files("large.npy", "a", MESH, to=(None, "x"), memory=1 << 15,
                          progress=lambda done, total: calls.append((done, total)))
    assert all(0 < done <= total == 1 << 26 for done, total in calls)

    def fail(done, total):
        raise RuntimeError("enough")

    # It may be done before anybody is told.
    try:
        package.reshard_files("large.npy", "b", MESH, to=(None, "x"), memory=1 << 12, progress=fail)
    except RuntimeError:
        assert not os.path.exists("b")
    assert not os.path.exists("b.partial")


def test_ctrl_c(here):
    """The interpreter is interrupted as always, and nothing is left behind."""
    numpy.save("large.npy", numpy.zeros((1 << 10, 1 << 13), "f8"))
    code = ("import shardwise\n"
            "shardwise.reshard_files('large.npy', 'a', shardwise.Mesh({'x': 4}), to=(None, 'x'), memory=256,\n"
            "                        progress=lambda done, total: print(done, flush=True))\n")
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert int(process.stdout.readline()) > 0
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate()[1]
    assert sorted(os.listdir()) == ["large.npy", "whole.npy"]


def test_what_is_missing(here):
    for change in ({"input": "none.npy"}, {"specs": "none.json"}):
        with pytest.raises(FileNotFoundError, match="cannot read 'none.*No such file") as caught:
            package.reshard_files(**{**GOOD, **change})
        assert isinstance(caught.value, package.InvalidError)


GOOD = {"input": "whole.npy", "output": "a", "mesh": MESH, "to": ("x", None)}


@pytest.mark.parametrize("change, error, message", [
    ({"input": 3}, TypeError, "input must be a path"), ({"input": ""}, ValueError, "input is no path"),
    ({"input": "none.npy"}, ValueError, "cannot read 'none.npy'"), ({"output": "a/b/c"}, ValueError, "no folder"),
    ({"output": b"a"}, TypeError, "output must be a path"), ({"mesh": None}, ValueError, "which devices"),
    ({"mesh": 3}, TypeError, "axes"), ({"to": ("z", None)}, ValueError, '"z"'), ({"to": None}, ValueError, "--to"),
    ({"to": "[x]"}, ValueError, "expected"), ({"to_mesh": {"x": 0}}, ValueError, "at least 1"),
    ({"from_": ("z", None)}, ValueError, '"z"'), ({"memory": 0}, ValueError, "memory must be at least 1"),
    ({"memory": "1GiB"}, TypeError, "memory must be an integer"), ({"file_size": 0}, ValueError, "file_size"),
    ({"form": "hdf5"}, ValueError, "form must be one of npy, safetensors, huggingface"),
    ({"specs": 3}, TypeError, "specs must be a path"), ({"specs": {"a": 1}}, ValueError, 'the key "a" is not known'),
    ({"specs": {"tensors": [float]}}, ValueError, "specs"), ({"specs": "none.json"}, ValueError, "none.json"),
    ({"progress": 3}, TypeError, "progress must be a function"),
    ({"to": Sharding((None, None), unreduced="x")}, NotImplementedError, "partial values")])
def test_refused(here, change, error, message):
    with pytest.raises(error, match=message) as caught:
        package.reshard_files(**{**GOOD, **change})
    assert isinstance(caught.value, package.ShardwiseError)
    assert os.listdir() == ["whole.npy"]
