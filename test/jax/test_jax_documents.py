# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/jax.md does what it says."""

import doctest

from conftest import ROOT
from devices import jax  # noqa: F401  Devices first.


def test_the_page(monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "docs/jax.md"), module_relative=False,
                              optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.attempted > 10 and result.failed == 0
