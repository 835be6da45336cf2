# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch and `shardwise.torch` on eight virtual devices. Modules that import this are skipped without PyTorch."""

import os
import sys

import pytest

from conftest import ROOT

pytest.importorskip("torch", reason="PyTorch is not installed; `make setup-optional` does it")
os.environ["SHARDWISE_NUM_DEVICES"] = "8"
sys.path.insert(0, str(ROOT / "test/python"))
import python_package  # noqa: E402, F401  Skips, or makes the package found.

import numpy  # noqa: E402
import torch  # noqa: E402

import shardwise.torch as xs  # noqa: E402

torch.set_num_threads(1)
xs.use_spmd()
DEVICE = xs.device()


def mesh(shape=(2, 4), names=("x", "y"), ids=None):
    """A mesh over the eight devices."""
    return xs.Mesh(numpy.arange(8) if ids is None else ids, shape, names)
