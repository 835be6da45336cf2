# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whatever ends `mpirun shardwise run --outputs`: it ends in time, and leaves no process, memory or file behind."""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import numpy
import pytest

from conftest import BUILD, ENVIRONMENT

TOOL = BUILD / "bin" / "shardwise"
TIMEOUT = 4

# Some seconds of sums over all devices, then outputs that take a while to write.
PROGRAM = """
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %n: tensor<i32>)
    -> (tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<1024xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<0.0> : tensor<1024xf32>
  %w:2 = stablehlo.while(%i = %zero, %s = %start) : tensor<i32>, tensor<1024xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<1024xf32>) -> tensor<4096x1024xf32>
    %x = stablehlo.add %a, %b : tensor<4096x1024xf32>
    %t = stablehlo.tanh %x : tensor<4096x1024xf32>
    %r = stablehlo.reduce(%t init: %f) applies stablehlo.add across dimensions = [0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    stablehlo.return %j, %r : tensor<i32>, tensor<1024xf32>
  }
  %y = stablehlo.negate %a : tensor<4096x1024xf32>
  return %y, %w#1 : tensor<4096x1024xf32>, tensor<1024xf32>
}
"""


def tools_of(mpirun):
    """Our tool's processes that were started by this mpirun."""
    found = []
    for path in pathlib.Path("/proc").iterdir():
        try:
            if path.name.isdigit() and (path / "comm").read_text().strip() == "shardwise":
                parent = (path / "stat").read_text().rsplit(")", 1)[1].split()[1]
                state = (path / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if int(parent) == mpirun and state != "Z":
                    found.append(int(path.name))
        except OSError:
            pass
    return sorted(found)


def are_connected(tools):
    """Whether all of them share memory: before that they are within MPI, which waits as it likes."""
    try:
        return all("memfd:shardwise" in pathlib.Path(f"/proc/{tool}/maps").read_text() for tool in tools)
    except OSError:
        return False


@pytest.fixture
def work(mpirun, tmp_path):
    (tmp_path / "model.mlir").write_text(PROGRAM)
    (tmp_path / "inputs").mkdir()
    (tmp_path / "temporary").mkdir()
    numpy.save(tmp_path / "inputs" / "0.npy", numpy.ones((4096, 1024), dtype="f4"))
    numpy.save(tmp_path / "inputs" / "1.npy", numpy.int32(150))
    return tmp_path


def start(work, processes, outputs, *options):
    command = [shutil.which("mpirun.openmpi") or shutil.which("mpirun"), "-n", str(processes), TOOL, "run",
               work / "model.mlir", "--inputs", work / "inputs", "--outputs", outputs, "--timeout", TIMEOUT,
               *options]
    return subprocess.Popen(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env=dict(os.environ, **ENVIRONMENT, TMPDIR=str(work / "temporary"), SHARDWISE_MPI_SECONDS="15",
                                     OMPI_MCA_btl_vader_backing_directory=str(work / "temporary")))


def check_nothing_is_left(work, processes, outputs, done):
    """Files are all there or none, and the rest is gone."""
    for _ in range(100):
        alive = [pid for pid in processes if os.path.exists(f"/proc/{pid}")]
        temporary = [path for path in (work / "temporary").rglob("*") if not path.is_dir()]
        if not alive and not temporary:
            break
        time.sleep(0.1)
    assert not alive
    assert not temporary
    files = sorted(os.listdir(outputs)) if outputs.exists() else []
    if done:
        assert files == ["0.npy", "1.npy"]
        assert (numpy.load(outputs / "0.npy") == -1).all()
    # A kill between the two renames leaves the first; nothing is partial.
    assert not [file for file in files if file.endswith(".part")], files


def check_fault(work, kind, processes, victim, delay, options):
    outputs = work / "outputs"
    mpirun = start(work, processes, outputs, *options)
    started = time.time()
    tools = []
    while mpirun.poll() is None and time.time() - started < 30:
        tools = tools_of(mpirun.pid)
        if len(tools) == processes and (kind in ("kill", "terminate", "terminate mpirun") or are_connected(tools)):
            break
        time.sleep(0.02)
    time.sleep(delay)
    began = time.time()
    try:
        if kind == "terminate mpirun":
            os.kill(mpirun.pid, signal.SIGTERM)
        elif len(tools) > victim:
            os.kill(tools[victim], {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "late": signal.SIGSTOP,
                                    "terminate": signal.SIGTERM}[kind])
            # One that has left the run already may be the last, and then nobody is there to end it.
            if kind == "late" or (kind == "stop" and not are_connected([tools[victim]])):
                time.sleep(0.3)
                os.kill(tools[victim], signal.SIGCONT)
    except ProcessLookupError:
        pass
    text = mpirun.communicate(timeout=240)[0]
    # Runs that go on all the same take what they take.
    assert mpirun.returncode == 0 or time.time() - began < 90, text
    check_nothing_is_left(work, tools, outputs, mpirun.returncode == 0)
    assert text.count("error:") + text.count("has waited") <= 1, text
    if kind == "late":
        assert mpirun.returncode == 0, text
    shutil.rmtree(outputs, ignore_errors=True)
    return mpirun.returncode, text


@pytest.mark.parametrize("kind, processes, victim, delay", [
    ("kill", 2, 0, 0.8), ("kill", 3, 2, 1.0), ("stop", 3, 1, 0.8), ("terminate", 2, 1, 0.8),
    ("terminate mpirun", 2, 0, 0.8), ("late", 2, 0, 0.8)])
def test_a_fault_leaves_nothing(work, kind, processes, victim, delay):
    check_fault(work, kind, processes, victim, delay, ["--verify", "none"])


def check_refused(work, processes, outputs, message):
    """A run that fails by itself says why, once, and leaves nothing."""
    mpirun = start(work, processes, outputs, "--verify", "none")
    text = mpirun.communicate(timeout=90)[0]
    assert mpirun.returncode == 1, text
    assert text.count("error:") == 1 and message in text, text
    check_nothing_is_left(work, [], outputs, done=False)


def check_short_input(work, processes, size):
    whole = (work / "inputs" / "0.npy").read_bytes()
    (work / "inputs" / "0.npy").write_bytes(whole[:size])
    try:
        check_refused(work, processes, work / "outputs", "0.npy'")
        assert not (work / "outputs").exists()
    finally:
        (work / "inputs" / "0.npy").write_bytes(whole)


def check_full_disk(work, processes, size):
    """With a disk of `size` KiB for outputs of 16 MiB and 4 KiB."""
    disk = work / "disk"
    disk.mkdir(exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", disk], capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here (mount -t tmpfs)")
    try:
        check_refused(work, processes, disk, "No space left on device")
        assert not os.listdir(disk)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_short_input_is_refused(work):
    check_short_input(work, 3, 1_000_000)


@pytest.mark.parametrize("size", [64, 16_384 + 4])
def test_a_full_disk_leaves_nothing(work, size):
    check_full_disk(work, 3, size)


def test_random_faults_leave_nothing(work):
    count = int(os.environ.get("SHARDWISE_RANDOM_FAULTS", "3"))
    chosen = random.Random(int(os.environ.get("SHARDWISE_RANDOM_SEED", "20261128")))
    for number in range(count):
        processes = chosen.choice([2, 3, 4, 8])
        kind = chosen.choice(["kill", "kill", "stop", "terminate", "terminate mpirun", "late", "short", "full"])
        print(number, kind, processes, flush=True)
        if kind == "short":
            check_short_input(work, processes, chosen.randrange(16 << 20))
        elif kind == "full":
            check_full_disk(work, processes, chosen.randrange(16, 16 << 10))
        else:
            victim, delay = chosen.randrange(processes), chosen.uniform(0, 2)
            code, text = check_fault(work, kind, processes, victim, delay, chosen.choice([["--verify", "none"], []]))
            told = re.findall(r".*error:.*", text) or (text.splitlines() if code else [])
            print(f"  process {victim} after {delay:.2f} s: {code}", *told, sep="\n    ", flush=True)
