# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages about the Python package: each block is a doctest, which the tests of the package run, or a command that is tried
here or in test/mpi."""

import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT, skip_without_package
from document_blocks import blocks, commands, is_doctest

#: Page, and the test that runs its doctests.
PAGES = {"python": "test/python/test_package_documents.py", "jax": "test/jax/test_jax_documents.py",
         "torch": "test/torch/test_torch_documents.py", "torch-data": "test/torch/test_torch_documents.py",
         "torch-redistribute": "test/torch/test_redistribute.py"}
TARGETS = set((ROOT / "Makefile").read_text().split(".PHONY:")[1].split("\n\n")[0].replace("\\", "").split())


def text_of(page):
    return (ROOT / f"docs/{page}.md").read_text()


COMMANDS = sorted({command for page in PAGES for block in blocks(text_of(page)) if not is_doctest(block)
                   for command in commands(block)})


def test_the_blocks():
    assert blocks("a:\n\n    x\n\n    y\n\nb\n```python\nz\n```\n- c\n  d\n") == ["z", "x\n\ny"]
    assert len(COMMANDS) > 4


@pytest.mark.parametrize("page", PAGES)
def test_doctests_are_run(page):
    assert f"docs/{page}.md" in (ROOT / PAGES[page]).read_text()
    assert sum(map(is_doctest, blocks(text_of(page)))) > 1


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command):
    words = command.split()
    if words[0] == "make":
        targets = [word for word in words[1:] if "=" not in word]
        assert targets and set(targets) <= TARGETS, command
    elif "mpirun" in words:
        # test/mpi runs these.
        assert (ROOT / words[-1]).exists()
    elif command == "pip install .":
        # `make wheel` builds what that installs, and tries it.
        assert (ROOT / "pyproject.toml").exists()
    else:
        assert re.fullmatch(r"PYTHONPATH=build/python (\.venv/bin/)?python", command), command
        skip_without_package()
        code = "import shardwise; print(shardwise.Mesh({'x': 2}))"
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(BUILD / "python")},
                              text=True, capture_output=True, timeout=60)
        assert done.returncode == 0 and '"x"=2' in done.stdout, done.stderr
