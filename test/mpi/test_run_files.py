# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`mpirun shardwise run --inputs --outputs`: a process reads and writes the parts of its devices, and no more."""

import json
import os
import re
import sys

import numpy
import pytest

from conftest import BUILD

TOOL = BUILD / "bin" / "shardwise"

# Sizes that do not divide, a cut last dimension, replicas, one device's value, partial sums as a result,
# tensors without dimensions, booleans, bytes of types that NumPy lacks.
PROGRAM = """
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<37x23xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<23x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
                %c: tensor<13xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>},
                %d: tensor<f32>,
                %e: tensor<5x9xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>})
    -> (tensor<37x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
        tensor<13xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
        tensor<f32>,
        tensor<5x9xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>},
        tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<37x23xf32>, tensor<23x10xf32>) -> tensor<37x10xf32>
  %1 = stablehlo.not %c : tensor<13xi1>
  %2 = stablehlo.add %d, %d : tensor<f32>
  %3 = stablehlo.add %e, %e : tensor<5x9xbf16>
  %s = stablehlo.slice %a [0:24, 0:8] : (tensor<37x23xf32>) -> tensor<24x8xf32>
  %4 = stablehlo.dot_general %s, %s, contracting_dims = [0] x [0] {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>
  } : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3, %4 : tensor<37x10xf32>, tensor<13xi1>, tensor<f32>, tensor<5x9xbf16>, tensor<8x8xf32>
}
"""


def contents(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.fixture
def program(tmp_path):
    random = numpy.random.default_rng(5)
    path = tmp_path / "model.mlir"
    path.write_text(PROGRAM)
    folder = tmp_path / "inputs"
    folder.mkdir()
    numpy.save(folder / "0.npy", numpy.asfortranarray(random.standard_normal((37, 23), dtype="f4")))
    numpy.save(folder / "1.npy", random.standard_normal((23, 10), dtype="f4"))
    numpy.save(folder / "2.npy", random.integers(0, 2, 13, dtype="i1").view("?"))
    numpy.save(folder / "3.npy", numpy.float32(1.25))
    halves = random.standard_normal((5, 9), dtype="f4").view("u4") >> 16
    numpy.save(folder / "4.npy", halves.astype("u2").view("V2"))
    return path


@pytest.mark.parametrize("processes, options", [
    (8, ["--verify", "none"]), (3, ["--verify", "none"]), (2, [])])
def test_parts_make_up_the_files_of_one_process(mpirun, shardwise, program, tmp_path, processes, options):
    for name, inputs in [("files", ["--inputs", tmp_path / "inputs"]), ("random", ["--seed", 9])]:
        alone = shardwise("run", program, *inputs, "--json", *options, "--outputs", tmp_path / f"{name}-alone")
        assert alone.returncode == 0, alone.stdout + alone.stderr
        together = mpirun(processes, TOOL, "run", program, *inputs, "--json", *options, "--outputs",
                          tmp_path / f"{name}-together")
        assert together.returncode == 0, together.stdout
        assert contents(tmp_path / f"{name}-together") == contents(tmp_path / f"{name}-alone")
        report, expected = json.loads(together.stdout), json.loads(alone.stdout)
        for key in ("verified", "collectives", "outputs"):
            assert report[key] == expected[key]


# A tensor of 192 MiB: a process has an eighth of it, or all in the one that evaluates the program.
LARGE = """
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<8192x6144xf32> {sdy.sharding = #sdy.sharding<@mesh, [{CUT}]>})
    -> (tensor<8192x6144xf32> {sdy.sharding = #sdy.sharding<@mesh, [{CUT}]>}) {
  %0 = stablehlo.negate %a : tensor<8192x6144xf32>
  return %0 : tensor<8192x6144xf32>
}
"""
# Runs a command and says how much memory it took at most.
MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(f"peak: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024}", flush=True)
sys.exit(done.returncode)
"""


@pytest.mark.parametrize("cut", ['{"x"}, {}', '{}, {"x"}'])
def test_no_process_holds_a_whole_tensor(mpirun, tmp_path, cut):
    (tmp_path / "model.mlir").write_text(LARGE.replace("{CUT}", cut))
    (tmp_path / "inputs").mkdir()
    whole = numpy.arange(8192 * 6144, dtype="f4").reshape(8192, 6144)
    numpy.save(tmp_path / "inputs" / "0.npy", whole)
    done = mpirun(8, sys.executable, "-c", MEASURED, TOOL, "run", tmp_path / "model.mlir", "--inputs",
                  tmp_path / "inputs", "--outputs", tmp_path / "outputs", "--verify", "none")
    assert done.returncode == 0, done.stdout
    peaks = [int(peak) for peak in re.findall(r"peak: (\d+)", done.stdout)]
    # The program's own code takes some 60 MiB; shards of input, result and arena 24 each.
    assert len(peaks) == 8 and max(peaks) < 180, done.stdout
    assert (numpy.load(tmp_path / "outputs" / "0.npy", mmap_mode="r") == -whole).all()


def test_what_cannot_be_read_or_written_is_told_once(mpirun, program, tmp_path):
    def refused(*options):
        done = mpirun(3, TOOL, "run", program, *options)
        assert done.returncode == 1, done.stdout
        assert done.stdout.count("shardwise: error:") == 1, done.stdout
        return done.stdout

    inputs, short, wrong = tmp_path / "inputs", tmp_path / "short", tmp_path / "wrong"
    for folder in (short, wrong):
        folder.mkdir()
        for file in inputs.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
    (short / "0.npy").write_bytes((short / "0.npy").read_bytes()[:-1])
    numpy.save(wrong / "1.npy", numpy.zeros((23, 11), dtype="f4"))
    before = sorted(os.listdir(tmp_path))
    assert "0.npy' ends early" in refused("--inputs", short, "--outputs", tmp_path / "o")
    assert "input 1 is a tensor<23x11xf32>" in refused("--inputs", wrong, "--outputs", tmp_path / "o")
    assert "cannot make the folder" in refused("--outputs", program / "o")
    (tmp_path / "device").mkdir()
    os.mkfifo(tmp_path / "device" / "2.npy")
    assert "2.npy' is no regular file" in refused("--outputs", tmp_path / "device")
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "device"])
    assert os.listdir(tmp_path / "device") == ["2.npy"]
