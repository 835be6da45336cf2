# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shardwise-opt on files: a file may be its own output, and keeps its text when something fails."""

import pytest

# More than 16 KiB, so that the file is mapped.
FILLER = "// a line\n" * 5_000
GOOD = FILLER + "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"
BAD = {"syntax": GOOD + "}", "pass": GOOD.replace("4xf32", "?xf32").replace(
    "return", "%y = stablehlo.negate %x : tensor<?xf32>\n  return")}


def test_file_is_its_own_output(shardwise_opt, tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text(GOOD)
    process = shardwise_opt(program, "-o", program)
    assert process.returncode == 0, process.stderr
    assert "func.func @main" in program.read_text() and FILLER not in program.read_text()


@pytest.mark.parametrize("name", BAD)
def test_file_survives_a_failure(shardwise_opt, tmp_path, name):
    program = tmp_path / "program.mlir"
    program.write_text(BAD[name])
    process = shardwise_opt("-sdy-propagation-pipeline", program, "-o", program)
    assert process.returncode == 1
    assert "program.mlir:500" in process.stderr
    assert program.read_text() == BAD[name]


def test_other_output_is_not_left_behind(shardwise_opt, tmp_path):
    program, output = tmp_path / "program.mlir", tmp_path / "output.mlir"
    program.write_text(BAD["syntax"])
    assert shardwise_opt(program, "-o", output).returncode == 1
    assert not output.exists()


def test_missing_input_and_output(shardwise_opt, tmp_path):
    process = shardwise_opt(tmp_path / "none.mlir")
    assert process.returncode == 1 and "none.mlir" in process.stderr
    process = shardwise_opt("-", "-o", tmp_path / "none" / "output.mlir", stdin=GOOD)
    assert process.returncode == 1 and "none/output.mlir" in process.stderr
