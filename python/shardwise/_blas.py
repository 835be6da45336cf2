# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library of matrix products: that of the package scipy-openblas32, if it is installed, else the
system's, else Shardwise's own kernels."""

from __future__ import annotations

import importlib.util
import os
import pathlib


def choose() -> None:
    """Names the library in SHARDWISE_BLAS, which the extension and the tool read. What is there stays."""
    if "SHARDWISE_BLAS" in os.environ:
        return
    spec = importlib.util.find_spec("scipy_openblas32")
    if spec is None or spec.origin is None:
        return
    library = pathlib.Path(spec.origin).parent / "lib/libscipy_openblas.so"
    if library.exists():
        os.environ["SHARDWISE_BLAS"] = str(library)
