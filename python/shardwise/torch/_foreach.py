# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on lists of tensors, which optimizers use: one call of PyTorch for all parameters, each recorded here. A call
costs more than what is recorded, so optimizers are told that this device has such ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ._dispatch import family, fresh, update
from ._record import has_lowering, record
from .tensor import DeviceTensor, XLAShardedTensor

__all__ = ["offer_to_optimizers"]

aten = torch.ops.aten

#: How the names of the ops begin.
_PREFIX = "aten::_foreach_"


def offer_to_optimizers() -> None:
    """Has optimizers choose ops on lists by themselves for tensors of the device, as they do on other accelerators."""
    from torch.optim import optimizer
    known = optimizer._foreach_supported_types
    known.extend(one for one in (DeviceTensor, XLAShardedTensor) if one not in known)


@family(_PREFIX)
def _handler_of(func: Any) -> Callable[..., Any]:
    """Returns what does an op on lists."""
    name = func._schema.name.removeprefix(_PREFIX)
    single = _single_of(name.rstrip("_"), func._overloadname)
    return _looped if single is None else _recording(single, func, name.endswith("_"))


def _single_of(name: str, overload: str) -> Any:
    """The op on one tensor, whose arguments come in the same order; `None` if there is none that is so simple."""
    packet = getattr(aten, name, None)
    if packet is None or name in ("norm", "zero", "copy", "max", "pow"):
        return None
    if name == "lerp":
        wanted = "Tensor" if overload == "List" else "Scalar"
    elif overload == "default" or name in ("addcmul", "addcdiv", "maximum", "minimum"):
        wanted = "default"
    elif name in ("add", "sub", "mul", "div"):
        wanted = "Tensor"
    else:
        wanted = "Tensor" if overload in ("List", "Tensor") else "default"
    single = getattr(packet, wanted, None)
    return single if single is not None and has_lowering(single) else None


def _recording(single: Any, func: Any, in_place: bool) -> Callable[..., Any]:
    """Records the op on each tensor. The argument that scales, `alpha` or `value`, goes by name as in the op on one."""
    scale = next((one.name for one in single._schema.arguments if one.kwarg_only and one.name in ("alpha", "value")), None)
    names = [one.name for one in func._schema.arguments]
    positions = len([one for one in single._schema.arguments if not one.kwarg_only])

    def run(cls, func, args, kwargs):
        given = dict(zip(names, args))
        given.update(kwargs)
        values = list(given.values())
        count = len(values[0])
        if not all(type(one) is DeviceTensor or isinstance(one, DeviceTensor) for one in values[0]):
            return _looped(cls, func, args, kwargs)
        columns = [one if isinstance(one, (list, tuple)) else (one,) * count for one in values]
        if any(len(one) != count for one in columns):
            raise RuntimeError(f"{func._schema.name}: tensor lists must have the same number of tensors, got "
                               f"{' and '.join(str(len(one)) for one in columns)}")
        results = []
        for own in zip(*columns):
            named = {scale: own[positions]} if len(own) > positions else {}
            nodes, metas = record(single, own[:positions], named)
            if in_place:
                update(own[0], nodes[0])
            else:
                results.append(fresh(cls, nodes[0], metas[0]))
        return None if in_place else results

    return run


def _looped(cls, func, args, kwargs):
    """The op of PyTorch on each."""
    name = func._schema.name.removeprefix(_PREFIX)
    lists = [i for i, one in enumerate(args) if isinstance(one, (list, tuple))]
    count = len(args[0])
    results = []
    packet = getattr(torch.Tensor, name, None) or getattr(torch, name, None)
    for i in range(count):
        own = [one[i] if at in lists and len(one) == count else one for at, one in enumerate(args)]
        named = {key: (one[i] if isinstance(one, (list, tuple)) else one) for key, one in kwargs.items()}
        if name == "norm":
            results.append(torch.linalg.vector_norm(*own, **named))
        elif name.rstrip("_") in ("addcmul", "addcdiv") and len(own) > 3:
            results.append(packet(*own[:3], value=own[3]))
        elif name.rstrip("_") in ("add", "sub") and len(own) > 2:
            results.append(packet(*own[:2], alpha=own[2]))
        elif name.rstrip("_") == "zero":
            results.append(own[0].zero_())
        elif name.rstrip("_") in ("maximum", "minimum"):
            other = own[1] if isinstance(own[1], torch.Tensor) else torch.full((), own[1], dtype=own[0].dtype)
            value = getattr(torch, name.rstrip("_"))(own[0], other)
            results.append(own[0].copy_(value) if name.endswith("_") else value)
        else:
            results.append(packet(*own, **named))
    return None if name.endswith("_") else results
