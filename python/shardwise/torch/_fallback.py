# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that have no lowering: PyTorch runs them on the host, on gathered values. That is right and slow, so it is
said once per op, and counted."""

from __future__ import annotations

import collections
from typing import Any

import torch

from .._warn import warn_user

__all__ = ["NOT_DECOMPOSED", "fallback_counts", "run", "run_in_place"]

#: Ops whose decomposition in PyTorch is for tensors of a size that is known later, reads values, or is wrong.
NOT_DECOMPOSED = {"nonzero.default", "masked_select.default", "unique_dim.default", "_unique2.default",
                  # PyTorch 2.13 computes other numbers with its decomposition than with its kernels.
                  "multilabel_margin_loss_forward.default"}

_counts: collections.Counter[str] = collections.Counter()


def fallback_counts() -> dict[str, int]:
    """Returns how often each op was run by PyTorch on the host, by name."""
    return dict(_counts)


def _note(func: Any) -> None:
    name = str(func)
    _counts[name] += 1
    if _counts[name] == 1:
        warn_user(f"{name} is not translated: PyTorch runs it on the host on gathered values, each time. "
                  "shardwise.torch.fallback_counts() tells how often")


def _to_host(value: Any) -> Any:
    from .tensor import DeviceTensor
    if isinstance(value, DeviceTensor):
        return value.detach().cpu()
    if isinstance(value, (list, tuple)):
        return type(value)(_to_host(one) for one in value)
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return value


def _to_device(cls, value: Any) -> Any:
    from .tensor import DeviceTensor, from_host, make
    if isinstance(value, torch.Tensor) and not isinstance(value, DeviceTensor):
        plain = from_host(value)
        return plain if cls is DeviceTensor else make(cls, plain._meta, plain._storage)
    if isinstance(value, (list, tuple)):
        return type(value)(_to_device(cls, one) for one in value)
    return value


def run(cls, func: Any, args, kwargs) -> Any:
    """Runs an op without side effects on the host."""
    _note(func)
    return _to_device(cls, func(*_to_host(list(args)), **{name: _to_host(one) for name, one in kwargs.items()}))


def run_in_place(cls, func: Any, args, kwargs) -> Any:
    """Runs an op that changes arguments on the host, and brings the changes back."""
    from .tensor import DeviceTensor
    _note(func)
    hosts = _to_host(list(args))
    named = {name: _to_host(one) for name, one in kwargs.items()}
    results = func(*hosts, **named)
    returns = func._schema.returns
    written: dict[str, Any] = {}
    for i, argument in enumerate(func._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        own, host = ((args[i], hosts[i]) if i < len(args) else
                     (kwargs.get(argument.name), named.get(argument.name)))
        for one, value in zip(own, host) if isinstance(own, (list, tuple)) else [(own, host)]:
            if isinstance(one, DeviceTensor):
                one.copy_(value)
        written.update(dict.fromkeys(argument.alias_info.before_set, own))
    # What is returned may be an argument, or something new beside those that are changed.
    given = [_to_device(cls, value) if one.alias_info is None else written[next(iter(one.alias_info.before_set))]
             for one, value in zip(returns, results if len(returns) > 1 else (results,))]
    return tuple(given) if len(given) > 1 else given[0] if given else None
