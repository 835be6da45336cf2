# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are to be sharded alike, however that is."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree

from ._emit import Emitter, Value
from ._graph import Storage
from ._lower.registry import lower
from ._meta import intern_meta
from ._record import node_of, record
from ._run import runs
from .annotate import _checked
from .tensor import make

__all__ = ["shard_as"]

_last = {"run": -1, "group": 0}


class _Member(torch.autograd.Function):
    """The identity, whose result belongs to a group."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, group: int) -> torch.Tensor:
        tensor = _checked(t)
        meta = intern_meta(tensor._meta.shape, None, 0, tensor._meta.dtype)
        node = record("shardwise.group", (node_of(tensor), (group,)), {}, outs=(meta,))[0][0]
        return make(type(tensor), meta, Storage(node, meta))

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        return gradient, None


@lower("shardwise.group")
def _group(e: Emitter, x: Value, group: list[int]) -> Value:
    e.line(f"sdy.sharding_group {x.name} group_id={group[0]} : {x.type}")
    return x


def _next_group() -> int:
    """Groups are numbered from 0 in each program, so that the same step is the same program."""
    if _last["run"] != runs():
        _last["run"], _last["group"] = runs(), 0
    _last["group"] += 1
    return _last["group"] - 1


def shard_as(a: Any, b: Any) -> tuple[Any, Any]:
    """Constrains each pair of tensors of two structures to one sharding, which propagation chooses.

    Args:
        a: Tensors on the device, in lists, tuples and dictionaries; `None` where there is none.
        b: The same structure.

    Returns:
        Both, with tensors that are constrained.

    Raises:
        ValueError: The structures differ.

    >>> import torch
    >>> x = mark_sharding(torch.ones(8, 2).to(device()), get_1d_mesh("data"), ("data", None))
    >>> y, z = shard_as(x.global_tensor, torch.zeros(8, 2).to(device()))
    >>> sync()
    >>> get_sharding_spec(z)
    '{devices=[8,1]0,1,2,3,4,5,6,7}'
    """
    leaves, structure = _pytree.tree_flatten(a)
    others, other_structure = _pytree.tree_flatten(b)
    if structure != other_structure or [one is None for one in leaves] != [one is None for one in others]:
        raise ValueError(f"shard_as takes two structures that are alike, got {structure} and {other_structure}")
    pairs = []
    for one, other in zip(leaves, others):
        if not isinstance(one, torch.Tensor):
            pairs.append((one, other))
            continue
        group = _next_group()
        pairs.append((_Member.apply(one, group), _Member.apply(other, group)))
    return (_pytree.tree_unflatten([one for one, _ in pairs], structure),
            _pytree.tree_unflatten([other for _, other in pairs], structure))
