# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of the CPU in files of `torch.save` that are to come to the device: `torch.load(file, map_location=device())`.

PyTorch reads the memory of a tensor, brings it to its place, and makes the tensor of it there. This device has no memory of that kind: a `_Bytes` is
memory of the CPU that says it is on the device, and what is made of it is a tensor there with these elements.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.serialization import register_package

from ._backend import DEVICE_TYPE
from ._device import device
from ._dispatch import special
from .tensor import from_host

__all__ = ["install"]

#: Before PyTorch's own entry for such devices, which asks for memory there.
_PRIORITY = 19


class _Bytes(torch.UntypedStorage):
    """Memory on the CPU whose tensors are on the device."""

    @property
    def device(self) -> torch.device:
        return device()


def _to_device(storage: torch.UntypedStorage, location: str) -> Any:
    """Returns what stands for the memory; `None` if another place is meant, whose entry is asked next."""
    name, _, index = location.partition(":")
    if name != DEVICE_TYPE:
        return None
    device(int(index or 0))
    result = _Bytes(storage.nbytes())
    result.copy_(storage)
    return result


def _reads_bytes(rebuild):
    """PyTorch's function that makes a tensor of memory, which also takes such memory."""

    def rebuild_tensor(storage, offset, size, stride):
        memory = storage._untyped_storage
        if not isinstance(memory, _Bytes):
            return rebuild(storage, offset, size, stride)
        return from_host(torch.empty(0, dtype=storage.dtype).set_(memory, offset, size, stride))

    return rebuild_tensor


@special("set_.source_Storage", "set_.source_Storage_storage_offset")
def _set_memory(cls, func, args, kwargs):
    raise NotImplementedError(f"{func}: tensors on the device have no memory that could be replaced; load or make the tensor "
                              "on the CPU, then move it with .to()")


def install() -> None:
    """Tells PyTorch, once per process."""
    register_package(_PRIORITY, lambda storage: None, _to_device)
    torch._utils._rebuild_tensor = _reads_bytes(torch._utils._rebuild_tensor)
