# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that index with tensors. Masks whose result has as many elements as values say are run on the host; what has a shape that is known is recorded."""

from __future__ import annotations

import torch
from torch._decomp import decomposition_table

from . import _fallback
from ._dispatch import _copy_into, _pure, special
from .tensor import DeviceTensor, from_host

__all__: list[str] = []

aten = torch.ops.aten

#: So many elements are looked for one by one.
_FEW = 64


@special("index.Tensor")
def _index(cls, func, args, kwargs):
    x, indices = args
    if any(one is not None and one.dtype in (torch.bool, torch.uint8) for one in indices):
        return _fallback.run(cls, func, args, kwargs)
    return _pure(cls, func, (x, [_on_device(one) for one in indices]), kwargs)


def _on_device(value):
    if isinstance(value, torch.Tensor) and not isinstance(value, DeviceTensor):
        return from_host(value)
    return value


@special("index_put.default", "index_put_.default", "_index_put_impl_.default", "_unsafe_index_put.default")
def _index_put(cls, func, args, kwargs):
    x, indices, values = args[:3]
    accumulate = args[3] if len(args) > 3 else kwargs.get("accumulate", False)
    in_place = func._schema.name.endswith("_")
    masks = [one for one in indices if one is not None and one.dtype in (torch.bool, torch.uint8)]
    if masks and (len([one for one in indices if one is not None]) > 1 or values.numel() != 1
                  or indices[0] is None):
        if not in_place:
            return _fallback.run(cls, func, args, kwargs)
        result = _fallback.run(cls, aten.index_put.default, (x, indices, values, accumulate), {})
    else:
        result = _pure(cls, aten.index_put.default, (
            x, [_on_device(one) for one in indices], _on_device(values), bool(accumulate)), {})
    return _copy_into(x, result) if in_place else result


@special("isin.Tensor_Tensor")
def _isin(cls, func, args, kwargs):
    return _pure(cls, func, args, kwargs) if args[1].numel() <= _FEW else decomposition_table[func](*args, **kwargs)


def _places(mask: torch.Tensor) -> torch.Tensor:
    """For each element of a mask, of all in a row, how many before it are true: the next element of the source is its."""
    counted = mask.flatten().to(torch.int64)
    return counted.cumsum(0) - counted


@special("masked_scatter.default")
def _masked_scatter(cls, func, args, kwargs):
    """As of other indices: where the source has too few elements, the last is taken."""
    x, mask = torch.broadcast_tensors(args[0], args[1])
    source = args[2].flatten()
    if not source.numel():
        return x.clone()
    taken = source[_places(mask).clamp_max(source.numel() - 1)]
    return torch.where(mask, taken.view(x.shape), x)


@special("masked_scatter_backward.default")
def _masked_scatter_backward(cls, func, args, kwargs):
    up, mask, sizes = args
    up, mask = torch.broadcast_tensors(up, mask)
    count = torch.Size(sizes).numel()
    # What is not taken, and what the source had no elements for, goes behind the end.
    places = torch.where(mask.flatten(), _places(mask).clamp_max(count), count)
    whole = up.new_zeros(count + 1).index_put((places,), up.flatten(), accumulate=True)
    return whole[:count].view(sizes)


@special("put.default")
def _put(cls, func, args, kwargs):
    x, index, source = args[:3]
    accumulate = args[3] if len(args) > 3 else kwargs.get("accumulate", False)
    return x.flatten().index_put((index.flatten(),), source.flatten(), accumulate).view(x.shape)


@special("_has_same_storage_numel.default")
def _has_same_numel(cls, func, args, kwargs) -> bool:
    """What forward-mode gradients ask of a tensor and its tangent: whether what they are views of has as many elements."""
    counts = [torch.Size(one._storage.meta.shape).numel() if isinstance(one, DeviceTensor) else one.untyped_storage().nbytes() // one.itemsize
              for one in args]
    return counts[0] == counts[1]
