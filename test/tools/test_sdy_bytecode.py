# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytecode is Shardy's: a file that jaxlib 0.10.2 wrote reads as the text it was written from, and
jaxlib, where there is one, reads what shardwise-opt writes."""

import pathlib
import subprocess

import pytest

from conftest import BUILD, JAX_PYTHON, NEEDS_JAX, ROOT

OPT = BUILD / "bin/shardwise-opt"
INPUTS = pathlib.Path(__file__).resolve().parent / "Inputs"
TEXT = (INPUTS / "every-code.mlir").read_text()
WRITTEN_BY_JAXLIB = (INPUTS / "every-code.mlirbc").read_bytes()

MAXIMA = """\
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], \
unreduced=max{"x"}>}) attributes {test.edges = #sdy.propagation_edges<[{step-0 = [{"x" = \
operand-0 -> [result-0]}]}]>} {
    %0 = sdy.all_reduce max {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    return
  }
}
"""

# Reads a module in either form on standard input, and prints it in the form that is asked for.
CONVERT = """
import sys
sys.path.insert(0, "test/conformance")
import jaxlib_opt
from jaxlib.mlir import ir
context = jaxlib_opt.new_context()
context.allow_unregistered_dialects = True
with context, ir.Location.unknown():
    module = ir.Module.parse(sys.stdin.buffer.read())
    if sys.argv[1] == "text":
        print(module)
    else:
        module.operation.write_bytecode(sys.stdout.buffer)
"""


def opt(stdin: bytes, *flags) -> bytes:
    process = subprocess.run([OPT, "-allow-unregistered-dialect", *flags], input=stdin,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.returncode == 0, process.stderr.decode()
    return process.stdout


def jaxlib(stdin: bytes, form: str) -> bytes:
    process = subprocess.run([JAX_PYTHON, "-c", CONVERT, form], input=stdin, cwd=ROOT,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.returncode == 0, process.stderr.decode()
    return process.stdout


def test_reads_what_jaxlib_wrote():
    assert opt(WRITTEN_BY_JAXLIB).decode().strip() == TEXT.strip()


def test_attributes_are_encoded_and_not_text():
    written = opt(TEXT.encode(), "-emit-bytecode")
    assert b"#sdy" not in written and b"sharding<" not in written
    assert opt(written).decode().strip() == TEXT.strip()


def test_what_has_no_code_is_text():
    text = MAXIMA
    written = opt(text.encode(), "-emit-bytecode")
    assert b"unreduced=max" in written and b"propagation_edges<" in written
    assert opt(written).decode().strip() == text.strip()


@pytest.mark.parametrize("place", range(0, len(WRITTEN_BY_JAXLIB), 29))
def test_broken_bytecode_is_refused_or_read(place):
    """Never a crash: one byte is wrong, and the file ends there."""
    for broken in (WRITTEN_BY_JAXLIB[:place] + b"\xfe" + WRITTEN_BY_JAXLIB[place + 1:],
                   WRITTEN_BY_JAXLIB[:place]):
        process = subprocess.run([OPT, "-allow-unregistered-dialect"], input=broken,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.returncode in (0, 1), process.stderr.decode(errors="replace")


@NEEDS_JAX
def test_jaxlib_reads_what_is_written_here():
    assert jaxlib(opt(TEXT.encode(), "-emit-bytecode"), "text").decode().strip() == TEXT.strip()
    assert opt(jaxlib(TEXT.encode(), "bytecode")).decode().strip() == TEXT.strip()
    # jaxlib 0.10.2 knows sums only, which are not written.
    sums = MAXIMA.replace("max", "").replace("  {\"x\"}", " {\"x\"}")
    assert jaxlib(opt(sums.encode(), "-emit-bytecode"), "text").decode().strip() == sums.strip()
