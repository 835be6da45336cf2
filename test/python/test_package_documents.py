# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorial and the examples of docstrings do what they say."""

import doctest
import importlib

import pytest

from conftest import ROOT
import python_package  # noqa: F401  Skips, or makes the package found.


@pytest.mark.parametrize("name", ["_processes", "errors", "explanations", "files", "plans", "programs", "shardings"])
def test_docstrings(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(importlib.import_module(f"shardwise.{name}"),
                             optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_tutorial(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False,
                              optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.attempted > 15 and result.failed == 0
