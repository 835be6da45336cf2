# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where memory is limited, programs run or end with a message and exit code 1, never with a crash."""

import pathlib
import re
import subprocess

import pytest

from conftest import BUILD

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
MLP = EXAMPLES / "mlp_train" / "model.mlir"
LARGE = """
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8000000xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8000000xf32> {
  %0 = stablehlo.sine %a : tensor<8000000xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<8000000xf32>
  %2 = stablehlo.add %0, %1 : tensor<8000000xf32>
  return %2 : tensor<8000000xf32>
}
"""
UNUSED = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.constant {} : tensor<100000000000xi64>
  return %a : tensor<4xf32>
}}
"""

# The line is made of one number, and one number is left of it.
LONG_TRANSFORM = """
func.func @main(%a: tensor<complex<f32>>) -> tensor<1xcomplex<f32>> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<complex<f32>>) -> tensor<1000000007xcomplex<f32>>
  %1 = stablehlo.fft %0, type = FFT, length = [1000000007] : (tensor<1000000007xcomplex<f32>>) -> tensor<1000000007xcomplex<f32>>
  %2 = stablehlo.slice %1 [0:1] : (tensor<1000000007xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  return %2 : tensor<1xcomplex<f32>>
}
"""


def limited(mebibytes, tool, *arguments, stdin=None):
    """Runs `tool` with so much address space."""
    command = f'ulimit -v {mebibytes * 1024}; exec "$@"'
    return subprocess.run(["bash", "-c", command, "bash", BUILD / "bin" / tool, *arguments],
                          input=stdin, text=True, capture_output=True, timeout=120)


# Sanitizers reserve more than any limit.
pytestmark = pytest.mark.skipif(limited(4096, "shardwise", "--version").returncode != 0,
                                reason="the programs do not start under a limit")


def expect_result_or_message(process):
    # 127: the libraries themselves do not fit.
    assert process.returncode in (0, 1, 127), (process.returncode, process.stderr[-2000:])
    if process.returncode == 1:
        assert re.search(r"error: .*(memory|ulimit -v|allocate|thread)", process.stderr), \
            process.stderr[-2000:]


@pytest.mark.parametrize("command", ["run", "eval", "explain", "partition"])
def test_a_small_program_at_many_limits(command):
    codes = set()
    for mebibytes in [*range(40, 400, 24), *range(400, 2400, 200)]:
        process = limited(mebibytes, "shardwise", command, MLP)
        expect_result_or_message(process)
        codes.add(process.returncode)
    assert 0 in codes


@pytest.mark.parametrize("mebibytes", range(150, 1400, 50))
def test_large_tensors_at_many_limits(mebibytes):
    expect_result_or_message(limited(mebibytes, "shardwise", "run", "-", stdin=LARGE))
    expect_result_or_message(limited(mebibytes, "shardwise", "eval", "-", "--evaluator", "both",
                                     stdin=LARGE))


def test_passes_at_many_limits():
    for mebibytes in range(40, 640, 30):
        expect_result_or_message(limited(mebibytes, "shardwise-opt", "-sdy-propagation-pipeline", MLP))


@pytest.mark.parametrize("value", ["dense<1>", "sparse<[[0]], [1]>"])
def test_a_constant_that_no_machine_holds_says_its_size(value):
    process = limited(4096, "shardwise", "eval", "-", "--evaluator", "reference",
                      stdin=UNUSED.format(value))
    assert process.returncode == 1
    assert process.stderr == (
        "shardwise: error: memory has run out, asking for 800000000000 bytes for a tensor; make the "
        "shapes or the program smaller, use fewer devices, or allow the process more memory "
        "(ulimit -v)\n")


def test_a_constant_that_nobody_reads_is_not_made_to_verify_a_large_program():
    process = limited(4096, "shardwise", "run", "-", stdin=UNUSED.format("dense<1>"))
    assert process.returncode == 0, process.stderr
    assert "unpartitioned by the compiled path" in process.stdout


def test_what_the_limit_leaves_is_said(tmp_path):
    text = LARGE.replace("8000000", "800000000")
    process = limited(2048, "shardwise", "run", "-", stdin=text)
    assert process.returncode == 1
    assert re.search(r"<stdin>:3:1: error: the arguments and results of @main take 6\.0 GiB, this "
                     r"process may take \S+ .iB more \(ulimit -v\); make the shapes", process.stderr)


def test_a_file_that_does_not_fit(tmp_path):
    with open(tmp_path / "0.npy", "wb") as file:
        file.truncate(1 << 40)
    text = LARGE.replace("8000000", "8000")
    process = limited(2048, "shardwise", "run", "-", "--expect", tmp_path, stdin=text)
    assert process.returncode == 1
    assert "memory has run out, asking for 1099511627776 bytes for a .npy file;" in process.stderr
    # Of inputs only what devices need is read, once the header has told what there is.
    process = limited(2048, "shardwise", "run", "-", "--inputs", tmp_path, stdin=text)
    assert process.returncode == 1
    assert "0.npy' is not a .npy file" in process.stderr


def test_a_long_transform_is_refused_before_its_tables_are_made():
    process = limited(4096, "shardwise", "eval", "-", stdin=LONG_TRANSFORM)
    assert process.returncode == 1
    assert re.search(r"error: .* take \S+ GiB, this process may take", process.stderr), process.stderr
