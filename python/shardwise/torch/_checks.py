# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels of PyTorch refuse but its inference of types, which knows no elements, lets pass: asked once for each op and types
of operands, before it is recorded. Errors are of the kinds, and mostly in the words, of eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ._graph import TensorSlot
from ._meta import Meta

__all__ = ["check_call", "check_cast"]

_CHECKS: dict[str, Callable[..., None]] = {}

#: Ops that say which element is the larger one.
_ORDERING = {"sort.default", "sort.stable", "topk.default", "max.default", "max.dim", "min.default", "min.dim", "amax.default",
             "amin.default", "cummax.default", "cummin.default"}


def _checks(*names: str):
    def register(function):
        for name in names:
            _CHECKS[name] = function
        return function

    return register


def check_call(name: str, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raises what eager PyTorch does for an op on operands of these types.

    Args:
        name: The op with its overload.
        args: Its arguments, with a slot for each tensor.
        kwargs: Likewise by name.
    """
    check = _CHECKS.get(name)
    if check is not None:
        check(*[_meta(one) for one in args], **{key: _meta(one) for key, one in kwargs.items()})
    if name in _ORDERING and isinstance(args[0], TensorSlot) and args[0].meta.dtype.is_complex:
        raise RuntimeError(f"{name.split('.')[0]}(): does not support complex input, which has no order")


def check_cast(result: Meta, target: Meta) -> None:
    """Raises if the result of an in-place op does not go into what it changes, as floats into whole numbers."""
    if not torch.can_cast(result.dtype, target.dtype):
        raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {target.dtype}")


def _meta(value: Any) -> Any:
    if isinstance(value, TensorSlot):
        return value.meta
    return [_meta(one) for one in value] if isinstance(value, list) else value


def _dims(x: Meta, dims: Any) -> list[int]:
    """Dimensions that are reduced, in range."""
    rank = max(len(x.shape), 1)
    given = list(range(len(x.shape))) if dims is None or dims == [] else list(dims) if isinstance(dims, (list, tuple)) else [dims]
    for dim in given:
        if not -rank <= dim < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return [dim % rank for dim in given]


@_checks("abs.default")
def _size(x: Meta) -> None:
    if x.dtype == torch.bool:
        raise NotImplementedError('"abs" not implemented for Bool')


@_checks("topk.default")
def _largest(x: Meta, *_, **__) -> None:
    if x.dtype == torch.bool:
        raise RuntimeError("topk does not support bool dtypes")


@_checks("relu.default")
def _relu(x: Meta) -> None:
    if x.dtype == torch.bool:
        raise RuntimeError("Boolean inputs not supported for relu")


@_checks("sub.Tensor", "rsub.Tensor", "rsub.Scalar")
def _subtraction(a: Any, b: Any, *_, **__) -> None:
    if any(isinstance(one, Meta) and one.dtype == torch.bool or isinstance(one, bool) for one in (a, b)):
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
                           "mask, use the `~` or `logical_not()` operator instead.")


@_checks("amax.default", "amin.default")
def _extremes(x: Meta, dims: Any = (), *_, **__) -> None:
    for dim in _dims(x, list(dims)):
        if x.shape and x.shape[dim] == 0:
            raise IndexError(f"amax() or amin(): Expected reduction dim {dim} to have non-zero size.")


@_checks("max.default", "min.default")
def _extreme(x: Meta) -> None:
    if 0 in x.shape:
        raise RuntimeError("max() or min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                           "dim with the 'dim' argument.")


@_checks("max.dim", "min.dim")
def _extreme_along(x: Meta, dim: int, *_, **__) -> None:
    at, = _dims(x, dim)
    if x.shape and x.shape[at] == 0:
        raise IndexError(f"max() or min(): Expected reduction dim {at} to have non-zero size.")


@_checks("argmax.default", "argmin.default")
def _place_of_extreme(x: Meta, dim: int | None = None, *_, **__) -> None:
    if x.dtype == torch.bool or x.dtype.is_complex:
        raise RuntimeError(f"argmax() or argmin(): does not support {'complex' if x.dtype.is_complex else 'bool'} input")
    if dim is None and 0 in x.shape:
        raise IndexError("argmax() or argmin(): Expected reduction dim to be specified for input.numel() == 0.")
    if dim is not None and x.shape and x.shape[_dims(x, dim)[0]] == 0:
        raise IndexError(f"argmax() or argmin(): Expected reduction dim {dim} to have non-zero size.")


@_checks("var.correction", "std.correction", "var_mean.correction", "std_mean.correction")
def _spread(x: Meta, *_, **__) -> None:
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError("std and var only support floating point and complex dtypes")


@_checks("_softmax.default", "_log_softmax.default")
def _softmax(x: Meta, dim: int, *_, **__) -> None:
    _dims(x, dim)
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f'"softmax" not implemented for {x.dtype}; convert to a floating point type first')


@_checks("sort.default", "cumsum.default", "cumprod.default")
def _along(x: Meta, dim: int = -1, *_, **__) -> None:
    _dims(x, dim)


@_checks("sort.stable")
def _sorted(x: Meta, *, dim: int = -1, **__) -> None:
    _dims(x, dim)


@_checks("cat.default")
def _joined(tensors: list[Meta], *_, **__) -> None:
    for position, one in enumerate(tensors):
        if not one.shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated")


@_checks("mm.default", "bmm.default", "mv.default", "dot.default")
def _product(a: Meta, b: Meta) -> None:
    if a.shape and b.shape and a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a.dtype} != {b.dtype}")


@_checks("addmm.default")
def _product_plus(bias: Meta, a: Meta, b: Meta, *_, **__) -> None:
    _product(a, b)
    if len(a.shape) == len(b.shape) == 2:
        shape = (a.shape[0], b.shape[1])
        if any(size not in (1, whole) for size, whole in zip(reversed(bias.shape), reversed(shape))) or len(bias.shape) > 2:
            raise RuntimeError(f"The expanded size of the tensor {list(shape)} must match the existing size {list(bias.shape)}")


@_checks("index_select.default")
def _rows(x: Meta, dim: int, index: Meta) -> None:
    at, = _dims(x, dim)
    if not x.shape and index.shape not in ((), (1,)):
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {list(index.shape)}")
    if x.shape and x.shape[at] == 0 and 0 not in index.shape:
        raise (IndexError if len(x.shape) == 1 else RuntimeError)("index_select(): index out of range in self, which is empty")


@_checks("take.default")
def _taken(x: Meta, index: Meta) -> None:
    if 0 in x.shape and 0 not in index.shape:
        raise IndexError("take(): tried to take from an empty tensor")


@_checks("index.Tensor")
def _indexed(x: Meta, indices: list[Meta | None], *_, **__) -> None:
    for dim, index in enumerate(indices):
        if isinstance(index, Meta) and index.dtype not in (torch.bool, torch.uint8) and 0 not in index.shape and (
                dim < len(x.shape) and x.shape[dim] == 0):
            raise IndexError("index is out of bounds for dimension with size 0")


@_checks("index_put.default")
def _changed_at(x: Meta, indices: list[Meta | None], *_, **__) -> None:
    _indexed(x, indices)


@_checks("max_pool2d_with_indices.default")
def _pooled(x: Meta, *_, **__) -> None:
    if len(x.shape) not in (3, 4) or 0 in x.shape[-3:]:
        raise RuntimeError(f"non-empty 3D or 4D (batch mode) tensor expected for input, got {list(x.shape)}")
