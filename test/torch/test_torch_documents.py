# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorial and the examples of docstrings do what they say."""

import doctest
import importlib

import pytest

from torch_package import xs
from conftest import ROOT


@pytest.mark.parametrize("name", ["_device", "annotate", "assignment", "mesh"])
def test_docstrings(name):
    module = importlib.import_module(f"shardwise.torch.{name}")
    result = doctest.testmod(module, extraglobs=vars(xs), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_tutorial():
    result = doctest.testfile(str(ROOT / "docs/torch.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 15 and result.failed == 0
