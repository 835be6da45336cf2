# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's dispatcher is told of the device beyond the tensors' own class."""

from __future__ import annotations

import torch

from . import _autocast, _ops

__all__ = ["install"]

_libraries: list[torch.library.Library] = []


def install() -> None:
    """Registers it, once per process."""
    library = torch.library.Library("aten", "IMPL")
    _ops.register_creation(library)
    _autocast.register(library)
    _libraries.append(library)
