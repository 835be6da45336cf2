# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's dispatcher is told of the device beyond the tensors' own class."""

from __future__ import annotations

import torch

from .. import _core
from . import _autocast, _distances, _fast_paths, _index_ops, _ops, _optimizers, _recurrent, _saved

__all__ = ["install"]

_libraries: list[torch.library.Library] = []


def install() -> None:
    """Registers it, once per process."""
    library = torch.library.Library("aten", "IMPL")
    _ops.register_creation(library)
    _autocast.register(library)
    _recurrent.register(library)
    _saved.install()
    # Ops that mixed precision says nothing of go on as they are.
    others = torch.library.Library("_", "IMPL", "AutocastPrivateUse1")
    others.fallback(torch.library.fallthrough_kernel)
    _libraries.extend((library, others))
    _core.allow_leaks_at_exit()
