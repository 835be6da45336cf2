# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views: how to read one from its base, and how to write one back into it.

A view is a chain of ops from the base. Reading applies them to the value that the base has now; writing goes the
chain back: each op has one that puts a changed result into its operand, as `select` has `select_scatter`.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from ._graph import Node, Storage, set_value
from ._meta import Meta
from ._record import record

__all__ = ["HOST_OPS", "View", "view_nodes"]

aten = torch.ops.aten

#: What PyTorch is to do with values on the host for a view that would only set a bit of the tensor: its kernels do not see that bit
#: below a dispatch.
HOST_OPS = {aten._conj.default: aten.conj_physical.default, aten._neg_view.default: aten.neg.default}


class View:
    """A chain of view ops from the base of a storage."""

    __slots__ = ("steps",)

    def __init__(self, steps: tuple):
        self.steps = steps

    @staticmethod
    def of(parent: View | None, func: Any, args: tuple, kwargs: dict[str, Any], meta: Meta) -> View:
        """Returns the view that `func` is of `parent`, `None` if that is a base."""
        step = (func, tuple(args), kwargs, meta)
        return View((step,) if parent is None else (*parent.steps, step))

    @staticmethod
    def strided(meta: Meta) -> View:
        """Returns what `as_strided` shows of a storage: its numbers count from where the storage begins, whatever view it is asked of, so
        that it is one step from the base."""
        return View(((aten.as_strided.default, (meta.shape, meta.strides, meta.offset), {}, meta),))

    def node(self, storage: Storage) -> Node:
        """Returns what the view has now."""
        return view_nodes(storage, self.steps)[-1]

    def read(self, base: Meta, value: torch.Tensor) -> torch.Tensor:
        """Returns what the view has of a value of the base on the host, in memory of its own."""
        for func, args, kwargs, _ in self.steps:
            if func is aten.as_strided.default:
                size, stride, offset = args
                stored = value.permute(_storage_order(base)).contiguous()
                value = stored.as_strided(size, stride, stored.storage_offset() + offset)
            else:
                value = HOST_OPS.get(func, func)(value, *args, **kwargs)
        return value.clone(memory_format=torch.contiguous_format)

    def write(self, storage: Storage, node: Node) -> None:
        """Gives the view another value, and with it the base."""
        if not all(_goes_back(func) for func, _, _, _ in self.steps):
            shown = self.steps[-1][3]
            if shown.dtype != storage.meta.dtype:
                raise NotImplementedError(f"an in-place change of a view by {self.steps[-1][0]} of the parts of complex numbers, or of a view "
                                          "in another type; clone() the view, change that and copy_ it")
            set_value(storage, _strided_written(storage.node, storage.meta, node, shown.shape, shown.strides, shown.offset))
            return
        values = view_nodes(storage, self.steps[:-1])
        for before, (func, args, kwargs, _) in zip(reversed(values), reversed(self.steps)):
            if func is aten.as_strided.default:
                node = _strided_written(before, storage.meta, node, *args)
            else:
                node = _written(func, before, node, args, kwargs)
        set_value(storage, node)


def view_nodes(storage: Storage, steps) -> list[Node]:
    """Returns the value of the base, and that behind each step."""
    values = [storage.node]
    for func, args, kwargs, _ in steps:
        if func is aten.as_strided.default:
            values.append(_strided(values[-1], storage.meta, *args))
        else:
            nodes, _ = record(func, (values[-1], *args), kwargs)
            values.append(nodes[0])
    return values


def _strided(node: Node, base: Meta, size, stride, offset: int) -> Node:
    """`as_strided` of a base that may lie in another order than its dimensions have."""
    return record("as_strided.default", (_in_storage_order(node, base), list(size), list(stride), offset), {},
                  outs=(_contiguous(size, node.meta.dtype),))[0][0]


def _strided_written(before: Node, base: Meta, after: Node, size, stride, offset: int) -> Node:
    """Returns the base with what `as_strided` shows of it replaced by `after`."""
    if any(step == 0 and count > 1 for count, step in zip(size, stride)):
        raise _shared_elements()
    stored = _in_storage_order(before, base)
    changed = record("as_strided_scatter.default", (stored, after, list(size), list(stride), offset), {},
                     outs=(_contiguous(stored.meta.shape, stored.meta.dtype),))[0][0]
    order = _storage_order(base)
    return _permuted(changed, [order.index(i) for i in range(len(order))])


def _shared_elements() -> RuntimeError:
    return RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single memory location; "
                        "clone() the tensor before the in-place operation")


def _contiguous(shape, dtype) -> Meta:
    from ._meta import intern_meta
    return intern_meta(tuple(shape), None, 0, dtype)


def _in_storage_order(node: Node, base: Meta) -> Node:
    return _permuted(node, _storage_order(base))


def _storage_order(base: Meta) -> list[int]:
    """The dimensions of a base, which has no holes, from that of the largest stride to that of the least."""
    return sorted(range(len(base.shape)), key=lambda i: -base.strides[i])


def _permuted(node: Node, order: list[int]) -> Node:
    return node if order == sorted(order) else record(aten.permute.default, (node, order), {})[0][0]


_RESHAPES = {"view", "_unsafe_view", "_reshape_alias", "unsqueeze", "squeeze", "reshape", "alias", "detach",
             "view_as", "flatten"}
#: Views of all elements in another form, and what goes back.
_INVERSES = {"_conj": aten._conj.default, "_neg_view": aten._neg_view.default,
             "view_as_real": aten.view_as_complex.default, "view_as_complex": aten.view_as_real.default}
_SCATTERS = {"select": aten.select_scatter.default, "slice": aten.slice_scatter.default,
             "diagonal": aten.diagonal_scatter.default}


def _goes_back(func: Any) -> bool:
    """Whether `_written` knows what puts a changed result of `func` into its operand. An expanded value has elements of which only one may
    have changed, as of `x.expand(3, 4)[0]`: that is known by their places in the storage alone."""
    name = func._schema.name.removeprefix("aten::")
    return (func is aten.view.dtype or name in _RESHAPES or name in _INVERSES or name in _SCATTERS
            or name in ("t", "transpose", "permute", "as_strided"))


def _written(func: Any, before: Node, after: Node, args, kwargs) -> Node:
    """Returns `before` with what `func` shows of it replaced by `after`."""
    name = func._schema.name.removeprefix("aten::")
    if func is aten.view.dtype:
        return record(func, (after, before.meta.dtype), {})[0][0]
    if name in _RESHAPES:
        return record(aten.view.default, (after, list(before.meta.shape)), {}, outs=(
            _contiguous(before.meta.shape, before.meta.dtype),))[0][0]
    if name in _INVERSES:
        return record(_INVERSES[name], (after,), {})[0][0]
    if name in _SCATTERS:
        return record(_SCATTERS[name], (before, after, *args), kwargs)[0][0]
    if name in ("t", "transpose"):
        return record(func, (after, *args), kwargs)[0][0]
    assert name == "permute"
    order = [one % len(args[0]) for one in args[0]]
    return record(aten.permute.default, (after, [order.index(i) for i in range(len(order))]), {})[0][0]
