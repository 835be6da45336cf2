# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of PyTorch on the CPU as name of the element type, shape and bytes, as the C++ half takes them."""

from __future__ import annotations

import numpy
import torch

from ._meta import DTYPE_NAMES

__all__ = ["from_parts", "to_parts"]

_DTYPES = {name: dtype for dtype, name in DTYPE_NAMES.items()}


def to_parts(tensor: torch.Tensor):
    """Returns a CPU tensor for the C++ half; its elements are read when that is called."""
    flat = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    if flat.numel() == 0:
        data = numpy.empty(0, numpy.uint8)
    else:
        data = flat.view(torch.uint8).numpy()
    return DTYPE_NAMES[tensor.dtype], list(tensor.shape), data


def from_parts(parts, copy: bool = True) -> torch.Tensor:
    """Returns a CPU tensor of what the C++ half gave. Without a copy it must not be written to."""
    name, shape, data = parts
    dtype = _DTYPES[name]
    if not data.size:
        return torch.empty(shape, dtype=dtype)
    tensor = torch.from_numpy(data).view(dtype).reshape(shape)
    return tensor.clone() if copy else tensor
