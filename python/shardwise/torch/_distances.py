# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that are said in others here, as PyTorch has kernels for them and no decomposition that fits: distances of all pairs of rows, gradients of
what repeats the edge."""

from __future__ import annotations

import torch

from . import _fallback
from ._dispatch import special

__all__: list[str] = []

#: With more rows PyTorch computes Euclidean distances by a product.
_FEW_ROWS = 25
_ALWAYS_PRODUCT = 1


def _is_said_here(a: torch.Tensor, b: torch.Tensor, p: float) -> bool:
    return p in (1.0, 2.0) and a.shape[:-2] == b.shape[:-2] and 0 not in a.shape and 0 not in b.shape


@special("_cdist_forward.default")
def _cdist(cls, func, args, kwargs):
    a, b, p, mode = args
    if not _is_said_here(a, b, p):
        return _fallback.run(cls, func, args, kwargs)
    many = max(a.shape[-2], b.shape[-2]) > _FEW_ROWS
    if p == 2 and (mode == _ALWAYS_PRODUCT or (not mode and many)):
        squares = a.square().sum(-1, keepdim=True) + b.square().sum(-1)[..., None, :] - 2 * (a @ b.mT)
        return squares.clamp_min(0).sqrt()
    apart = a[..., :, None, :] - b[..., None, :, :]
    return apart.abs().sum(-1) if p == 1 else apart.square().sum(-1).sqrt()


@special("_cdist_backward.default")
def _cdist_backward(cls, func, args, kwargs):
    """Of the first rows. That of a distance of zero is zero."""
    up, a, b, p, distances = args
    if not _is_said_here(a, b, p):
        return _fallback.run(cls, func, args, kwargs)
    if p == 1:
        return (up[..., None] * (a[..., :, None, :] - b[..., None, :, :]).sign()).sum(-2)
    shares = torch.where(distances == 0, 0.0, up / distances)
    return a * shares.sum(-1, keepdim=True) - shares @ b


@special("replication_pad1d_backward.default", "replication_pad2d_backward.default", "replication_pad3d_backward.default")
def _replication_backward(cls, func, args, kwargs):
    """Each element of the result was read from one element, or not at all if padding is negative."""
    up, x, padding = args
    for number, before in enumerate(padding[::2]):
        dim = up.dim() - 1 - number
        places = (torch.arange(up.shape[dim], device=up.device) - before).clamp(0, x.shape[dim] - 1)
        shape = [x.shape[dim] if i == dim else size for i, size in enumerate(up.shape)]
        up = up.new_zeros(shape).index_add(dim, places, up)
    return up
