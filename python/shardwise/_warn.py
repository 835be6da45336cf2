# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warnings that name the user's line."""

from __future__ import annotations

import pathlib
import sys
import warnings

from .errors import ShardwiseWarning

_PACKAGE = str(pathlib.Path(__file__).parent)


def _libraries() -> tuple[str, ...]:
    """Folders whose code may stand between the user's and ours: a call of ours is reached through a dispatch of
    PyTorch or a trace of JAX. Only those that are imported: importing one would take seconds."""
    found = [sys.modules.get(name) for name in ("jax", "jaxlib", "torch", "transformers")]
    files = [getattr(module, "__file__", None) for module in found]
    return _PACKAGE, *(str(pathlib.Path(file).parent) for file in files if file)


def warn_user(message: str, category: type[Warning] = ShardwiseWarning) -> None:
    """Warns of `message` at the innermost line that is neither ours nor of the libraries we are called through.

    `warnings.warn` counts frames instead, and how many stand between the user and us depends on what the library does.
    """
    inside = (*_libraries(), "<frozen")
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_code.co_filename.startswith(inside):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level if frame is not None else 2)
