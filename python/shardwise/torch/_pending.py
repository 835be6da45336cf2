# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Local tensors whose messages are still on their way."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as functional


class _Arrival(dist.Work):
    """What PyTorch waits for before a pending tensor is read."""

    def __init__(self, finish: Callable[[], None]):
        super().__init__()
        self._finish: Callable[[], None] | None = finish

    def wait(self, timeout=None) -> bool:
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()
        return True


def pending(finish: Callable[[], None], result: torch.Tensor) -> torch.Tensor:
    """A tensor that calls `finish`, which fills it, at its first use, as those of PyTorch's own do."""
    torch._C._distributed_c10d._register_work(result, _Arrival(finish))
    return functional.AsyncCollectiveTensor(result)
