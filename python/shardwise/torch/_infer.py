# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of the results of ops. PyTorch says them, on its meta device; some of its functions for that are of Python and take up to a millisecond,
which counts where shapes are new each time. Of ops that are frequent there, regular calls are answered here: dense operands of one floating
type. Everything else, and all that is wrong, goes to PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ._graph import ScalarSlot, TensorSlot
from ._meta import Meta, intern_meta, meta_of

__all__ = ["infer"]

_FLOATING = frozenset((torch.float32, torch.float64, torch.float16, torch.bfloat16))
#: Results have the type of the operands, and their shape after broadcasting.
_ELEMENTWISE = frozenset((
    "add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "add.Scalar", "sub.Scalar", "mul.Scalar", "div.Scalar", "pow.Tensor_Scalar",
    "tanh.default", "sigmoid.default", "silu.default", "exp.default", "neg.default", "relu.default", "gelu.default", "sqrt.default",
    "rsqrt.default"))


def infer(func: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[Meta | None, ...], bool]:
    """Returns the types of the results, and whether the op returns several.

    Args:
        func: The op.
        name: Its name with overload.
        args: Its arguments, with slots for operands.
        kwargs: Its named arguments.
    """
    known = _known(name, args)
    return _asked(func, args, kwargs) if known is None else (known, len(known) > 1)


def _known(name: str, args: Sequence[Any]) -> tuple[Meta, ...] | None:
    if name in _ELEMENTWISE:
        return _elementwise(args)
    if name == "addmm.default":
        return _product(args)
    if name == "native_layer_norm.default":
        return _layer_norm(args)
    return None


def _dtype_of(metas: Sequence[Meta]) -> torch.dtype | None:
    """The floating type of all, if they are dense and have one."""
    dtype = metas[0].dtype
    regular = dtype in _FLOATING and all(one.dtype is dtype and one.is_dense for one in metas)
    return dtype if regular else None


def _elementwise(args: Sequence[Any]) -> tuple[Meta, ...] | None:
    if any(isinstance(one, complex) for one in args):
        return None
    metas = [one.meta for one in args if isinstance(one, TensorSlot)]
    dtype = _dtype_of(metas)
    if dtype is None:
        return None
    shape = metas[0].shape
    if any(one.shape != shape for one in metas):
        try:
            shape = torch.broadcast_shapes(*(one.shape for one in metas))
        except RuntimeError:
            return None
    return (intern_meta(shape, None, 0, dtype),)


def _product(args: Sequence[Any]) -> tuple[Meta, ...] | None:
    bias, a, b = (one.meta for one in args[:3])
    dtype = bias.dtype
    fits = dtype in _FLOATING and a.dtype is dtype and b.dtype is dtype and len(a.shape) == len(b.shape) == 2 and a.shape[1] == b.shape[0]
    return (intern_meta((a.shape[0], b.shape[1]), None, 0, dtype),) if fits and bias.shape == b.shape[1:] else None


def _layer_norm(args: Sequence[Any]) -> tuple[Meta, ...] | None:
    x, sizes = args[0].meta, tuple(args[1])
    own = [one.meta for one in args[2:4] if isinstance(one, TensorSlot)]
    dtype = _dtype_of([x, *own])
    # Statistics of half types have another type.
    fits = dtype in (torch.float32, torch.float64) and sizes and x.shape[-len(sizes):] == sizes and all(one.shape == sizes for one in own)
    if not fits or 0 in x.shape:
        return None
    statistics = intern_meta((*x.shape[:-len(sizes)], *[1] * len(sizes)), None, 0, dtype)
    return intern_meta(x.shape, None, 0, dtype), statistics, statistics


def _sample(value: Any) -> Any:
    """An argument for PyTorch."""
    if isinstance(value, TensorSlot):
        return value.meta.empty()
    if isinstance(value, ScalarSlot):
        return 0.5 if value.kind is float else 1
    if isinstance(value, list):
        return [_sample(one) for one in value]
    if isinstance(value, torch.device):
        return torch.device("meta")
    return value


def _asked(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[Meta | None, ...], bool]:
    try:
        result = func(*[_sample(one) for one in args], **{name: _sample(one) for name, one in kwargs.items()})
    except AssertionError as error:
        # What PyTorch's kernels refuse with a RuntimeError.
        raise RuntimeError(str(error)) from error
    if isinstance(result, torch.Tensor):
        return (meta_of(result),), False
    return tuple(meta_of(one) if isinstance(one, torch.Tensor) else None for one in result), True
