# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Local tensors whose messages are still on their way."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as functional

from ._rounds import Exchange


class _Arrival(dist.Work):
    """What PyTorch waits for before a pending tensor is read."""

    def __init__(self, finish, result: torch.Tensor):
        super().__init__()
        self._finish = finish
        self._result = result

    def wait(self, timeout=None) -> bool:
        finish, self._finish = self._finish, None
        if finish is not None:
            finish(self._result)
        return True


def pending(exchange: Exchange, local: torch.Tensor) -> torch.Tensor:
    """Starts a round; the returned tensor waits for it at its first use, as those of PyTorch's own do."""
    result = exchange.empty()
    finish = exchange.start(local)
    torch._C._distributed_c10d._register_work(result, _Arrival(finish, result))
    return functional.AsyncCollectiveTensor(result)
