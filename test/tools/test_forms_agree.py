# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Custom text, generic text and bytecode of the recorded programs are one and the same module."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPT = pathlib.Path(os.environ.get("SHARDWISE_BUILD_DIR", ROOT / "build")) / "bin/shardwise-opt"
CASES = sorted((ROOT / "test/conformance/roundtrip").glob("*.mlir"))


def opt(*flags, stdin: bytes) -> bytes:
    process = subprocess.run([OPT, *flags], input=stdin, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    assert process.returncode == 0, process.stderr.decode()
    return process.stdout


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_forms_agree(path):
    text = opt(stdin=path.read_bytes())
    assert opt(stdin=text) == text
    assert opt(stdin=opt("-mlir-print-op-generic", stdin=text)) == text
    assert opt(stdin=opt("-emit-bytecode", stdin=text)) == text
