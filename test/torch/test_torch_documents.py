# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorial and the examples of docstrings do what they say."""

import doctest
import importlib
import runpy

import pytest

from torch_package import xs
from conftest import ROOT


@pytest.mark.parametrize("name", ["_device", "annotate", "assignment", "explain", "groups", "layers", "loader", "mesh"])
def test_docstrings(name):
    module = importlib.import_module(f"shardwise.torch.{name}")
    result = doctest.testmod(module, extraglobs=vars(xs), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_tutorial():
    result = doctest.testfile(str(ROOT / "docs/torch.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 15 and result.failed == 0


def test_reference_is_up_to_date():
    script = ROOT / "scripts/generate_torch_reference.py"
    namespace = runpy.run_path(str(script))
    written = namespace["PAGE"].read_text()
    for name, text in namespace["sections"](xs).items():
        assert text in written, f"{name} has changed; run {script.name}"


def test_names_of_the_contract():
    assert all(hasattr(xs, name) for name in xs.__all__) and len(set(xs.__all__)) == len(xs.__all__)


def test_example():
    namespace = runpy.run_path(str(ROOT / "examples/torch/train.py"))
    namespace["main"]()


def test_page_of_data():
    result = doctest.testfile(str(ROOT / "docs/torch-data.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 10 and result.failed == 0
